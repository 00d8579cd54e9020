"""Who and what documents speak of: entities, the spans that name them, what reviewed material asserts, and what people decided.

Three things are kept apart. The *registry* is what seeds say. *Judgements* are what reviewers said since, append-only, in a log
beside the seeds. *Redirects* follow from both: which ids mean the same; they belong to a generation and are applied when it is
read, so that a merge, or taking one back, rewrites nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ingest.model.canonical import digest_of

ENTITY_TYPES = (
    "organization", "person", "product", "system", "capability", "interface", "standard", "place", "document", "other"
)


@dataclass(frozen=True, slots=True)
class Name:
    """A way to refer to an entity. `kind`: preferred, legal, alternate, former, abbreviation."""

    text: str
    kind: str = "alternate"
    language: str | None = None
    source: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None


@dataclass(frozen=True, slots=True)
class Identifier:
    """A scheme (`uscc`, `lei`, `domain` ...) and its normalised value."""

    scheme: str
    value: str


@dataclass(frozen=True, slots=True)
class Entity:
    """Minted only by a seed, a valid identifier or an accepted review. The id never changes; names only display and search."""

    entity_id: str
    type: str
    names: tuple[Name, ...]
    identifiers: tuple[Identifier, ...] = ()
    status: str = "active"

    @property
    def label(self) -> str:
        """The preferred name, else the first."""
        preferred = (name.text for name in self.names if name.kind == "preferred")
        return next(preferred, self.names[0].text if self.names else self.entity_id)


def minted_id(type: str, scheme: str, value: str) -> str:
    """Return the id of an entity known by an identifier: hash(type, scheme, value)."""
    return f"urn:kb:entity:{digest_of([type, scheme, value])}"


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters `start` to `end` (exclusive) of a chunk's text name an entity. `method`: gazetteer, identifier."""

    chunk_id: str
    start: int
    end: int
    text: str
    entity_id: str
    method: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class CandidateMention:
    """Characters `start` to `end` (exclusive) of a chunk's text that seem to name something of `type`: a proposal for resolution
    and review, never served and in no digest.

    `method`: `gazetteer` (the name of several entities), `identifier:SCHEME:VALUE` (nobody claims it, and it mints nothing),
    `pattern:RULE`, `model:NAME`, `homophone` or `confusable` (one letter from a name, as speech and scans bring).
    `entity_ids`: whom it may mean, sorted; empty where only its form tells. `confidence`: 0 to 1, comparable within a method."""

    chunk_id: str
    start: int
    end: int
    text: str
    type: str
    method: str
    confidence: float
    entity_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assertion:
    """subject - relation -> object (an entity id) or value (a literal), with its window and its evidence."""

    subject: str
    relation: str
    object: str | None
    value: str | None
    evidence: str
    valid_from: str | None = None
    valid_until: str | None = None
    confidence: float = 1.0

    @property
    def assertion_id(self) -> str:
        return f"urn:kb:assertion:{digest_of(self)}"


JudgementKind = Literal["merge", "split", "accept", "reject", "pin", "revoke"]
JUDGEMENT_KINDS: tuple[JudgementKind, ...] = ("merge", "split", "accept", "reject", "pin", "revoke")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one person decided, once: an entry of an append-only log. Nothing is ever taken out; a later entry says otherwise.

    `merge`: the two `entities` are one. `split`: they are two, whatever names say (an identifier that both have still counts).
    `reject` with two entities says the same of a pair that was only proposed. `pin`: never merge them, not even by identifier.
    `accept`: `text`, where it means something of type `type`, names `entities[0]`, which has it as an alias from then on.
    `reject` with a text: it does not. `revoke`: the entry `undoes` counts no more (which may itself be a revocation).

    Of several entries about one pair, or one text and entity, the last by (`at`, id) holds; a pin holds until it is revoked.
    `evidence`: ids of chunks or sources that the actor had seen.
    """

    kind: JudgementKind
    actor: str
    at: str
    reason: str
    entities: tuple[str, ...] = ()
    text: str | None = None
    type: str | None = None
    evidence: tuple[str, ...] = ()
    undoes: str | None = None

    @property
    def judgement_id(self) -> str:
        """Made of all fields: the same entry written twice is one entry."""
        return f"urn:kb:judgement:{digest_of(self)}"


@dataclass(frozen=True, slots=True)
class Redirect:
    """`entity_id` means `into`: both ids stay known, rows keep the one that they were written with, and readers follow this.

    `into` is the end of the way, never itself redirected. `reasons`: the accepted edges that join the two, in words."""

    entity_id: str
    into: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entity that a text, or another entity, might be. `score` from 0 to 1 orders proposals of one question and decides
    nothing; `reasons` tell what speaks for and against it, in words and numbers. `alike`: which of its names is compared."""

    entity_id: str
    label: str
    alike: str
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that waits for a person: whom does `text` name, or (with `entity_id`) which other entity is the same as it?

    `proposals`: best first. `why`: why nobody but a person may answer. `evidence`: ids of the chunks that say so; who may see
    none of them is not asked. Equal questions have equal ids, whenever and in whatever order they were found."""

    type: str
    text: str
    entity_id: str | None
    proposals: tuple[Proposal, ...]
    why: str
    evidence: tuple[str, ...] = ()

    @property
    def candidate_id(self) -> str:
        return f"urn:kb:candidate:{digest_of([self.type, self.text, self.entity_id])}"


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything reviewed: an input of a build, with a digest of its own. Ordered by id, so equal content is equal.

    The entities are those of the seeds with the aliases that judgements accepted and without those that they rejected."""

    entities: tuple[Entity, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    exclusive: tuple[str, ...] = ()
    """Relations under which a subject has at most one object or value at a time. They say what contradicts what, shape nothing
    that is published, and are in no digest."""
    redirects: tuple[Redirect, ...] = ()

    def digest(self) -> str:
        """Of what is published of the registry. An undone merge leaves no trace in it; the log has a digest of its own."""
        said: dict[str, object] = {"entities": self.entities, "assertions": self.assertions}
        if self.redirects:
            said["redirects"] = self.redirected()
        return digest_of(said)

    def redirected(self) -> dict[str, str]:
        """The redirects as a manifest records them: id -> the id that it means."""
        return {redirect.entity_id: redirect.into for redirect in self.redirects}


def followed(entity_id: str, redirects: Mapping[str, str]) -> str:
    """Return the id that `entity_id` means."""
    return redirects.get(entity_id, entity_id)
