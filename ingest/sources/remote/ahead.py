"""Downloads that run ahead of the work: several at once, within a budget of bytes.

In: the scanned sources in the order in which they will be read. Out: the same, each while the next ones are on their way. The
decision worth knowing: what is held is never more than the budget. A download that turns out larger than it was listed is
given up, and read at its turn, where only the limit of a single document counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from ingest.errors import DocumentTooLarge
from ingest.protocols import Fetched
from ingest.settings import SourcesPart
from ingest.sources.found import Elsewhere, Scanned
from ingest.sources.remote.place import Place
from ingest.sources.remote.reading import document_elsewhere

_UNTOLD_BYTES = 2**20
"""Reserved for something whose size is not listed."""


def ahead(suspects: Iterable[Scanned], settings: SourcesPart) -> Iterator[Scanned]:
    """Yield `suspects` in order; those that lie elsewhere are downloaded before they are asked for, and `fetched` finds them."""
    downloads = _Downloads(settings)
    try:
        coming = iter(suspects)
        following = next(coming, None)
        while True:
            while following is not None and downloads.begin(following):
                following = next(coming, None)
            if not downloads.window:
                return
            yield downloads.window[0][0]
            downloads.done()
    finally:
        downloads.stop()


def fetched(scanned: Scanned, at: Elsewhere, most: int) -> Fetched:
    """Return the bytes of a document, downloaded ahead or now. Raises DocumentError, RootUnavailable."""
    running: Future[Fetched] | None = at.place.ahead.pop(scanned.source.id, None)
    if running is None:
        return document_elsewhere(scanned, at, most)
    try:
        return running.result()
    except DocumentTooLarge:
        return document_elsewhere(scanned, at, most)  # larger than what was reserved for it, not than what is allowed


class _Downloads:
    """What was begun and not yet asked for: `window` holds each with the bytes that are reserved for it."""

    def __init__(self, settings: SourcesPart) -> None:
        self.window: deque[tuple[Scanned, int]] = deque()
        self._settings = settings
        self._pools: dict[Place, ThreadPoolExecutor] = {}
        self._reserved = 0

    def begin(self, scanned: Scanned) -> bool:
        """Take one more into the window; False where it must wait until another one is done."""
        at = scanned.elsewhere
        if at is None:
            if self.window:
                return False
            self.window.append((scanned, 0))
            return True
        wanted = _UNTOLD_BYTES if at.listed.size is None else at.listed.size
        if wanted > min(self._settings.max_bytes, self._settings.ahead_bytes):
            wanted = 0  # at its turn: too large to hold beside others, or at all
        elif self._reserved + wanted > self._settings.ahead_bytes:
            return False
        if len(self.window) >= at.place.part.at_once:
            return False
        if wanted or at.listed.size == 0:
            at.place.ahead[scanned.source.id] = self._pool(at.place).submit(document_elsewhere, scanned, at, wanted)
        self._reserved += wanted
        self.window.append((scanned, wanted))
        return True

    def done(self) -> None:
        scanned, reserved = self.window.popleft()
        self._reserved -= reserved
        if scanned.elsewhere is not None:
            scanned.elsewhere.place.ahead.pop(scanned.source.id, None)

    def stop(self) -> None:
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        while self.window:
            self.done()

    def _pool(self, place: Place) -> ThreadPoolExecutor:
        if place not in self._pools:
            self._pools[place] = ThreadPoolExecutor(place.part.at_once, thread_name_prefix="download")
        return self._pools[place]
