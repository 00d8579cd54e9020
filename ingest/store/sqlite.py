"""A catalog in one SQLite file below the knowledge base's folder: what there is without any setting."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sa

from ingest.errors import KnowledgeBaseMissing, StorageFailed
from ingest.store.tables import FACTS, META, TABLES, Fact, misshapen


class Sqlite:
    """See `ingest.store.database`."""

    errors: tuple[type[Exception], ...] = (sa.exc.DatabaseError, sqlite3.DatabaseError)
    batch = 500
    mark = "?"

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def name(self) -> str:
        return str(self._path)

    @property
    def folder(self) -> Path:
        return self._path.parent

    def exists(self) -> bool:
        return self._path.exists()

    def is_there(self) -> bool:
        return self.exists()

    def drop(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def engine(self) -> sa.Engine:
        # A path is no URL: ? and % are names. Any number of connections: a thread that streams rows may look others up meanwhile,
        # and threads that all wait for one more than there may be would wait for one another.
        engine = sa.create_engine(sa.URL.create("sqlite", database=str(self._path)), max_overflow=-1)
        sa.event.listen(engine, "connect", _configure)
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("begin"))
        return engine

    def is_begun(self, connection: sa.Connection) -> bool:
        """A run that was killed, or met a full disk, while it made the tables left none, or a part."""
        found = connection.exec_driver_sql("select count(*) from sqlite_master where type = 'table' and name = 'meta'")
        return bool(found.scalar() == 1)

    def make(self, connection: sa.Connection) -> None:
        TABLES.create_all(connection)

    def identity(self, engine: sa.Engine) -> tuple[int, int]:
        """Device and number of the file, whichever one the engine has open."""
        try:
            found = self._path.stat()
        except OSError as error:
            raise KnowledgeBaseMissing(f"no knowledge base at {self.folder} ({error.strerror}); run: ingest run") from error
        return found.st_dev, found.st_ino

    def failed(self, error: Exception) -> NoReturn:
        cause = getattr(error, "orig", None) or error
        raise StorageFailed(
            f"the catalog {self._path} cannot be used: {cause}; free disk space or check the file, then run again "
            "(what was published is untouched)", of_catalog=type(cause) is sqlite3.DatabaseError,
        ) from error

    def among(self, table: str, ids: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        return _among(table, len(ids)), tuple(ids)

    def insert(self, connection: sa.Connection, table: str, generation: int, facts: Iterable[Fact]) -> None:
        connection.execute(sa.insert(FACTS[table]), [
            {"id": fact.id, "source_id": fact.source_id, "checksum": fact.checksum, "gen_from": generation,
             "gen_to": None, "position": fact.position, "payload": fact.payload}
            for fact in facts
        ])

    def written(self, connection: sa.Connection, counts: dict[str, int]) -> None:
        """Nothing: queries are written so that SQLite needs no statistics."""

    def before_restoring(self, connection: sa.Connection) -> None:
        # KiB of pages: enough for the indexes of a large table, whose pages would else be written many times over.
        connection.exec_driver_sql("pragma cache_size=-65536")

    def hold(self, connection: sa.Connection, key: str) -> str | None:
        """One transaction writes at a time, so that whoever writes holds everything."""
        found: str | None = connection.scalar(sa.select(META.c.value).where(META.c.key == key))
        return found

    def faults(self, connection: sa.Connection) -> list[str]:
        """Pages, and indexes against tables. Reads all of the file."""
        found = [str(row[0]) for row in connection.exec_driver_sql("pragma integrity_check(20)")]
        return [fault for fault in found if fault != "ok"] + misshapen(connection)

    def reindex(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("reindex")


@lru_cache(1024)
def _among(table: str, count: int) -> str:
    names = ("id", "source_id", "checksum", "position", "payload")
    marks = ", ".join("?" * count)
    return (
        f"select {', '.join(names)} from {FACTS[table].name} "  # noqa: S608  # names of ours, values are bound
        f"where gen_from <= ? and (gen_to is null or gen_to > ?) and id in ({marks})"
    )


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's begin event opens transactions; sqlite3 must not open its own
    cursor = connection.cursor()
    cursor.execute("pragma busy_timeout=30000")
    cursor.execute("pragma journal_mode=wal")
    cursor.execute("pragma synchronous=full")
    cursor.close()
