"""JSON-LD documents, streamed: a whole registry as one `@graph`, one line a node, or one entity with its context.

Memory does not grow with the number of entities: whoever describes them may stream, too. The bytes are a function of what is
described, and no clock, generation or place is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

from entities.jsonld.context import context
from entities.jsonld.node import Described, Node, Refer, framed, iri, node
from entities.relations import Vocabulary
from ingest.model.edge import REGISTRY


def nodes(
    described: Iterable[Described], refer: Refer, vocabulary: Vocabulary, exclusive: Iterable[str] = ()
) -> Iterator[Node]:
    """Yield the nodes of a graph, in the order of `described`. `exclusive`: what a registry says besides of its relations."""
    if listed := sorted(exclusive):
        yield {"@id": iri(REGISTRY), "@type": "Registry", "exclusive": listed}
    for each in described:
        yield node(each, refer, vocabulary)


def graph(made: Iterable[Node], vocabulary: Vocabulary) -> Iterator[bytes]:
    """Yield the pieces of one JSON-LD document of many nodes."""
    yield b'{"@context": ' + orjson.dumps(context(vocabulary)) + b',\n"@graph": ['
    for number, each in enumerate(made):
        yield (b",\n" if number else b"\n") + orjson.dumps(each)
    yield b"\n]}\n"


def document(described: Described, refer: Refer, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return one entity as a JSON-LD document of its own, framed: the entity at the top, what it refers to inside."""
    return {"@context": context(vocabulary), **framed(described, refer, vocabulary)}


Writer = Callable[[Iterable[Node], Vocabulary], Iterator[bytes]]
