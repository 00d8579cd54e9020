"""Several knowledge bases in one server, each pinned to its head, re-pinned when a new one is published.

A request takes a base with `pinned`: it is answered from the head as it was when the request began, and stays there however
often somebody publishes meanwhile. The snapshot before is closed when the last request that reads it ends. Which bases there are
is configuration; a caller's grants and an argument can only narrow it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from typing_extensions import TypedDict

from indexes.generation.snapshot import Snapshot, pin
from indexes.serve.callers import Caller
from indexes.serve.turns import Turns
from ingest.errors import (
    ConcordError,
    EngineUnavailable,
    ExtraMissing,
    Inconsistent,
    KnowledgeBaseMissing,
    ModelUnavailable,
    NotFound,
    NotGranted,
    ServerBusy,
    ServiceRefused,
    SettingsInvalid,
    StorageFailed,
    UsageError,
)
from ingest.protocols import Embedder
from ingest.settings import Settings
from ingest.store.catalog import Published
from ingest.store.layout import layout_of
from ingest.store.opening import open_catalog
from ingest.telemetry import signals

T = TypeVar("T")


class FailedKb(TypedDict):
    """A knowledge base that could not answer, and why, in words that tell nothing of this machine."""

    kb_id: str
    error: str


@dataclass(frozen=True, slots=True)
class Served:
    """What configuration says of one knowledge base. `embedder` gives what encodes queries for one of its generations."""

    kb_id: str
    title: str
    settings: Settings
    embedder: Callable[[Snapshot], Embedder]


@dataclass(frozen=True, slots=True)
class Opened:
    """A knowledge base while one request reads it."""

    served: Served
    snapshot: Snapshot

    @property
    def kb_id(self) -> str:
        return self.served.kb_id

    @property
    def title(self) -> str:
        return self.served.title

    @property
    def settings(self) -> Settings:
        return self.served.settings

    @property
    def generation(self) -> int:
        return self.snapshot.generation

    @property
    def embedder(self) -> Embedder:
        """What encodes queries for this generation, loaded when first asked for. Raises EngineUnavailable, ModelUnavailable."""
        return self.served.embedder(self.snapshot)


@dataclass(slots=True)
class _Pinned:
    """One open generation, and how many requests read it."""

    snapshot: Snapshot
    readers: int = 0
    retired: bool = False

    def close(self) -> None:
        self.snapshot.close()
        self.snapshot.catalog.close()

    def close_if_done(self) -> None:
        if self.retired and not self.readers:
            self.close()


@dataclass(slots=True)
class _Slot:
    """One knowledge base and what is pinned of it. `lock` is held while that is looked at, and while a new head is opened; never
    while a request reads. `used`: the clock's last request."""

    served: Served
    lock: threading.Lock = field(default_factory=threading.Lock)
    current: _Pinned | None = None
    used: float = 0.0


class Bases:
    """The knowledge bases of a server. Threads may share one; close it when no request is being answered.

    `at_once`: requests that read at the same time; more wait for `patience` seconds, then ServerBusy is raised (a request reads
    one base at a time, so none waits for itself). `open_bases`: those held open, as far as no request reads them. Every `watch`
    seconds what is no longer the head is let go of, so that a base which nobody asks does not keep an old generation from being
    pruned."""

    def __init__(
        self, served: Sequence[Served], *, at_once: int = 8, patience: float = 10.0, open_bases: int = 16, watch: float = 5.0
    ) -> None:
        self._slots: Mapping[str, _Slot] = {each.kb_id: _Slot(each) for each in served}
        self._turns = Turns(at_once)
        self._patience, self._open_bases = patience, open_bases
        self._closed = threading.Event()
        threading.Thread(target=self._watch, args=(watch,), name="bases", daemon=True).start()

    @property
    def kb_ids(self) -> tuple[str, ...]:
        return tuple(self._slots)

    def title(self, kb_id: str) -> str:
        return self._slots[kb_id].served.title

    def granted(self, caller: Caller, kb_ids: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the bases that a call asks: all that the caller was given, or those of them that an argument names, in the order
        of configuration. Raises NotGranted, in the same words for a base that is another's and for one that does not exist."""
        given = tuple(kb_id for kb_id in self._slots if kb_id in caller.kb_ids)
        if kb_ids is None:
            return given
        for kb_id in kb_ids:
            if kb_id not in given:
                raise NotGranted(f"you have no knowledge base {kb_id!r}; leave kb_ids out, or name some of: {', '.join(given)}")
        return tuple(kb_id for kb_id in given if kb_id in kb_ids)

    @contextmanager
    def pinned(self, kb_id: str, caller: Caller | None = None) -> Iterator[Opened]:
        """Yield a knowledge base pinned to its head; where many wait, callers take turns. Raises what opening raises, and
        ServerBusy; what is raised inside is raised unchanged, and where it says that the base is damaged, the base is opened anew
        for the next request."""
        asked = time.perf_counter()
        given = self._turns.take(self._patience, caller.name if caller is not None else "")
        signals.record("concord.queue.duration", time.perf_counter() - asked)
        if not given:
            raise ServerBusy("as many questions are being answered as this server answers at once; ask again in a few seconds")
        try:
            slot = self._slots[kb_id]
            pinned = self._enter(slot)
            try:
                yield Opened(slot.served, pinned.snapshot)
            except (Inconsistent, StorageFailed):
                with slot.lock:
                    if slot.current is pinned:
                        _drop(slot)
                raise
            finally:
                with slot.lock:
                    pinned.readers -= 1
                    pinned.close_if_done()
        finally:
            self._turns.give_back()

    def each(
        self, caller: Caller, kb_ids: Sequence[str] | None, call: Callable[[Opened], T]
    ) -> tuple[list[tuple[str, T]], list[FailedKb]]:
        """Ask every base that is meant, one after the other: (results by base, the bases that could not answer and why).

        Raises NotGranted, and what `call` refuses (ServiceRefused, UsageError, NotFound): that is no failure of a base."""
        results: list[tuple[str, T]] = []
        failed: list[FailedKb] = []
        for kb_id in self.granted(caller, kb_ids):
            try:
                with self.pinned(kb_id, caller) as opened:
                    results.append((kb_id, call(opened)))
            except (SettingsInvalid, ExtraMissing) as error:  # of the server, not of what is asked
                failed.append({"kb_id": kb_id, "error": reason(error)})
            except (ServiceRefused, UsageError, NotFound):
                raise
            except ConcordError as error:
                failed.append({"kb_id": kb_id, "error": reason(error)})
        return results, failed

    def head(self, kb_id: str) -> tuple[bool, Published]:
        """Return whether a base is held open, and its head. It is opened when it is not, as long as all may be; else only its
        catalog is. Raises what opening raises."""
        slot = self._slots[kb_id]
        with slot.lock:
            if slot.current is not None and not _is_head(slot.current):
                _drop(slot)
            if slot.current is None and len(self._slots) <= self._open_bases:
                slot.current = _open(slot.served)
            if slot.current is not None:
                snapshot = slot.current.snapshot
                return True, snapshot.catalog.published(snapshot.generation)
        with open_catalog(layout_of(slot.served.settings)) as catalog:
            return False, catalog.published(catalog.head())

    @property
    def opened(self) -> int:
        """How many are held open."""
        return sum(slot.current is not None for slot in self._slots.values())

    @property
    def waiting(self) -> int:
        """How many requests wait for a turn."""
        return self._turns.waiting

    def close(self) -> None:
        self._closed.set()
        for slot in self._slots.values():
            with slot.lock:
                _drop(slot)

    def _enter(self, slot: _Slot) -> _Pinned:
        with slot.lock:
            if slot.current is not None and not _is_head(slot.current):
                _drop(slot)
            fresh = slot.current is None
            if slot.current is None:
                slot.current = _open(slot.served)
            slot.used = time.monotonic()
            pinned = slot.current
            pinned.readers += 1
        if fresh:
            self._close_the_longest_unused()
        return pinned

    def _close_the_longest_unused(self) -> None:
        """Keep to `open_bases`. A base that is read is closed by its last reader."""
        opened = sorted((slot for slot in self._slots.values() if slot.current is not None), key=lambda slot: slot.used)
        for slot in opened[: max(0, len(opened) - self._open_bases)]:
            with slot.lock:
                _drop(slot)

    def _watch(self, seconds: float) -> None:
        while not self._closed.wait(seconds):
            for slot in self._slots.values():
                with slot.lock:
                    if slot.current is not None and not _is_head(slot.current):
                        _drop(slot)


def _drop(slot: _Slot) -> None:
    """Give up what is pinned: its last reader closes it. Call with the slot's lock held."""
    pinned, slot.current = slot.current, None
    if pinned is not None:
        pinned.retired = True
        pinned.close_if_done()


def reason(error: ConcordError) -> str:
    """Return why a base could not answer, for whoever asks: no path, no name of a file, nothing of its content."""
    for kind, said in _REASONS:
        if isinstance(error, kind):
            return said
    return "it could not answer; ask those who run it to look at the server's log"


_REASONS: tuple[tuple[type[ConcordError], str], ...] = (
    (KnowledgeBaseMissing, "nothing is published there at the moment"),
    (Inconsistent, "it does not hold what was published; those who run it need to verify it"),
    (StorageFailed, "it cannot be read at the moment; try again later"),
    (EngineUnavailable, "its queries cannot be embedded on this server; keyword_search still works"),
    (ExtraMissing, "its queries cannot be embedded on this server; keyword_search still works"),
    (ModelUnavailable, "its queries cannot be embedded on this server; keyword_search still works"),
)


def _open(served: Served) -> _Pinned:
    layout = layout_of(served.settings)
    catalog = open_catalog(layout)
    try:
        return _Pinned(pin(layout, catalog, served.settings))
    except BaseException:
        catalog.close()
        raise


def _is_head(pinned: _Pinned) -> bool:
    """Whether what is pinned is still what is served: still pinned, the catalog not replaced, and its head not moved."""
    snapshot = pinned.snapshot
    try:
        return snapshot.is_pinned() and snapshot.catalog.is_current() and snapshot.catalog.head() == snapshot.generation
    except ConcordError:
        return False
