"""How each knowledge base of a server stands: can it be read, which generation is its head, and since when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from indexes.serve.bases import Bases, reason
from ingest.errors import ConcordError
from ingest.model.instant import now


@dataclass(frozen=True, slots=True)
class Standing:
    """`open`: held open by the server. `error`: why it cannot be read, in words that tell nothing of this machine."""

    kb_id: str
    open: bool
    generation: int = 0
    published_at: str = ""
    confirmed_at: str = ""
    error: str = ""

    @property
    def lag(self) -> float | None:
        """Seconds since the head was published."""
        return _since(self.published_at)

    @property
    def unconfirmed(self) -> float | None:
        """Seconds since a run last found the head true to its sources."""
        return _since(self.confirmed_at)

    def told(self) -> dict[str, Any]:
        """As JSON."""
        if self.error:
            return {"kb_id": self.kb_id, "open": self.open, "error": self.error}
        return {
            "kb_id": self.kb_id, "open": self.open, "generation": self.generation, "published_at": self.published_at,
            "confirmed_at": self.confirmed_at, "lag_seconds": self.lag, "unconfirmed_seconds": self.unconfirmed,
        }


def standing_of(bases: Bases) -> list[Standing]:
    """Return how every base stands. Bases that the server may hold open are opened; of others only the catalog is looked at."""
    return [_standing(bases, kb_id) for kb_id in bases.kb_ids]


def _standing(bases: Bases, kb_id: str) -> Standing:
    try:
        opened, head = bases.head(kb_id)
    except ConcordError as error:
        return Standing(kb_id, False, error=reason(error))
    return Standing(kb_id, opened, head.generation, head.published_at, head.confirmed_at)


def _since(instant: str) -> float | None:
    try:
        return (datetime.fromisoformat(now()) - datetime.fromisoformat(instant)).total_seconds()
    except (ValueError, TypeError):
        return None
