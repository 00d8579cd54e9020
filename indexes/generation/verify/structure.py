"""Deep: the graph's arrays against its own tables. They follow from them, so each is derived anew and compared byte for byte."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from indexes.generation.verify.findings import ALTERED, GHOST_EDGE, LOST_EDGE, ORPHAN_EDGE, TORN_FILE, Drift, of_ids
from indexes.generation.verify.held import BROKEN, Held


def structure(graph: Held) -> Iterator[Drift]:
    """Yield the edges and nodes that searches find otherwise than the tables say."""
    try:
        untrue = graph.reader.untrue()
        if not untrue:
            return
        nodes = [name for name in untrue if name.startswith("nodes") or name == "relations"]
        if nodes:
            yield Drift(ALTERED, "graph", f"{', '.join(nodes)}: not what its rows bring")
        found = list(_edges(graph.reader, skip_records=not graph.edges_fit))
        yield from found
        if not nodes and not found:
            yield Drift(TORN_FILE, graph.where, f"{', '.join(untrue)}: not in the order that look-ups rely on")
    except BROKEN as error:
        yield Drift(TORN_FILE, graph.where, f"its arrays cannot be read ({error})")


def _edges(reader: Any, *, skip_records: bool) -> Iterator[Drift]:
    wanted = reader.expected_triples()
    ids = list(reader.edge_ids())
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for way, reverse in (("by subject", False), ("by object", True)):
        held = reader.triples(reverse)
        for edge in _without(held - wanted, skip_records):
            found[ORPHAN_EDGE if not edge[3] else GHOST_EDGE, way].add(_name(edge, ids))
        for edge in _without(wanted - held, skip_records):
            found[LOST_EDGE, way].add(_name(edge, ids))
    for (kind, way), names in sorted(found.items()):
        yield of_ids(kind, "graph", names, "edge", f"as found {way}")


def _without(edges: Counter[Any], records: bool) -> Iterator[Any]:
    return (edge for edge in edges if not records or edge[4] < 0)


def _name(edge: tuple[str, str, str, str, int], ids: list[str]) -> str:
    """An edge of the table by its id; one that a row brings by the row, else by where it leads."""
    subject, relation, object_, evidence, record = edge
    if 0 <= record < len(ids):
        return ids[record]
    return evidence if evidence.startswith("urn:kb:chunk:") else f"{subject} {relation} {object_}"
