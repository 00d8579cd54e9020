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


@contextlib.contextmanager
def lease_of(server: Server) -> Iterator[Any]:
    """Hold the lease of a schema; yield the connection that has it. Raises LeaseHeld, naming who holds it."""
    key = _key(server, "lease")
    connection = session(server, f"{owner()} since {now()}")
    try:
        looks = 0
        while not _asked(server, connection, "select pg_try_advisory_lock(%s)", key):
            if looks == _LOOKS:
                holder = _holder(server, connection, key)
                raise LeaseHeld(f"another run is writing {shown(server)} ({holder}); wait for it, then run again")
            looks += 1
            time.sleep(_MOMENT_S)
        yield connection
    finally:
        release(connection)


def release(connection: Any) -> None:
    """Give up what a connection holds, and close it. Closing alone would do, but the server takes its time to notice."""
    with contextlib.suppress(psycopg_of().Error):
        connection.execute("select pg_advisory_unlock_all()")
    connection.close()


def check(server: Server, connection: Any) -> None:
    """Raise StorageFailed unless the connection still has its lock, which is as long as it lives."""
    driver = psycopg_of()
    try:
        connection.execute("select 1")
    except driver.Error as error:
        raise StorageFailed(
            f"the connection that held the lease of {shown(server)} was lost ({' '.join(str(error).split())}), and somebody else "
            "may be writing; nothing was published; run again"
        ) from error


def is_alive(connection: Any) -> bool:
    """Whether a connection lives, and with it the lock that it holds."""
    try:
        connection.execute("select 1")
    except psycopg_of().Error:
        return False
    return True


def share_of(server: Server, generation: int) -> Any | None:
    """Hold a generation together with other readers; return the connection that does. None: somebody is pruning it."""
    connection = session(server, f"reads generation {generation}, {owner()}")
    try:
        held = _asked(server, connection, "select pg_try_advisory_lock_shared(%s)", _key(server, f"generation {generation}"))
    except BaseException:
        connection.close()
        raise
    if held:
        return connection
    release(connection)
    return None


@contextlib.contextmanager
def alone_of(server: Server, generation: int) -> Iterator[bool]:
    """Hold a generation alone. Yields False, holding nothing, while readers have it."""
    connection = session(server, f"prunes generation {generation}, {owner()}")
    try:
        yield bool(_asked(server, connection, "select pg_try_advisory_lock(%s)", _key(server, f"generation {generation}")))
    finally:
        release(connection)


def _key(server: Server, what: str) -> int:
    """A lock's number. Locks are the database's, so that the schema is a part of it."""
    return int.from_bytes(hashlib.sha256(f"concord {server.schema} {what}".encode()).digest()[:8], "big", signed=True)


def _holder(server: Server, connection: Any, key: int) -> str:
    """Say who holds a lock, as their session says: any role may read that."""
    high, low = (key >> 32) & 0xFFFFFFFF, key & 0xFFFFFFFF
    query = (
        "select application_name from pg_stat_activity where pid in (select pid from pg_locks where locktype = 'advisory' and "
        "granted and classid = %s::bigint::oid and objid = %s::bigint::oid and objsubid = 1)"
    )
    return str(_asked(server, connection, query, high, low) or "its owner is not known")


def _asked(server: Server, connection: Any, query: str, *values: object) -> Any:
    driver = psycopg_of()
    try:
        row = connection.execute(query, values).fetchone()
    except driver.Error as error:
        failed(server, error)
    return row[0] if row is not None else None
