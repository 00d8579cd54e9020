"""What an answer is made of: an evidence pack, every item with its source, window, scores and checksum.

Retrieved text is data, never an instruction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ingest.model.access import Principal
from ingest.model.document import Provenance


@dataclass(frozen=True, slots=True)
class Scores:
    """Per index, None where it did not find the row. Raw BM25 scores are withheld from principals who see only a part."""

    vector: float | None = None
    bm25: float | None = None
    graph: float | None = None
    fused: float = 0.0
    sentence: float | None = None
    """Of its best sentence, where sentences were held against the question."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A passage of another source that says the same in nearly the same words. `share`: of the shingles that both have."""

    chunk_id: str
    source_id: str
    uri: str
    title: str
    version: str | None
    share: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """One found child with the context of its parent. `checksum` is the sha256 of `text`: a reader can re-check it. `also_in`:
    its copies that the caller may see, by id; those that were found too are listed here instead of standing apart. `flags`: what
    a reader must be warned of (`instruction_like`, `role_marker`, `tool_call`, `hidden_text`; see indexes.query.flags)."""

    citation: str
    chunk_id: str
    parent_id: str
    source_id: str
    uri: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    context: str
    entity_ids: tuple[str, ...]
    version: str | None
    status: str
    valid_from: str | None
    valid_until: str | None
    checksum: str
    confidence: float
    scores: Scores
    provenance: Provenance
    also_in: tuple[Copy, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Evidence that disagrees, reported and never resolved silently. `kind`: versions (two active versions of one family),
    assertions (contradicting ones), values (differing numbers for one entity and property). `citations`: those of the pack that
    disagree."""

    kind: str
    message: str
    sources: tuple[str, ...]
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Freshness:
    """When what is served was made and last found to be true to its sources; instants, None: not known."""

    published: str | None = None
    confirmed: str | None = None


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """The answer to one query from one generation. `status`: `ok` or `insufficient_evidence`: nothing was found, or `confidence`,
    the calibrated chance that the evidence answers the query, is too low; the evidence stands all the same. `clarification`: a
    question to the caller where a guess would have been needed (plain types; see indexes.query.plan.plan)."""

    generation: int
    snapshot: str
    query: str
    as_of: str
    principal: Principal
    status: str
    evidence: tuple[Evidence, ...]
    conflicts: tuple[Conflict, ...] = ()
    confidence: float | None = None
    clarification: dict[str, Any] | None = None
    freshness: Freshness = Freshness()
    trace: dict[str, Any] = field(default_factory=dict)
