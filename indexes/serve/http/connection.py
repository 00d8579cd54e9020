"""Connections that are given up when no request comes: whoever opens many and says little must not keep others out."""

from __future__ import annotations

import asyncio
from typing import Any


def impatient(seconds: float) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol of a connection, which closes itself when the head of a request has not come whole within
    `seconds` of the connection or, on a kept one, of its first byte. uvicorn alone waits for it for ever."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._patience: asyncio.TimerHandle | None = self.loop.call_later(seconds, transport.close)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            waiting = self.cycle is None or self.cycle.response_complete
            if not waiting:
                self._lose_patience_no_more()
            elif self._patience is None:
                self._patience = self.loop.call_later(seconds, self.transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            self._lose_patience_no_more()
            super().connection_lost(exc)

        def _lose_patience_no_more(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

    return Impatient
