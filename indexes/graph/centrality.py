"""How much of what is known runs through an entity: betweenness in the graph of entities, by networkx.

Two entities are next to each other when something is asserted of them, or when a chunk mentions both; only what a caller may see
counts. For overviews ("what is this knowledge base about?"), never for answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ingest.model.batches import batches
from ingest.model.edge import MENTIONS, REGISTRY
from ingest.model.entity import followed
from ingest.model.predicate import Predicate
from ingest.protocols import GraphReader

if TYPE_CHECKING:
    import networkx as nx  # type: ignore[import-untyped]

_SAMPLES = 64
"""Nodes from which shortest paths are counted; in smaller graphs all of them. Chosen with a fixed seed."""
_CHUNKS = 200
"""Chunks of one entity that are looked at."""
_AT_ONCE = 500
DIGITS = 6


def centrality(
    reader: GraphReader, entities: Iterable[str], relations: Sequence[str], predicate: Predicate,
    redirects: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Return entity id -> betweenness from 0 to 1, rounded to six digits, for those of `entities` that show.

    `relations`: those that are asserted between entities."""
    import networkx as nx

    graph = entity_graph(reader, entities, relations, predicate, redirects or {})
    samples = None if len(graph) <= _SAMPLES else _SAMPLES
    scores: dict[str, float] = nx.betweenness_centrality(graph, k=samples, seed=0)
    return {node: round(scores[node], DIGITS) for node, kind in graph.nodes(data="kind") if kind == "entity"}


def entity_graph(
    reader: GraphReader, entities: Iterable[str], relations: Sequence[str], predicate: Predicate, redirects: Mapping[str, str]
) -> nx.Graph:
    """Return entities and the chunks that mention two of them or more, undirected; `kind` is `entity` or `chunk`. Nodes and edges
    come in an order that depends on ids alone, because samples are drawn by it."""
    import networkx as nx

    mentioned: dict[str, set[str]] = {}
    asserted: set[tuple[str, str]] = set()
    there: set[str] = set()
    for part in batches(sorted(set(entities)), _AT_ONCE):
        for edge in reader.neighbors(part, [MENTIONS], predicate, _CHUNKS, reverse=True):
            if edge.evidence != REGISTRY:
                entity = followed(edge.object, redirects)
                there.add(entity)
                mentioned.setdefault(edge.subject, set()).add(entity)
        for edge in reader.neighbors(part, relations, predicate, _CHUNKS):
            ends = followed(edge.subject, redirects), followed(edge.object, redirects)
            asserted.add((min(ends), max(ends)))
    made = nx.Graph()
    made.add_nodes_from(sorted(there), kind="entity")
    for chunk in sorted(mentioned):
        if len(mentioned[chunk]) > 1:
            made.add_node(chunk, kind="chunk")
            made.add_edges_from((chunk, entity) for entity in sorted(mentioned[chunk]))
    made.add_edges_from((one, other) for one, other in sorted(asserted) if one in there and other in there and one != other)
    return made
