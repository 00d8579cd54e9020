"""One writer: an OS lock held for life, and the locks by which readers keep a generation from being pruned.

flock locks belong to the open file, so the kernel releases them when a process dies, however it dies: a lease is never
stolen and never stale. The owner file beside it is for the message only. Where a server has the catalog, it has the same locks
too (`ingest.store.postgres_locks`): they hold for every machine, the files for every process that shares the folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import LeaseHeld, StorageFailed, UsageError
from ingest.model.instant import now
from ingest.steps import reached
from ingest.store.layout import Layout

if TYPE_CHECKING:
    from ingest.store.postgres_locks import Held


@dataclass(frozen=True, slots=True)
class Lease:
    """The lease that a run holds."""

    of_server: Held | None = None

    def check(self) -> None:
        """Raise StorageFailed where it was lost: a server can go, a file's lock cannot."""
        if self.of_server is not None:
            self.of_server.check()


@contextlib.contextmanager
def lease(layout: Layout) -> Iterator[Lease]:
    """Hold the write lease of a knowledge base, creating its folder. Raises LeaseHeld at once when another run has it, and
    UsageError where the folder is somebody else's."""
    try:
        _refuse_foreign(layout)
        _make(layout.folder)
        descriptor = os.open(layout.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageFailed(
            f"cannot write to the knowledge base {layout.folder}: {error.strerror}; check --kb and permissions"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LeaseHeld(f"another run is writing {layout.folder} ({_owner(layout)}); wait for it, then run again") from None
        except OSError as error:
            raise StorageFailed(
                f"{layout.lock} cannot be locked ({error.strerror}); put the knowledge base on a file system with locks"
            ) from error
        if not _is_at(descriptor, layout.lock):
            raise LeaseHeld(f"{layout.folder} was removed at this moment by another run; run again")
        _write_owner(layout)
        with _of_server(layout) as of_server:
            reached("lease taken")
            yield Lease(of_server)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _of_server(layout: Layout) -> Iterator[Held | None]:
    """Hold the server's lease, too, where there is one."""
    if layout.server is None:
        yield None
        return
    from ingest.store.postgres_locks import lease_of

    with lease_of(layout.server) as held:
        yield held


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one at `path`: who holds the lock may remove a base that came to nothing, with its lock."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _make(folder: Path) -> None:
    """Make a folder and those above it, and make that durable: a power cut must not take a published knowledge base with it
    because the name of its folder was never written."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        above = os.open(made.parent, os.O_RDONLY)
        try:
            os.fsync(above)
        finally:
            os.close(above)


def _refuse_foreign(layout: Layout) -> None:
    """Recovery empties the folders below, so they must be ours: made after a catalog, never before."""
    begun = layout.catalog if layout.server is None else layout.mark
    for folder in (layout.staging, layout.builds, layout.generations):
        if folder.exists() and not begun.exists():
            raise UsageError(
                f"{layout.folder} is no knowledge base, but has a folder {folder.name!r}, which one would take for its own; "
                "name another folder with --kb, or move that one away"
            )


def _write_owner(layout: Layout) -> None:
    with contextlib.suppress(OSError):  # a message is not worth a failed run
        layout.lock_owner.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": now()}))


def _owner(layout: Layout) -> str:
    try:
        owner = json.loads(layout.lock_owner.read_text())
        return f"pid {owner['pid']} on {owner['host']} since {owner['since']}"
    except (OSError, ValueError, KeyError):
        return "its owner is not known yet"


def share(path: Path) -> int | None:
    """Take a shared lock on a generation's lock file. Returns the descriptor to close, or None when the generation is gone
    or being pruned. Raises StorageFailed where the file may not be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be opened: {error.strerror}; check the permissions of the knowledge base") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextlib.contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Hold a generation's lock exclusively while pruning it. Yields False, holding nothing, while readers have it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield True  # already half pruned: nobody can open it any more
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


@dataclass(slots=True)
class Shared:
    """A generation that is kept from being pruned until this is closed."""

    descriptor: int
    of_server: Held | None = None

    def is_held(self) -> bool:
        return self.of_server is None or self.of_server.is_alive()

    def close(self) -> None:
        os.close(self.descriptor)
        if self.of_server is not None:
            self.of_server.release()

    def __enter__(self) -> Shared:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def share_generation(layout: Layout, number: int) -> Shared | None:
    """Keep a generation from being pruned, by processes that share its folder and by those that share its server. Returns None
    when it is gone or being pruned. Raises as `share`, and CatalogUnreachable."""
    descriptor = share(layout.reader_lock(number))
    if descriptor is None or layout.server is None:
        return None if descriptor is None else Shared(descriptor)
    from ingest.store.postgres_locks import share_of

    try:
        of_server = share_of(layout.server, number)
    except BaseException:
        os.close(descriptor)
        raise
    if of_server is None:
        os.close(descriptor)
        return None
    return Shared(descriptor, of_server)


@contextlib.contextmanager
def generation_alone(layout: Layout, number: int) -> Iterator[bool]:
    """Hold a generation alone while pruning it. Yields False, holding nothing, while readers anywhere have it."""
    with alone(layout.reader_lock(number)) as mine:
        if not mine or layout.server is None:
            yield mine
            return
        from ingest.store.postgres_locks import alone_of

        with alone_of(layout.server, number) as mine_too:
            yield mine_too
