"""Which chunks may be copies of each other: number -> the chunks whose texts have it, in a file beside the caches.

An entry is made of the text of its chunk alone, and a chunk's id is made of its text, so entries are never wrong, only
superfluous: who asks leaves out chunks that are not in effect. Losing the file costs time. `covered` names sets of chunks (by
their digest) all of which are known here.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ingest.errors import StorageFailed
from ingest.model.batches import batches

_SCHEMA = (
    "create table if not exists covered (digest text primary key) without rowid",
    "create table if not exists chunks (number integer primary key, id text not null unique)",
    "create table if not exists keys (key integer not null, number integer not null, primary key (key, number)) without rowid",
    "create index if not exists keys_by_chunk on keys (number)",
)
_AT_ONCE = 500
_PAGES_KIB = 65_536
"""Keys are hashes, each a page of its own in a large file: what does not fit is read and written again and again."""


class Passages:
    """The file at `path`, of texts as `rules` (a fingerprint) see them: entries of other rules are dropped. Close it."""

    def __init__(self, path: Path, rules: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        try:
            self._db = self._opened(rules)
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)  # a cache that cannot be read is one that is not there
            with self._failures():
                self._db = self._opened(rules)

    def _opened(self, rules: str) -> sqlite3.Connection:
        db = sqlite3.connect(self._path)
        db.execute("pragma journal_mode=wal")
        db.execute("pragma synchronous=normal")
        db.execute(f"pragma cache_size=-{_PAGES_KIB}")
        for statement in _SCHEMA:
            db.execute(statement)
        version = zlib.crc32(rules.encode()) & 0x7FFFFFFF
        if db.execute("pragma user_version").fetchone()[0] != version:
            with db:
                for statement in ("delete from covered", "delete from keys", "delete from chunks"):
                    db.execute(statement)
                db.execute(f"pragma user_version={version}")
        return db

    def covers(self, digest: str) -> bool:
        with self._failures():
            return self._db.execute("select 1 from covered where digest = ?", (digest,)).fetchone() is not None

    def cover(self, digest: str) -> None:
        """Promise that every chunk of a set is known."""
        with self._failures(), self._db:
            self._db.execute("insert or ignore into covered values (?)", (digest,))

    def unknown(self, chunks: Iterable[str]) -> list[str]:
        """Those of `chunks` that are not known, in order."""
        found: list[str] = []
        for part in batches(chunks, _AT_ONCE):
            known = self._numbers(part)
            found += (chunk for chunk in part if chunk not in known)
        return found

    def put(self, keys: Mapping[str, Sequence[int]]) -> None:
        """Note the keys of chunks; a chunk without any is known too. Keys are spread over the whole file, so that it costs least
        to note those of many chunks at once."""
        with self._failures(), self._db:
            self._db.executemany("insert or ignore into chunks (id) values (?)", ((chunk,) for chunk in keys))
            noted: list[tuple[int, int]] = []
            for part in batches(keys, _AT_ONCE):
                noted += ((key, number) for chunk, number in self._numbers(part).items() for key in keys[chunk])
            self._db.executemany("insert or ignore into keys values (?, ?)", sorted(noted))

    def _numbers(self, chunks: Sequence[str]) -> dict[str, int]:
        marks = ",".join("?" * len(chunks))
        with self._failures():
            query = f"select id, number from chunks where id in ({marks})"  # noqa: S608  # only marks
            return dict(self._db.execute(query, chunks).fetchall())

    def sharing(self, chunks: Sequence[str]) -> dict[int, list[str]]:
        """Key -> all chunks that have it, for the keys of `chunks`; keys that only one chunk has are left out."""
        found: dict[int, list[str]] = {}
        query = (
            "select theirs.key, other.id from chunks mine join keys on keys.number = mine.number"
            " join keys theirs on theirs.key = keys.key join chunks other on other.number = theirs.number where mine.id in ({})"
        )
        with self._failures():
            for part in batches(chunks, _AT_ONCE):
                for key, chunk in self._db.execute(query.format(",".join("?" * len(part))), part):
                    found.setdefault(key, []).append(chunk)
        return {key: sorted(set(held)) for key, held in found.items() if len(set(held)) > 1}

    def all_sharing(self) -> Iterator[list[str]]:
        """Every set of chunks that have a key in common, each in order."""
        query = (
            "select keys.key, id from keys join chunks using (number) where key in"
            " (select key from keys group by key having count(*) > 1) order by keys.key, id"
        )
        at: int | None = None
        held: list[str] = []
        with self._failures():
            for key, chunk in self._db.execute(query):
                if key != at and held:
                    yield held
                    held = []
                at = key
                held.append(chunk)
        if held:
            yield held

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageFailed(
                f"{self._path} cannot be used: {error}; free disk space, or delete the file, and run again"
            ) from error
