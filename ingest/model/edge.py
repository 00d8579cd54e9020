"""Edges of the graph: structure, links, mentions and asserted relations, each with its evidence and its window.

Nodes are identified by URN (source, parent, chunk, entity). `evidence` is a chunk id, a source id or `REGISTRY`; an edge is
seen by those who may see its evidence (see `ingest.protocols.GraphReader`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ingest.model.canonical import digest_of

HAS_PARENT = "has_parent"
"""source -> parent chunk. Made from rows by the graph index, like the next two."""
HAS_CHILD = "has_child"
"""parent chunk -> child chunk."""
MENTIONS = "mentions"
"""child chunk -> entity."""
LINKS_TO = "links_to"
"""source -> source, as written in the document."""
NEAR_DUPLICATE = "near_duplicate"
"""chunk -> chunk of another source that says the same in nearly the same words; the smaller id is the subject. Shows only where
both ends do. Confidence: the share of their shingles that they have in common."""
PASSAGES = "urn:kb:passages"
"""Source of `near_duplicate` edges: each rests on two sources, and goes when either of its chunks does."""
REGISTRY = "urn:kb:registry"
"""Evidence and source of edges that reviewed seeds assert."""


@dataclass(frozen=True, slots=True)
class Edge:
    """`source_id` names the source whose removal removes the edge, or `REGISTRY`, or `PASSAGES`."""

    subject: str
    relation: str
    object: str
    source_id: str
    evidence: str
    valid_from: str | None = None
    valid_until: str | None = None
    confidence: float = 1.0

    @property
    def edge_id(self) -> str:
        """32 hex digits over all fields: change one and it is another edge."""
        return digest_of(self)
