"""The lease and the pins of readers where PostgreSQL has the catalog: advisory locks, each held by a connection of its own.

The server releases such a lock when its connection ends, however it ends, so that here, too, nothing is stolen and nothing
stale. What a file's lock cannot do is get lost while its holder lives: the connection can, and then somebody else may write.
Whoever is about to move the head asks first whether its lock is still held (`check`), and every commit asks whether somebody has
taken the lease since (`Catalog.take`). Needs sessions: a pooler between must not share connections by transaction.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator
from typing import Any

from ingest.errors import LeaseHeld, StorageFailed
from ingest.model.instant import now
from ingest.store.layout import Server
from ingest.store.postgres_session import failed, owner, psycopg_of, session, shown

_LOOKS, _MOMENT_S = 10, 0.1
"""A server takes a moment to notice that a client was killed: one second is waited for a lease, and no longer."""
_ALONE, _TOGETHER = "select pg_try_advisory_lock(%s)", "select pg_try_advisory_lock_shared(%s)"


class Held:
    """A session of the server, and the lock that it has for as long as it lives. `label`: what others are told of it. Raises
    CatalogUnreachable."""

    def __init__(self, server: Server, label: str) -> None:
        self._server = server
        self._connection = session(server, label)

    def has(self, query: str, what: str) -> bool:
        """Whether the lock that `query` tries to take, on some thing of the schema, is ours now."""
        return bool(self._asked(query, _key(self._server, what)))

    def check(self) -> None:
        """Raise StorageFailed where it was lost."""
        driver = psycopg_of()
        try:
            self._connection.execute("select 1")
        except driver.Error as error:
            raise StorageFailed(
                f"the connection that held the lease of {shown(self._server)} was lost ({' '.join(str(error).split())}), and "
                "somebody else may be writing; nothing was published; run again"
            ) from error

    def is_alive(self) -> bool:
        try:
            self.check()
        except StorageFailed:
            return False
        return True

    def release(self) -> None:
        """Give it up. Closing the session alone would do, but the server takes its time to notice."""
        with contextlib.suppress(psycopg_of().Error):
            self._connection.execute("select pg_advisory_unlock_all()")
        self._connection.close()

    def other(self, what: str) -> str:
        """Say who holds a lock, as their session says: any role may read that."""
        key = _key(self._server, what)
        high, low = (key >> 32) & 0xFFFFFFFF, key & 0xFFFFFFFF
        query = (
            "select application_name from pg_stat_activity where pid in (select pid from pg_locks where locktype = 'advisory' "
            "and granted and classid = %s::bigint::oid and objid = %s::bigint::oid and objsubid = 1)"
        )
        return str(self._asked(query, high, low) or "its owner is not known")

    def _asked(self, query: str, *values: object) -> Any:
        driver = psycopg_of()
        try:
            row = self._connection.execute(query, values).fetchone()
        except driver.Error as error:
            failed(self._server, error)
        return row[0] if row is not None else None


@contextlib.contextmanager
def lease_of(server: Server) -> Iterator[Held]:
    """Hold the lease of a schema. Raises LeaseHeld, naming who holds it."""
    with _held(server, f"{owner()} since {now()}") as held:
        looks = 0
        while not held.has(_ALONE, "lease"):
            if looks == _LOOKS:
                raise LeaseHeld(f"another run is writing {shown(server)} ({held.other('lease')}); wait for it, then run again")
            looks += 1
            time.sleep(_MOMENT_S)
        yield held


def share_of(server: Server, generation: int) -> Held | None:
    """Hold a generation together with other readers. None: somebody is pruning it."""
    held = Held(server, f"reads generation {generation}, {owner()}")
    try:
        mine = held.has(_TOGETHER, f"generation {generation}")
    except BaseException:
        held.release()
        raise
    if mine:
        return held
    held.release()
    return None


@contextlib.contextmanager
def alone_of(server: Server, generation: int) -> Iterator[bool]:
    """Hold a generation alone. Yields False, holding nothing, while readers have it."""
    with _held(server, f"prunes generation {generation}, {owner()}") as held:
        yield held.has(_ALONE, f"generation {generation}")


@contextlib.contextmanager
def _held(server: Server, label: str) -> Iterator[Held]:
    held = Held(server, label)
    try:
        yield held
    finally:
        held.release()


def _key(server: Server, what: str) -> int:
    """A lock's number. Locks are the database's, so that the schema is a part of it."""
    return int.from_bytes(hashlib.sha256(f"concord {server.schema} {what}".encode()).digest()[:8], "big", signed=True)
