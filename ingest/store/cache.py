"""Content-addressed caches: what was computed once is never computed again, whatever happened in between.

A key is made of everything that decides the value (input hash, stage, stage version, settings), so an entry is never
updated, and losing the cache costs time only. Values are bytes; each is stored with a hash of its name and itself, and an
entry that no longer matches is treated as absent. One SQLite file; a batch is one transaction, so a crash loses at most the
batch in flight.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ingest.errors import StorageFailed
from ingest.telemetry import signals

_SCHEMA = """
create table if not exists entries (
    stage text not null, key text not null, checksum blob not null, value blob not null, primary key (stage, key)
)
"""
# With a rowid: values are appended, and only the small index is written at random, in a third of the time and space.
_MOST_VARIABLES = 500


class Cache:
    """The cache of one knowledge base at `path`. Use from one process, one thread; close it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("pragma journal_mode=wal")
            self._db.execute("pragma synchronous=normal")
            self._db.execute(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    def get_many(self, stage: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values held for `keys`; absent and damaged entries are left out."""
        found: dict[str, bytes] = {}
        try:
            for start in range(0, len(keys), _MOST_VARIABLES):
                part = keys[start : start + _MOST_VARIABLES]
                marks = ",".join("?" * len(part))
                query = f"select key, checksum, value from entries where stage = ? and key in ({marks})"  # noqa: S608  # only marks
                for key, checksum, value in self._db.execute(query, (stage, *part)):
                    if _is_whole(stage, key, checksum, value):
                        found[key] = value
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error
        kind = stage.partition(":")[0]  # behind the colon is which model
        signals.add("concord.cache.lookups", len(found), {"concord.cache": kind, "concord.hit": True})
        signals.add("concord.cache.lookups", len(keys) - len(found), {"concord.cache": kind, "concord.hit": False})
        return found

    def put_many(self, stage: str, items: Mapping[str, bytes]) -> None:
        """Store a batch durably in one transaction. An entry that exists is replaced (it may have been damaged)."""
        try:
            self._db.execute("begin immediate")
            self._db.executemany(
                "insert or replace into entries values (?, ?, ?, ?)",
                [(stage, key, checksum_of(stage, key, value), value) for key, value in items.items()],
            )
            self._db.execute("commit")
        except sqlite3.DatabaseError as error:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise self._failed(error) from error

    def count(self) -> int:
        """Entries held."""
        try:
            return int(self._db.execute("select count(*) from entries").fetchone()[0])
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    def entries(self) -> Iterator[tuple[str, str, bool]]:
        """Stage and key of every entry, and whether its value is the one that was put there."""
        try:
            for stage, key, checksum, value in self._db.execute("select stage, key, checksum, value from entries"):
                yield stage, key, _is_whole(stage, key, checksum, value)
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error

    def check(self) -> None:
        """Raise StorageFailed where SQLite finds its own file damaged: pages, or its index against the table. Reads all of it."""
        try:
            found = self._db.execute("pragma integrity_check(1)").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise self._failed(error) from error
        if found != "ok":
            raise self._failed(sqlite3.DatabaseError(found))

    def drop(self, stage: str, keys: Iterable[str]) -> None:
        """Forget entries: they are made again when they are needed."""
        try:
            self._db.execute("begin immediate")
            self._db.executemany("delete from entries where stage = ? and key = ?", [(stage, key) for key in keys])
            self._db.execute("commit")
        except sqlite3.DatabaseError as error:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise self._failed(error) from error

    def close(self) -> None:
        self._db.close()

    def _failed(self, error: sqlite3.Error) -> StorageFailed:
        return StorageFailed(
            f"the cache {self._path} cannot be used: {error}; free disk space, or delete the file (it costs time only)"
        )


def checksum_of(stage: str, key: str, value: bytes) -> bytes:
    """Return what an entry is stored with. Its name is in it, because one flipped bit in SQLite's index is enough to look up a
    name and get the value of another, whole in itself."""
    digest = hashlib.blake2b(f"{stage}\0{key}\0".encode(), digest_size=16)
    digest.update(value)
    return digest.digest()


def _is_whole(stage: object, key: object, checksum: object, value: object) -> bool:
    """Whether an entry is what was put there; damage may make anything of any column."""
    if not (isinstance(stage, str) and isinstance(key, str) and isinstance(value, bytes)):
        return False
    return checksum_of(stage, key, value) == checksum
