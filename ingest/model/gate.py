"""Gates: the distinct answers that a predicate can give.

Rows of one document share their access, window, family and so on, so a base of a hundred thousand chunks has few distinct
sets of filter columns. A gate is one such set without the source. An index stores the gate of each row and the columns of
each gate once; compiling a predicate is then `Predicate.admits` itself, asked once for every gate, plus the source list.
There is no second reading of the access rules that could disagree with the first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

from ingest.model.canonical import digest_of
from ingest.model.predicate import FilterColumns, Predicate, filter_columns
from ingest.model.row import ChunkRow

_NAMES = tuple(field.name for field in fields(FilterColumns) if field.name != "source_id")
_values = attrgetter(*_NAMES)


def gate_values(columns: FilterColumns) -> tuple[Any, ...]:
    """Return all columns but the source, in their order: what a gate is."""
    values: tuple[Any, ...] = _values(columns)
    return values


def gate_aspects(columns: FilterColumns) -> dict[str, Any]:
    """Return the columns of a gate by name."""
    return dict(zip(_NAMES, gate_values(columns), strict=True))


def gate_id(columns: FilterColumns) -> str:
    """Return the id of the gate of these columns: 32 hex digits over all of them but the source."""
    return digest_of(replace(columns, source_id=""))


class Gates:
    """The gates of one build: id -> columns, with `source_id` empty."""

    def __init__(self, columns: Mapping[str, FilterColumns] | None = None) -> None:
        self.columns = dict(columns or {})
        self._known: dict[tuple[Any, ...], str] = {}
        self._answers: tuple[Predicate, frozenset[str]] | None = None

    def add(self, row: ChunkRow) -> str:
        """Return the gate of `row`, noting its columns. Rows alike in what the columns are made of cost one look-up."""
        key = (row.access, row.status, row.valid_from, row.valid_until, row.family, row.version, row.scope, row.language)
        known = self._known.get(key)
        if known is None:
            columns = replace(filter_columns(row), source_id="")
            known = self._known[key] = gate_id(columns)
            self.columns[known] = columns
        return known

    def admitted(self, predicate: Predicate) -> frozenset[str]:
        """Return the gates that `predicate` admits, its `sources` left aside."""
        last = self._answers
        if last is not None and last[0] == predicate:
            return last[1]
        asked = replace(predicate, sources=None)
        answer = frozenset(gate for gate, columns in self.columns.items() if asked.admits(columns))
        self._answers = (predicate, answer)  # one slot, replaced whole: safe between threads, and callers repeat themselves
        return answer

    def false(self) -> list[str]:
        """Return the gates whose id is not that of their columns: somebody changed one of the two."""
        return sorted(gate for gate, columns in self.columns.items() if gate_id(columns) != gate)

    def only(self, held: Iterable[str]) -> Gates:
        """Return these gates without those that no row stands behind any more."""
        return Gates({gate: self.columns[gate] for gate in held})

    def dumped(self) -> bytes:
        """Return the gates as canonical ASCII JSON (see docs/formats.md)."""
        table = {gate: gate_values(columns) for gate, columns in self.columns.items()}
        return json.dumps(table, sort_keys=True, separators=(",", ":")).encode("ascii")

    @classmethod
    def loaded(cls, data: bytes) -> Gates:
        """Read back what `dumped` wrote. Raises ValueError (or a subclass) for anything else."""
        try:
            table: dict[str, list[Any]] = json.loads(data)
            return cls({
                gate: FilterColumns("", tenant, int(level), tuple(acl), status, int(start), int(end), *texts)
                for gate, (tenant, level, acl, status, start, end, *texts) in table.items()
            })
        except (TypeError, AttributeError) as error:
            raise ValueError(f"not a table of gates: {error}") from error
