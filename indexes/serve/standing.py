"""How each knowledge base of a server stands: can it be read, which generation is its head, and since when."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from indexes.serve.bases import Bases, reason
from ingest.errors import ConcordError
from ingest.model.instant import seconds_since

_KEPT_SECONDS = 1.0


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
        return seconds_since(self.published_at)

    @property
    def unconfirmed(self) -> float | None:
        """Seconds since a run last found the head true to its sources."""
        return seconds_since(self.confirmed_at)

    def told(self) -> dict[str, Any]:
        """As JSON."""
        if self.error:
            return {"kb_id": self.kb_id, "open": self.open, "error": self.error}
        return {
            "kb_id": self.kb_id, "open": self.open, "generation": self.generation, "published_at": self.published_at,
            "confirmed_at": self.confirmed_at, "lag_seconds": self.lag, "unconfirmed_seconds": self.unconfirmed,
        }


class Standings:
    """How every base stands, looked at once a second at most however many ask. Bases that the server may hold open are opened; of
    others only the catalog is looked at."""

    def __init__(self, bases: Bases) -> None:
        self._bases = bases
        self._lock = threading.Lock()
        self._last: list[Standing] = []
        self._until = float("-inf")

    def __call__(self) -> list[Standing]:
        with self._lock:
            if time.monotonic() >= self._until:
                self._last = [_standing(self._bases, kb_id) for kb_id in self._bases.kb_ids]
                self._until = time.monotonic() + _KEPT_SECONDS
            return self._last


def _standing(bases: Bases, kb_id: str) -> Standing:
    try:
        opened, head = bases.head(kb_id)
    except ConcordError as error:
        return Standing(kb_id, False, error=reason(error))
    return Standing(kb_id, opened, head.generation, head.published_at, head.confirmed_at)
