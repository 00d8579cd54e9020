"""The whole graph for other tools: a networkx graph, or a GraphML file that Gephi, yEd and Cytoscape open.

Everything in the build is exported, whoever may see it: this is for those who run the knowledge base.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexes.graph.format import FROM_ROW, KIND_NAMES, said
from indexes.graph.reader import SealedGraph, open_graph
from ingest.errors import StorageFailed
from ingest.model.edge import Edge

if TYPE_CHECKING:
    import networkx as nx  # type: ignore[import-untyped]


def to_networkx(build: Path, labels: Mapping[str, str] | None = None) -> nx.MultiDiGraph:
    """Return the graph of a build: nodes by id with `kind` and `label`, edges by edge id with their other fields.

    `labels` names nodes (entities, whose names live in the registry); others are called by their title or heading. An edge that
    several chunks of a parent bring appears once. None fields are left out.
    """
    import networkx as nx

    graph = open_graph(build)
    try:
        made = nx.MultiDiGraph()
        known = {**_labels(graph), **(labels or {})}
        for node in range(len(graph.nodes)):
            name = graph.nodes.name(node)
            made.add_node(name, kind=KIND_NAMES[graph.nodes.kinds[node]], label=known.get(name, name))
        for edge in _edges(graph):
            made.add_edge(edge.subject, edge.object, key=edge.edge_id, **_fields(edge))
    finally:
        graph.close()
    return made


def write_graphml(build: Path, target: Path, labels: Mapping[str, str] | None = None) -> None:
    """Write the graph of `to_networkx` to `target`; characters that XML cannot hold become U+FFFD. Raises StorageFailed."""
    import networkx as nx

    graph = to_networkx(build, labels)
    clean = nx.MultiDiGraph()
    for name, fields in graph.nodes(data=True):
        clean.add_node(_xml(name), **{key: _xml(value) for key, value in fields.items()})
    for subject, object_, key, fields in graph.edges(keys=True, data=True):
        clean.add_edge(_xml(subject), _xml(object_), key=key, **{name: _xml(value) for name, value in fields.items()})
    try:
        nx.write_graphml(clean, target)
    except OSError as error:
        raise StorageFailed(f"{target} cannot be written ({error}); check the folder and the free space") from error


def _edges(graph: SealedGraph) -> Iterator[Edge]:
    """Every edge in order; of equal ones made from rows the first."""
    near = graph.out.near().tolist()
    before = None
    for place, node in enumerate(near):
        found = graph.found(node, place)
        if found[3] != FROM_ROW or found[:4] != before:
            yield graph.edge(found)
        before = found[:4]


def _fields(edge: Edge) -> dict[str, Any]:
    fields = {
        "relation": edge.relation, "source_id": edge.source_id, "evidence": edge.evidence, "valid_from": edge.valid_from,
        "valid_until": edge.valid_until, "confidence": edge.confidence,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _labels(graph: SealedGraph) -> dict[str, str]:
    """Source -> title, parent and chunk -> heading, as the first chunk has them."""
    made: dict[str, str] = {}
    columns = graph.chunks.select(["source_id", "parent_id", "chunk_id", "title", "heading"])
    for line in columns.to_pylist():
        title, heading = said(line["title"]), said(line["heading"])
        made.setdefault(said(line["source_id"]), title)
        made.setdefault(said(line["parent_id"]), heading or title)
        made.setdefault(said(line["chunk_id"]), heading or title)
    return made


def _xml(value: Any) -> Any:
    """Return a text with what XML 1.0 forbids replaced; anything else as it is."""
    if not isinstance(value, str):
        return value
    return "".join(char if _allowed(ord(char)) else "\ufffd" for char in value)


def _allowed(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
