"""What a file of reviewed material says, piece by piece, before anybody has looked whether it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

EntryKind = Literal["entity", "mentioned", "assertion", "redirect", "exclusive"]
ENTITY: EntryKind = "entity"
MENTIONED: EntryKind = "mentioned"
"""An entity described in passing, where another refers to it: it counts where nobody describes it fully."""
ASSERTION: EntryKind = "assertion"
REDIRECTED: EntryKind = "redirect"
EXCLUSIVE: EntryKind = "exclusive"


@dataclass(frozen=True, slots=True)
class SeedEntry:
    """One entry. `data` has the keys of a YAML seed; `place` is how a person finds it: file, and line, row or node.

    `subject` and `object`: the entities that an assertion is about where they have no id of their own, as entries."""

    place: str
    kind: EntryKind
    data: dict[str, Any]
    subject: dict[str, Any] | None = None
    object: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SeedProblem:
    """What is wrong at a place and what to do about it. One that is not `fatal` is told and taken as it is."""

    place: str
    message: str
    remedy: str
    fatal: bool = True
