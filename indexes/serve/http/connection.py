"""Connections that are given up when no request comes: whoever opens many and says nothing must not keep others out."""

from __future__ import annotations

import asyncio
from typing import Any


def impatient(seconds: float) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol of a connection, which closes itself when the head of a request (the first, or the next on a kept
    connection) has not come whole within `seconds`. uvicorn alone waits for ever once a byte of it was sent, or none ever."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._idle_since = self.loop.time()
            self._look = self.loop.call_later(seconds, self._give_up)

        def connection_lost(self, exc: Exception | None) -> None:
            self._look.cancel()
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            self._idle_since = self.loop.time()
            super().on_response_complete()

        def _give_up(self) -> None:
            answering = self.cycle is not None and not self.cycle.response_complete
            left = seconds if answering else self._idle_since + seconds - self.loop.time()
            if left <= 0:
                self.transport.close()
            else:
                self._look = self.loop.call_later(left, self._give_up)

    return Impatient
