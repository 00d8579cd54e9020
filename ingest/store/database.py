"""What differs between the databases that can hold a catalog. Everything else of the catalog is the same SQL for all of them.

A Database belongs to one catalog: a file, or a schema of a server. It says how to connect, what its errors mean, and how to do
quickly what each does in its own way. It knows nothing of generations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn, Protocol

import sqlalchemy as sa

from ingest.store.tables import Fact


class Database(Protocol):
    """One of `ingest.store.sqlite` and `ingest.store.postgres`."""

    @property
    def name(self) -> str:
        """What messages call the catalog. Never a password."""

    @property
    def folder(self) -> Path:
        """Of the knowledge base."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the driver raises."""

    @property
    def batch(self) -> int:
        """How many facts are written at once."""

    @property
    def mark(self) -> str:
        """How SQL that is made by hand marks a value."""

    def exists(self) -> bool:
        """Whether there is anything that could be a catalog; asked before an engine is made."""

    def is_there(self) -> bool:
        """Whether there is a catalog, if only begun: it need not be one that can be opened. Raises CatalogUnreachable."""

    def drop(self) -> None:
        """Remove a catalog that came to nothing. Called with the lease held and the catalog closed."""

    def engine(self) -> sa.Engine: ...

    def is_begun(self, connection: sa.Connection) -> bool:
        """Whether the catalog has its tables."""

    def make(self, connection: sa.Connection) -> None:
        """Make the tables, those that are missing."""

    def identity(self, engine: sa.Engine) -> tuple[int, int]:
        """Which one it is now: another identity than before means that the base was replaced behind its readers. Raises
        KnowledgeBaseMissing."""

    def failed(self, error: Exception) -> NoReturn:
        """Raise what an error of the driver means, as a StorageFailed."""

    def among(self, table: str, ids: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        """SQL for the facts of a table with these ids in effect in a generation (given twice, first), and the ids as values."""

    def insert(self, connection: sa.Connection, table: str, generation: int, facts: Iterable[Fact]) -> None:
        """Write facts that begin with a generation."""

    def written(self, connection: sa.Connection, counts: dict[str, int]) -> None:
        """Many facts were written in this transaction: table -> how many."""

    def before_restoring(self, connection: sa.Connection) -> None:
        """Large parts of the tables are about to be written in this transaction."""

    def hold(self, connection: sa.Connection, key: str) -> str | None:
        """Return a value of `meta`, kept from being changed by others until the transaction ends."""

    def faults(self, connection: sa.Connection) -> list[str]:
        """What the database finds wrong in what it stores of the catalog, and tables and indexes that are not as they were
        made."""

    def reindex(self, connection: sa.Connection) -> None:
        """Make the database's own indexes anew from the tables."""
