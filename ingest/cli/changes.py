"""Changes for people: few are listed one by one, many are told in groups with their number; complete lists are in the JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ingest.model.report import Change

ORDER = ("changed", "gone", "renamed", "added", "retry", "stale")
"""The most telling first: what readers are given wrongly, what they miss, what is only made under older rules."""

_ONE_BY_ONE = 20
_OF_A_GROUP = 5


def grouped(changes: Iterable[Change]) -> list[tuple[str, str, list[Change]]]:
    """Return (what, reason, changes): the stale ones by their reason, which many share, the others by what happened."""
    groups: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in changes:
        groups[change.what, change.reason if change.what == "stale" else ""].append(change)
    at = {what: place for place, what in enumerate(ORDER)}
    return [(*key, groups[key]) for key in sorted(groups, key=lambda key: (at.get(key[0], len(at)), -len(groups[key]), key))]


def lines(changes: Sequence[Change]) -> Iterator[str]:
    """Yield the lines that tell all changes."""
    if len(changes) <= _ONE_BY_ONE:
        yield from map(_line, changes)
        return
    for what, reason, group in grouped(changes):
        if len(group) <= _OF_A_GROUP:
            yield from map(_line, group)
            continue
        yield f"  {what:<8} {len(group):,} documents" + (f"  ({reason})" if reason else "")
        for change in group[:_OF_A_GROUP]:
            yield f"           {change.uri}" + (f"  ({change.reason})" if change.reason and not reason else "")
        yield f"           … and {len(group) - _OF_A_GROUP:,} more (--json lists all)"


def some(texts: Sequence[str], prefix: str = "") -> Iterator[str]:
    """Yield the lines of a list that may be long."""
    for text in texts[:_ONE_BY_ONE]:
        yield f"  {prefix}{text}"
    if len(texts) > _ONE_BY_ONE:
        yield f"  {prefix}… and {len(texts) - _ONE_BY_ONE:,} more (--json lists all)"


def _line(change: Change) -> str:
    return f"  {change.what:<8} {change.uri}" + (f"  ({change.reason})" if change.reason else "")
