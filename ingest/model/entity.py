"""Who and what documents speak of: entities, the spans that name them, and what reviewed material asserts."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything reviewed: an input of a build, with a digest of its own. Ordered by id, so equal content is equal."""

    entities: tuple[Entity, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    exclusive: tuple[str, ...] = ()
    """Relations under which a subject has at most one object or value at a time. They say what contradicts what, shape nothing
    that is published, and are in no digest."""

    def digest(self) -> str:
        return digest_of({"entities": self.entities, "assertions": self.assertions})
