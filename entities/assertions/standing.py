"""What assertions make of each other: which took the place of which, and which contradict.

Only relations that admit one object or value at a time (the vocabulary says which) can be at odds. A later one takes the place
of an earlier one that was left open: the earlier held until the later began. What overlaps otherwise is a contradiction, told and
never resolved here. No clock is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ingest.model.entity import Assertion, followed

_BEGIN, _END = "", "~"
"""Before and after every normalised instant."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An assertion with its time as others leave it. `superseded_by`, `contradicts`: ids of assertions."""

    assertion: Assertion
    valid_until: str | None
    superseded_by: str | None = None
    contradicts: tuple[str, ...] = ()

    def holds_at(self, instant: str) -> bool:
        """Whether it holds at a normalised instant."""
        since = self.assertion.valid_from or _BEGIN
        return since <= instant < (self.valid_until or _END)


def standings(
    assertions: Iterable[Assertion], exclusive: Collection[str], redirects: Mapping[str, str] | None = None
) -> list[Standing]:
    """Return the standing of each of `assertions`, which are all that is said of their subjects, by assertion id.

    `redirects`: entities that were merged count as one, as subjects and as objects."""
    means = redirects or {}
    groups: dict[tuple[str, str], list[Assertion]] = defaultdict(list)
    every = {assertion.assertion_id: assertion for assertion in assertions}
    for id in sorted(every):
        groups[followed(every[id].subject, means), every[id].relation].append(every[id])
    found: dict[str, Standing] = {}
    for (_, relation), group in groups.items():
        alone = relation not in exclusive or len(group) == 1
        for assertion in group:
            found[assertion.assertion_id] = (
                Standing(assertion, assertion.valid_until) if alone else _standing(assertion, group, means)
            )
    return [found[id] for id in sorted(found)]


def _standing(mine: Assertion, group: list[Assertion], means: Mapping[str, str]) -> Standing:
    others = [other for other in group if _said(other, means) != _said(mine, means)]
    later = sorted(
        (other for other in others if other.valid_from is not None and other.valid_from > (mine.valid_from or _BEGIN)),
        key=lambda other: (other.valid_from or "", other.assertion_id),
    )
    closing = later[0] if later and mine.valid_until is None else None
    until = closing.valid_from if closing is not None else mine.valid_until
    window = mine.valid_from or _BEGIN, until or _END
    against = [other.assertion_id for other in others if _overlap(window, _window(other, group, means))]
    return Standing(mine, until, closing.assertion_id if closing is not None else None, tuple(sorted(against)))


def _window(mine: Assertion, group: list[Assertion], means: Mapping[str, str]) -> tuple[str, str]:
    """The time of an assertion, cut where a later one takes its place."""
    since = mine.valid_from or _BEGIN
    if mine.valid_until is not None:
        return since, mine.valid_until
    starts = (other.valid_from for other in group if _said(other, means) != _said(mine, means))
    return since, min((start for start in starts if start is not None and start > since), default=_END)


def _overlap(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _said(assertion: Assertion, means: Mapping[str, str]) -> tuple[str, str]:
    if assertion.object is not None:
        return "object", followed(assertion.object, means)
    return "value", assertion.value or ""
