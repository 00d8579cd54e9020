"""What operations answer: the same for every door, and the schemas that agents are given.

Every answer has `results` and `failed_kbs`: the knowledge bases that could not answer, in words that tell nothing of what is in
them. What a caller may not see is in no answer, in no count, and in no message.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from indexes.serve.bases import FailedKb
from ingest.model.document import Provenance
from ingest.model.evidence import Conflict, Evidence, Freshness


@dataclass(frozen=True, slots=True)
class Base:
    """A knowledge base that this caller was given. `published` and `confirmed`: when the generation was made, and when it was
    last found to be true to its sources."""

    kb_id: str
    title: str
    generation: int
    snapshot: str
    published: str
    confirmed: str


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of the session's budget; null: any number."""

    calls: int | None
    evidence_tokens: int | None
    opened: int | None


@dataclass(frozen=True, slots=True)
class KnowledgeBases:
    results: tuple[Base, ...]
    failed_kbs: tuple[FailedKb, ...]
    budget: Left


@dataclass(frozen=True, slots=True)
class Result(Evidence):
    """A piece of evidence of a pack. `given_before`: this session was given the text already; `context_given_before`: it was
    given the context already, if only with an earlier result of this answer, which is therefore empty here. `rank_score` orders
    results of several bases: 1 is the best, 0 the last found."""

    kb_id: str = ""
    given_before: bool = False
    context_given_before: bool = False
    rank_score: float = 0.0


@dataclass(frozen=True, slots=True)
class FoundConflict(Conflict):
    kb_id: str = ""


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question to whoever asked, instead of a guess: `asked` has its reason, what of the query it is about, the question and
    the candidates."""

    kb_id: str
    asked: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AnsweredBy:
    """How one knowledge base answered. `status`: ok, or insufficient_evidence. `confidence`: the calibrated chance that its
    evidence answers the query. `trace` only where it was asked for."""

    kb_id: str
    generation: int
    snapshot: str
    as_of: str
    status: str
    confidence: float | None
    freshness: Freshness
    trace: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    """Evidence. `status`: ok; insufficient_evidence: nothing here answers the query, say so instead of guessing; failed: no
    knowledge base could answer. `pack` names it when its citations are looked up. `advice`: what to do next; it stands before the
    results, which are long."""

    status: str
    pack: str
    query: str
    advice: str
    clarifications: tuple[Clarification, ...]
    conflicts: tuple[FoundConflict, ...]
    results: tuple[Result, ...]
    failed_kbs: tuple[FailedKb, ...]
    answered_by: tuple[AnsweredBy, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document that shows. `uri`: root name and path."""

    kb_id: str
    generation: int
    source_id: str
    uri: str
    title: str
    family: str | None
    version: str | None
    status: str
    valid_from: str | None
    valid_until: str | None
    media_type: str | None
    scope: str | None


@dataclass(frozen=True, slots=True)
class Documents:
    """`more`: there are others than the limit let through; narrow the search, or raise it."""

    results: tuple[Document, ...]
    failed_kbs: tuple[FailedKb, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A passage (`chunk`) or section (`parent`) of a document. `text` is empty where `given_before`: this session has it already
    (again=true repeats it). `checksum`: sha256 of the text. `asked`: this is what was asked for, not a neighbour of it. `flags`:
    what a reader must be warned of in the text (instruction_like, hidden_text ...)."""

    kind: str
    id: str
    parent_id: str
    heading_path: tuple[str, ...]
    text: str
    checksum: str
    tokens: int
    asked: bool
    given_before: bool
    provenance: Provenance
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenedPart:
    """What was opened of a document, in reading order. `pages` in all; `before` and `after`: whether there is more of the
    document on either side of what is shown."""

    document: Document
    part: str
    parts: tuple[Part, ...]
    page: int
    pages: int
    before: bool
    after: bool
    tokens: int


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """One result, or none where a knowledge base failed."""

    results: tuple[OpenedPart, ...]
    failed_kbs: tuple[FailedKb, ...]


@dataclass(frozen=True, slots=True)
class Identified:
    scheme: str
    value: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a name may mean. `matched`: its name or identifier that comes into question; `how`: identifier, name,
    spelling (equal but for spelling) or like (only similar: never take it for the same without asking); `why` in words."""

    kb_id: str
    entity_id: str
    type: str
    label: str
    matched: str
    how: str
    score: float
    why: tuple[str, ...]
    names: tuple[str, ...]
    identifiers: tuple[Identified, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """`outcome`: one (a single entity has this name or identifier), several (ask which is meant), like (only similar names; ask),
    none."""

    outcome: str
    results: tuple[Candidate, ...]
    failed_kbs: tuple[FailedKb, ...]
    advice: str


@dataclass(frozen=True, slots=True)
class NameOf:
    text: str
    kind: str
    language: str | None
    valid_from: str | None
    valid_until: str | None


@dataclass(frozen=True, slots=True)
class Said:
    """An assertion. `label`: what the object is called, where it is an entity. `evidence`: the uri of the document that it rests
    on, empty for the reviewed registry itself. `contradicts`: ids of others here."""

    assertion_id: str
    subject: str
    relation: str
    object: str | None
    label: str | None
    value: str | None
    evidence: str
    valid_from: str | None
    valid_until: str | None
    confidence: float
    superseded_by: str | None
    contradicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityTold:
    """What shows of an entity. `merged`: ids that mean the same now. `said`: of it; `referred_to_by`: of others, about it."""

    kb_id: str
    generation: int
    entity_id: str
    type: str
    label: str
    status: str
    names: tuple[NameOf, ...]
    identifiers: tuple[Identified, ...]
    merged: tuple[str, ...]
    mentioned_in: tuple[str, ...]
    said: tuple[Said, ...]
    referred_to_by: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Entities:
    results: tuple[EntityTold, ...]
    failed_kbs: tuple[FailedKb, ...]


@dataclass(frozen=True, slots=True)
class Quoted:
    """A chunk as the knowledge base says it now. `as_cited`: its text is still what the citation, or the checksum, is of; null:
    nothing to compare it with. `generation`: read from; `cited_generation`: cited from."""

    kb_id: str
    generation: int
    cited_generation: int | None
    chunk_id: str
    parent_id: str
    document: Document
    heading_path: tuple[str, ...]
    text: str
    checksum: str
    as_cited: bool | None
    provenance: Provenance
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    results: tuple[Quoted, ...]
    failed_kbs: tuple[FailedKb, ...]


@dataclass(frozen=True, slots=True)
class CitationChecked:
    """A citation of an answer, and how often it stands there. `problems`: unknown (the pack has no such citation), gone (what it
    stood for is not there any more, or not for you), changed (it says something else now), unreachable (its knowledge base could
    not answer)."""

    citation: str
    times: int
    kb_id: str
    chunk_id: str | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuotationChecked:
    """A quotation, the citations of its sentence, and those whose passages hold it. `problem`: nowhere (no passage of the pack
    says so), elsewhere (another passage than those cited does)."""

    text: str
    citations: tuple[str, ...]
    found_in: tuple[str, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class CitationsChecked:
    """`valid`: no citation and no quotation has a problem. `sentences` counts those that state something, `uncited` lists those
    of them without a citation."""

    valid: bool
    results: tuple[CitationChecked, ...]
    failed_kbs: tuple[FailedKb, ...]
    quoted: tuple[QuotationChecked, ...]
    sentences: int
    uncited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A step from `id` along `relation` (against it where `reverse`) to `reached`, of which `label` is the name or title.
    `evidence`: the id of the chunk or source that says so, or `urn:kb:registry` for reviewed material."""

    kb_id: str
    id: str
    relation: str
    reverse: bool
    reached: str
    label: str
    kind: str
    evidence: str
    valid_from: str | None
    valid_until: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Neighbors:
    results: tuple[Neighbor, ...]
    failed_kbs: tuple[FailedKb, ...]


@dataclass(frozen=True, slots=True)
class Conflicts:
    results: tuple[FoundConflict, ...]
    failed_kbs: tuple[FailedKb, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class ReviewSide:
    """One side of a question; `id` is empty for a text or value."""

    id: str
    label: str
    names: tuple[str, ...]
    identifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReviewExcerpt:
    chunk_id: str
    uri: str
    text: str


@dataclass(frozen=True, slots=True)
class ReviewQuestion:
    """What waits for a decision: does `relation` hold of left and right? `kind`: same, name or assertion."""

    kb_id: str
    question: str
    kind: str
    type: str
    left: ReviewSide
    relation: str
    right: ReviewSide
    score: float
    why: str
    reasons: tuple[str, ...]
    evidence: tuple[ReviewExcerpt, ...]


@dataclass(frozen=True, slots=True)
class ReviewQuestions:
    results: tuple[ReviewQuestion, ...]
    failed_kbs: tuple[FailedKb, ...]


@dataclass(frozen=True, slots=True)
class ReviewAnswered:
    """`judgement_id`: the entry of the registry's log."""

    kb_id: str
    question: str
    answer: str
    judgement_id: str


@dataclass(frozen=True, slots=True)
class ReviewAnswers:
    results: tuple[ReviewAnswered, ...]
    failed_kbs: tuple[FailedKb, ...]
