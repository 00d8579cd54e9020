"""The one filter of a search: who asks, at which instant, and what was narrowed down to.

Every index compiles the same `Predicate` to its own engine and applies it before ranking. `admits` is its meaning in plain
Python: the in-memory indexes run it, and a contract suite holds every compiled form to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingest.model.access import Access, Principal
from ingest.model.instant import BEGIN, END, seconds
from ingest.model.row import ChunkRow


@dataclass(frozen=True, slots=True)
class FilterColumns:
    """The columns of a row that a predicate reads, as an index stores them (see docs/formats.md)."""

    source_id: str
    tenant: str
    """Empty when the row belongs to no tenant."""
    level: int
    acl: tuple[str, ...]
    status: str
    valid_from: int
    valid_until: int
    family: str
    version: str
    scope: str
    language: str


def filter_columns(row: ChunkRow) -> FilterColumns:
    """Return the filter columns of a row; absent texts become empty, open window sides BEGIN and END."""
    access: Access = row.access
    return FilterColumns(
        row.source_id, access.tenant or "", access.level, access.acl(), row.status,
        seconds(row.valid_from, absent=BEGIN), seconds(row.valid_until, absent=END),
        row.family or "", row.version or "", row.scope or "", row.language or "",
    )


@dataclass(frozen=True, slots=True)
class Editions:
    """Of documents of some families, these versions only; of all others, any."""

    families: frozenset[str]
    versions: frozenset[str]

    def admits(self, family: str, version: str) -> bool:
        return family not in self.families or version in self.versions


@dataclass(frozen=True, slots=True)
class Predicate:
    """All conditions must hold; None means that a condition is not set.

    `principal` None switches access off and is for the product's own bookkeeping (never for a caller). `as_of` is an
    instant in seconds: rows whose window [valid_from, valid_until) contains it. `during` is a range [a, b): rows whose window
    meets it. The tuples are allow-lists; an empty tuple admits nothing. `editions`: see there. `reach`: all sources that the
    caller may see, where that is told by them and not by `principal` (an older generation is read under the head's rules);
    `sources` are then some of these, and `admits` needs no more than them.
    """

    principal: Principal | None = Principal()
    as_of: int | None = None
    during: tuple[int, int] | None = None
    statuses: tuple[str, ...] | None = ("active",)
    families: tuple[str, ...] | None = None
    versions: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    editions: Editions | None = None
    reach: tuple[str, ...] | None = None

    def caller(self) -> Predicate:
        """Return what the caller may see at all, whatever is asked for now: words are weighed over these rows."""
        return Predicate(self.principal, statuses=None, sources=self.reach)

    def admits(self, row: FilterColumns) -> bool:
        who = self.principal
        if who is not None:
            if row.tenant not in ("", who.tenant or "") or row.level > who.level:
                return False
            if not set(row.acl) & set(who.tokens()):
                return False
        if self.as_of is not None and not row.valid_from <= self.as_of < row.valid_until:
            return False
        if self.during is not None and not (row.valid_from < self.during[1] and self.during[0] < row.valid_until):
            return False
        if self.editions is not None and not self.editions.admits(row.family, row.version):
            return False
        allowed = (
            (self.statuses, row.status), (self.families, row.family), (self.versions, row.version),
            (self.scopes, row.scope), (self.languages, row.language), (self.sources, row.source_id),
        )
        return all(values is None or value in values for values, value in allowed)
