"""What may be different between two generations, as it is told. Every one is complete: an operator's JSON prints it as it is.

A field that differs is told with its value on either side: `{name: (before, after)}`, as JSON types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Fields = dict[str, tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class ChunkChange:
    """A chunk that is in one generation only, or in both with other metadata (`rewritten`, in `fields`; its text is the same).

    `was_id` is its id before where its document was renamed. `excerpt` is a few words of its text, from where it begins to
    differ where another one stood under the same heading."""

    what: Literal["added", "removed", "rewritten"]
    id: str
    heading_path: tuple[str, ...]
    excerpt: str
    fields: tuple[str, ...] = ()
    was_id: str = ""


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A document that is not as it was: by its own record (`fields`) or by its chunks.

    `rewritten`: neither its file nor what it declares changed, but its rows did (its window, because another version came or
    went; its entities, because the registry changed; the code that made it). `renamed`: the same bytes at another path; chunks
    whose text is the same there are counted in `moved` and not listed."""

    what: Literal["added", "removed", "changed", "renamed", "rewritten"]
    uri: str
    id: str
    was_uri: str = ""
    was_id: str = ""
    fields: Fields = field(default_factory=dict)
    chunks: tuple[ChunkChange, ...] = ()
    moved: int = 0


@dataclass(frozen=True, slots=True)
class EntityChange:
    """`fields` of one that changed: its type, names, identifiers, status. `label` is its name after, or before if it is gone."""

    what: Literal["added", "removed", "changed"]
    id: str
    type: str
    label: str
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AssertionChange:
    """subject - relation - object (or value). `changed`: evidence, window or confidence are others, and so is the id."""

    what: Literal["added", "removed", "changed"]
    id: str
    subject: str
    relation: str
    object: str
    was_id: str = ""
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShapeChange:
    """What besides documents shaped the two: settings by stage and name, fingerprints by stage, engines, scoring, and whether the
    registry's seeds are others. A setting that a manifest does not tell by name is told by its stage."""

    settings: dict[str, Fields]
    fingerprints: Fields
    engines: Fields
    scoring: Fields
    registry: bool

    def __bool__(self) -> bool:
        return bool(self.settings or self.fingerprints or self.engines or self.scoring or self.registry)
