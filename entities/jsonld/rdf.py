"""The same nodes as RDF: N-Quads by pyld, Turtle by rdflib (the extra `rdf`).

Nodes are turned one after the other and none is blank, so what comes out is as deterministic as what goes in, and memory does not
grow. What a node says of those it refers to is left out here: their own nodes say it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from entities.jsonld.context import PREFIXES, context
from entities.jsonld.loader import options
from entities.jsonld.node import Node
from entities.relations import Vocabulary
from ingest.errors import ExtraMissing

_AT_ONCE = 200
"""Entities in one piece of Turtle."""


def nquads(made: Iterable[Node], vocabulary: Vocabulary) -> Iterator[bytes]:
    """Yield N-Quads, the lines of one node at a time, sorted, each once."""
    terms = context(vocabulary)
    for each in made:
        lines = _lines({**each, "@context": terms}, _referred(each, vocabulary))
        yield "".join(lines).encode()


def turtle(made: Iterable[Node], vocabulary: Vocabulary) -> Iterator[bytes]:
    """Yield Turtle: the prefixes, then pieces of many nodes. Raises ExtraMissing without rdflib."""
    try:
        from rdflib import Graph
    except ImportError as error:
        raise ExtraMissing("Turtle", "rdf") from error
    yield "".join(f"@prefix {name}: <{start}> .\n" for name, start in sorted(PREFIXES.items())).encode()
    terms, waiting = context(vocabulary), iter(made)
    while part := list(islice(waiting, _AT_ONCE)):
        piece = Graph(bind_namespaces="none")
        for name, start in PREFIXES.items():
            piece.bind(name, start)
        lines = (line for each in part for line in _lines({**each, "@context": terms}, _referred(each, vocabulary)))
        piece.parse(data="".join(lines), format="nt")
        text = piece.serialize(format="turtle")
        yield "".join(line for line in text.splitlines(keepends=True) if not line.startswith("@prefix")).encode()


def _lines(document: dict[str, Any], besides: frozenset[str]) -> list[str]:
    from pyld import jsonld  # type: ignore[import-untyped]

    said: str = jsonld.to_rdf(document, {**options(), "format": "application/n-quads"})
    lines = dict.fromkeys(said.splitlines(keepends=True))
    return sorted(line for line in lines if line.partition(">")[0][1:] not in besides)


def _referred(made: Node, vocabulary: Vocabulary) -> frozenset[str]:
    """Ids of the entities that a node refers to and describes in passing."""
    known = frozenset(key for key in made if key in vocabulary or key.startswith("kb:"))
    values = (value for key in known for value in (made[key] if isinstance(made[key], list) else [made[key]]))
    return frozenset(value["@id"] for value in values if isinstance(value, dict) and value["@id"] != made["@id"])
