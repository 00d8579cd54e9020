"""A catalog in a schema of a PostgreSQL database: one knowledge base, one schema, any number of them in a database.

The same tables and the same SQL as in a file. What is different is what makes it quick (rows are written by COPY, streamed
through cursors of the server) and what a server can do that a file cannot: be gone, be somebody else's, be full of clients.

Indexes, caches and reports stay files of the knowledge base's folder. So that nobody ever reads one base's indexes under
another's catalog, folder and schema carry the same id; where they do not, nothing is opened.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sa

from ingest.errors import KnowledgeBaseMissing, SettingsInvalid, StorageFailed
from ingest.store.layout import Layout
from ingest.store.postgres_session import address, arguments, failed, psycopg_of, shown
from ingest.store.replacing import replace_file
from ingest.store.tables import COPIED, FACTS, META, TABLES, Fact, misshapen

_MANY = 5_000
"""Facts after which the server is told to look at a table anew: a plan made for an empty one is slow on these."""

_TYPES = ("text", "text", "text", "int4", "int4", "bytea")
"""Of `tables.COPIED`."""


class Postgres:
    """See `ingest.store.database`."""

    batch = 5_000
    mark = "%s"

    def __init__(self, layout: Layout) -> None:
        assert layout.server is not None
        self._layout, self._server = layout, layout.server
        self._driver = psycopg_of()
        self._schema = sa.sql.quoted_name(layout.server.schema, True)

    @property
    def name(self) -> str:
        return shown(self._server)

    @property
    def folder(self) -> Path:
        return self._layout.folder

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        return (sa.exc.DBAPIError, self._driver.Error)

    def exists(self) -> bool:
        """Only the server knows."""
        return True

    def engine(self) -> sa.Engine:
        # As with a file, any number of connections, so that threads never wait for one another; a rested one is asked whether
        # it is still there, so that whoever serves goes on after the server was restarted.
        return sa.create_engine(
            address(self._server).set(query={}), connect_args=arguments(self._server), max_overflow=-1, pool_pre_ping=True
        )

    def is_begun(self, connection: sa.Connection) -> bool:
        """Whether the schema has a catalog, and it is that of this folder. Raises SettingsInvalid where it is another's."""
        if connection.exec_driver_sql("select to_regclass('meta')").scalar() is None:
            return False
        self._compare(connection)
        return True

    def make(self, connection: sa.Connection) -> None:
        begun = connection.execute(
            sa.text("select 1 from pg_namespace where nspname = :schema"), {"schema": self._server.schema}
        ).scalar()
        if not begun:  # a role that may use a schema need not be allowed to make one
            connection.execute(sa.schema.CreateSchema(self._schema))
        TABLES.create_all(connection)
        mark = self._compare(connection) or self._mark() or uuid.uuid4().hex
        self._write_mark(mark)
        connection.execute(
            sa.text("insert into meta (key, value) values ('base', :mark) on conflict (key) do nothing"), {"mark": mark}
        )

    def _compare(self, connection: sa.Connection) -> str | None:
        """Return the id that the schema carries. Raises SettingsInvalid unless the folder carries it too."""
        said: str | None = connection.scalar(sa.select(META.c.value).where(META.c.key == "base"))
        if said is not None and said != self._mark():
            raise SettingsInvalid(
                f"the catalog {self.name} is not that of the folder {self.folder}; name its folder with --kb, or another schema "
                "with INGEST_CATALOG_SCHEMA (a base whose folder is lost begins anew once its schema is dropped)"
            )
        return said

    def _mark(self) -> str | None:
        try:
            return self._layout.mark.read_text().strip() or None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageFailed(f"{self._layout.mark} cannot be read ({error.strerror}); check its permissions") from error

    def _write_mark(self, mark: str) -> None:
        """Write the folder's id, before the schema's is committed: a folder that has one alone is a base not yet begun."""
        if self._mark() == mark:
            return
        try:
            replace_file(self._layout.mark, f"{mark}\n".encode())
        except OSError as error:
            raise StorageFailed(
                f"{self._layout.mark} cannot be written ({error.strerror}); check permissions and free space, then run again"
            ) from error

    def identity(self, engine: sa.Engine) -> tuple[int, int]:
        """The server's numbers of the database and of a table in it."""
        with engine.connect() as connection:
            found = connection.exec_driver_sql(_IDENTITY).one()
        if found[1] is None:
            raise KnowledgeBaseMissing(f"no knowledge base in {self.name}; run: ingest run")
        return int(found[0]), int(found[1])

    def is_there(self) -> bool:
        try:
            with self._driver.connect(**arguments(self._server), autocommit=True) as connection:
                found = connection.execute(_IDENTITY).fetchone()
        except self._driver.Error as error:
            self.failed(error)
        return found is not None and found[1] is not None

    def failed(self, error: Exception) -> NoReturn:
        failed(self._server, error)

    def among(self, table: str, ids: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        return (
            f"select id, source_id, checksum, position, payload from {FACTS[table].name} "  # noqa: S608  # a name of ours
            "where gen_from <= %s and (gen_to is null or gen_to > %s) and id = any(%s)"
        ), (list(ids),)

    def insert(self, connection: sa.Connection, table: str, generation: int, facts: Iterable[Fact]) -> None:
        driver = connection.connection.driver_connection
        assert driver is not None
        copying = f"copy {FACTS[table].name} ({', '.join(COPIED)}) from stdin (format binary)"
        with driver.cursor() as cursor, cursor.copy(copying) as copy:
            copy.set_types(_TYPES)
            for fact in facts:
                copy.write_row((fact.id, fact.source_id, fact.checksum, generation, fact.position, fact.payload))

    def written(self, connection: sa.Connection, counts: dict[str, int]) -> None:
        for table, count in counts.items():
            if count >= _MANY:
                connection.exec_driver_sql(f"analyze {FACTS[table].name}")

    def before_restoring(self, connection: sa.Connection) -> None:
        """Nothing: the server's memory is the server's."""

    def hold(self, connection: sa.Connection, key: str) -> str | None:
        found: str | None = connection.scalar(sa.select(META.c.value).where(META.c.key == key).with_for_update())
        return found

    def faults(self, connection: sa.Connection) -> list[str]:
        """Damaged pages show when they are read, where the server has checksums; looking for them is its own business
        (pg_amcheck)."""
        return misshapen(connection)

    def reindex(self, connection: sa.Connection) -> None:
        for table in TABLES.sorted_tables:
            connection.exec_driver_sql(f"reindex table {table.name}")

    def drop(self) -> None:
        """The schema stays: who may use one need not be allowed to make one."""
        try:
            with self._driver.connect(**arguments(self._server)) as connection:
                names = ", ".join(table.name for table in TABLES.sorted_tables)
                connection.execute(f"drop table if exists {names}")
        except self._driver.Error as error:
            self.failed(error)
        self._layout.mark.unlink(missing_ok=True)


_IDENTITY = "select oid::bigint, to_regclass('meta')::oid::bigint from pg_database where datname = current_database()"
