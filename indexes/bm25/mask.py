"""A predicate compiled to one boolean a row, over the columns of a segment. Its meaning is `Predicate.admits`.

Conditions on texts are decided once for each distinct value, then spread to rows by code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.columns import TextColumn, acl_of
from indexes.bm25.segment import Segment
from ingest.model.access import Principal
from ingest.model.predicate import Predicate

Mask = NDArray[np.bool_]


def admitted(segment: Segment, predicate: Predicate) -> Mask | None:
    """Return the rows of a segment that the predicate admits; None: all of them."""
    mask: Mask | None = None
    for condition in _conditions(segment, predicate):
        mask = condition if mask is None else np.logical_and(mask, condition, out=mask)
    return mask


def _conditions(segment: Segment, predicate: Predicate) -> Iterator[Mask]:
    texts, numbers = segment.columns.texts, segment.columns.numbers
    if predicate.principal is not None:
        yield from _access(segment, predicate.principal)
    if predicate.as_of is not None:
        yield numbers["valid_from"] <= predicate.as_of
        yield numbers["valid_until"] > predicate.as_of
    if predicate.during is not None:
        yield numbers["valid_from"] < predicate.during[1]
        yield numbers["valid_until"] > predicate.during[0]
    allowed = (
        ("status", predicate.statuses), ("family", predicate.families), ("version", predicate.versions),
        ("scope", predicate.scopes), ("language", predicate.languages), ("source_id", predicate.sources),
    )
    for name, values in allowed:
        if values is not None:
            yield from _listed(texts[name], values)
    if predicate.editions is not None:
        listed = _found(texts["family"], tuple(predicate.editions.families))
        wanted = _found(texts["version"], tuple(predicate.editions.versions))
        if listed.any():
            yield ~listed[texts["family"].codes] | wanted[texts["version"].codes]


def _access(segment: Segment, who: Principal) -> Iterator[Mask]:
    texts, levels = segment.columns.texts, segment.columns.numbers["level"]
    yield from _listed(texts["tenant"], ("", who.tenant or ""))
    if int(levels.max(initial=0)) > who.level:
        yield levels <= who.level
    mine = set(who.tokens())
    yield from _decided(texts["acl"], lambda text: not mine.isdisjoint(acl_of(text)))


def _listed(column: TextColumn, values: tuple[str, ...]) -> Iterator[Mask]:
    """Rows whose value is in a list, by looking up the list rather than every value: there may be many sources."""
    yield from _spread(column, _found(column, values))


def _found(column: TextColumn, values: tuple[str, ...]) -> Mask:
    """[distinct values]: which are in a list."""
    found = np.zeros(len(column.values), dtype=np.bool_)
    found[[place for place in column.values.find_many(list(values)) if place >= 0]] = True
    return found


def _decided(column: TextColumn, admits: Callable[[str], bool]) -> Iterator[Mask]:
    yield from _spread(column, np.array([admits(text) for text in column.values.all()], dtype=np.bool_))


def _spread(column: TextColumn, allowed: Mask) -> Iterator[Mask]:
    """Nothing where every value is allowed, so that the common filters cost nothing."""
    if not allowed.all():
        yield allowed[column.codes]
