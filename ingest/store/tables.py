"""The tables of a catalog, for every database that holds one, and a row of the interval tables.

Text is compared byte by byte in all of them, whatever language a server was set up in: order is a part of what is published.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa

from ingest.errors import Inconsistent
from ingest.model.codec import decode

T = TypeVar("T")

MOST = (1 << 63) - 1
"""The largest integer that the databases have."""

TABLES = sa.MetaData()

_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SERIAL = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def _interval_table(name: str) -> sa.Table:
    return sa.Table(
        name, TABLES,
        sa.Column("serial", _SERIAL, primary_key=True, autoincrement=True),
        sa.Column("id", _TEXT, nullable=False),
        sa.Column("source_id", _TEXT, nullable=False, index=True),
        sa.Column("checksum", _TEXT, nullable=False),
        sa.Column("gen_from", sa.Integer, nullable=False, index=True),
        sa.Column("gen_to", sa.Integer, index=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        # All that counting a generation needs, so that it reads a twentieth of the table.
        sa.Index(f"ix_{name}_id", "id", "checksum", "gen_from", "gen_to"),
    )


FACTS: dict[str, sa.Table] = {
    name: _interval_table(name) for name in ("sources", "parents", "chunks", "mentions", "edges", "entities", "assertions")
}
"""Interval tables by name; all in the snapshot digest."""

COPIED = ("id", "source_id", "checksum", "gen_from", "position", "payload")
"""The columns of a fact that begins, in the order in which they are written; the others fill themselves."""

META = sa.Table("meta", TABLES, sa.Column("key", _TEXT, primary_key=True), sa.Column("value", _TEXT, nullable=False))
ROOTS = sa.Table("roots", TABLES, sa.Column("name", _TEXT, primary_key=True), sa.Column("location", _TEXT, nullable=False))
GENERATIONS = sa.Table(
    "generations", TABLES,
    sa.Column("generation", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("state", _TEXT, nullable=False),
    sa.Column("manifest", _TEXT, nullable=False),
    sa.Column("published_at", _TEXT),
    sa.Column("confirmed_at", _TEXT),
    sa.Column("origin", _TEXT, nullable=False),
)
SEEN = sa.Table(
    "seen", TABLES,
    sa.Column("source_id", _TEXT, primary_key=True),
    sa.Column("signature", _TEXT, nullable=False),
    sa.Column("revision", _TEXT, nullable=False),
)


@cache
def _keys(kind: type) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind))


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of an interval table. `position` orders the facts of a source; `payload` is the noun as JSON."""

    id: str
    source_id: str
    checksum: str
    position: int
    payload: bytes

    @classmethod
    def of(cls, noun: Any, *, id: str, source_id: str, checksum: str, position: int = 0) -> Fact:
        return cls(id, source_id, checksum, position, orjson.dumps(noun))

    def noun(self, kind: type[T]) -> T:
        """Raises Inconsistent when the payload is not what was written."""
        try:
            return decode(kind, orjson.loads(self.payload))
        except (ValueError, TypeError, KeyError) as error:
            raise self._unreadable(error) from error

    def stated(self, kind: type) -> dict[str, Any]:
        """The payload as JSON types, for who reads few of many: only its keys are compared with those of `kind`. Raises as
        `noun`."""
        try:
            found: dict[str, Any] = orjson.loads(self.payload)
            if found.keys() != _keys(kind):
                raise ValueError(f"it is no {kind.__name__}")
        except (ValueError, AttributeError) as error:
            raise self._unreadable(error) from error
        return found

    def _unreadable(self, error: Exception) -> Inconsistent:
        return Inconsistent(f"the catalog's fact {self.id} cannot be read ({error}); run: ingest verify")


def facts_of(table: str) -> sa.Select[Any]:
    """Select what a Fact is made of, in the order of its fields."""
    columns = FACTS[table].c
    return sa.select(columns.id, columns.source_id, columns.checksum, columns.position, columns.payload)


Shape = tuple[list[tuple[str, str, bool]], dict[str, list[str]]]
"""Columns as (name, type, may be null), and indexes by name with their columns."""


def misshapen(connection: sa.Connection) -> list[str]:
    """Say which tables, with their indexes, are not as they were made."""
    inspector, dialect = sa.inspect(connection), connection.dialect
    return [
        f"its table {table.name} is not as it was made" for table in TABLES.sorted_tables
        if _shape(inspector, table, dialect) != _shape_made(table, dialect)
    ]


def _shape(inspector: sa.Inspector, table: sa.Table, dialect: sa.Dialect) -> Shape:
    """The shape that a table has in the database."""
    if not inspector.has_table(table.name):
        return [], {}
    columns = [
        (column["name"], _type(column["type"], dialect), bool(column["nullable"])) for column in inspector.get_columns(table.name)
    ]
    indexes = {
        str(index["name"]): [str(name) for name in index["column_names"]] for index in inspector.get_indexes(table.name)
    }
    return columns, indexes


def _shape_made(table: sa.Table, dialect: sa.Dialect) -> Shape:
    columns = [(column.name, _type(column.type, dialect), bool(column.nullable)) for column in table.columns]
    return columns, {str(index.name): [column.name for column in index.columns] for index in table.indexes}


def _type(kind: sa.types.TypeEngine[Any], dialect: sa.Dialect) -> str:
    return kind.compile(dialect=dialect).partition(" COLLATE")[0]
