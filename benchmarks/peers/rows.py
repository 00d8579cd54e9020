"""One SQLite table of chunks, for the peers that bring no store of their own: the least a store can cost them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path


class Rows:
    """Rows (id, path, text, vector); one transaction a call."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        self._database.execute("create table if not exists rows (id text primary key, path text, text text, vector blob)")
        self._database.execute("create index if not exists rows_by_path on rows (path)")

    def put(self, rows: Iterable[tuple[str, str, str, bytes]]) -> None:
        with self._database:
            self._database.executemany("insert or replace into rows values (?, ?, ?, ?)", rows)

    def delete(self, column: str, values: Sequence[str]) -> None:
        with self._database:
            self._database.executemany(f"delete from rows where {column} = ?", [(value,) for value in values])
