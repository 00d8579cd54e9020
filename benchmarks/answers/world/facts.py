"""What the made documents are, and what they are known to tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Paper:
    """A document as Markdown with front matter. `path` is below the folder of the world."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that one document tells. `needs`: all of it stands in the passage that tells it. `subject` numbers what the
    document is about, among those of its kind. `wordings` ask for it; `{name}` or `{product}` is left for a name of the subject,
    other slots are filled from `values`."""

    kind: str
    slot: str
    language: str
    subject: int
    source: str
    needs: tuple[str, ...]
    wordings: tuple[str, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    version: str | None = None

    def asked(self, turn: int, **names: str) -> str:
        """One of the wordings, with the names filled in."""
        return self.wordings[turn % len(self.wordings)].format(**{**self.values, **names})
