"""Whether a document holds to the shapes that exports promise (`shapes.ttl`), by pyshacl (the extra `rdf`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import ExtraMissing, UsageError

SHAPES = Path(__file__).with_name("shapes.ttl")
FORMATS = {".jsonld": "jsonld", ".json": "jsonld", ".ttl": "turtle", ".nq": "nquads", ".nt": "nt"}


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a document breaks a promise. `path`: the property, empty where the node itself is wrong."""

    node: str
    path: str
    message: str
    value: str


def violations(file: Path) -> list[Violation]:
    """Return what of an exported file breaks a shape, sorted. Raises ExtraMissing, and UsageError for what is no RDF."""
    try:
        from pyshacl import validate
        from rdflib import Graph
        from rdflib.namespace import RDF, SH
    except ImportError as error:
        raise ExtraMissing("validating against SHACL shapes", "rdf") from error
    data, shapes = _graph(file), Graph().parse(SHAPES, format="turtle")
    _, report, _ = validate(data, shacl_graph=shapes, inference="none", meta_shacl=False, advanced=False, js=False)
    found = [
        Violation(
            str(report.value(result, SH.focusNode) or ""), str(report.value(result, SH.resultPath) or ""),
            " ".join(sorted(map(str, report.objects(result, SH.resultMessage)))), str(report.value(result, SH.value) or ""),
        )
        for result in report.subjects(RDF.type, SH.ValidationResult)
    ]
    return sorted(set(found), key=lambda each: (each.node, each.path, each.message, each.value))


def _graph(file: Path) -> Any:
    """The triples of a file."""
    from rdflib import Graph

    kind = FORMATS.get(file.suffix.lower())
    if kind is None:
        raise UsageError(f"{file} is none of {', '.join(sorted(FORMATS))}; export it as JSON-LD, Turtle or N-Quads")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}; check the path") from error
    if kind in ("jsonld", "nquads"):
        text, kind = (_triples(file, text) if kind == "jsonld" else text), "nt"
    try:
        return Graph().parse(data=text, format=kind)
    except Exception as error:  # rdflib's parsers raise what they like
        raise UsageError(f"{file} is not valid {kind}: {str(error).partition(chr(10))[0]}; export it again") from error


def _triples(file: Path, text: str) -> str:
    """JSON-LD as N-Triples, by pyld: rdflib's own reader would fetch contexts."""
    import json

    from pyld import jsonld  # type: ignore[import-untyped]

    from entities.jsonld.loader import options

    try:
        triples: str = jsonld.to_rdf(json.loads(text), {**options(), "format": "application/n-quads"})
    except (ValueError, jsonld.JsonLdError) as error:
        said = str(error).partition("\n")[0]
        raise UsageError(f"{file} is not JSON-LD that can be read: {said}; export it again") from error
    return triples
