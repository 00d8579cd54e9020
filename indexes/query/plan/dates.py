"""Of which time a query speaks.

Dates become ranges [from, until) of normalised instants; what a date is to the question (in, before, as of ...) is told by the
words around it. A date moves the question to that time only where it is about what held then: what *happened* in 2024 is told by
documents of 2025, too, which were not in force in 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from indexes.query.plan.plan import Fired
from indexes.query.plan.reading import Match, Reading
from indexes.query.plan.rules import DATE, RELATIVE, Rules
from ingest.model.instant import parse_instant

_FIRST, _LAST = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"
_DIGITS = {char: digit for digits in ("〇一二三四五六七八九", "零一二三四五六七八九") for digit, char in enumerate(digits)}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

EITHER = "dates:either"
"""Id under which a plan tells that a date may be one of two days, and what holds from the first to the second is asked for."""

Range = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Period:
    """A date in a query: where it stands, [start, end) in folded text, and what range it is."""

    start: int
    end: int
    range: Range
    relative: bool
    match: Match
    either: bool = False
    """It may be one of two days, and the range is from the first to the second: 01/06/2024."""


@dataclass(frozen=True, slots=True)
class Time:
    """What the query says of time; at most one of the two. `said`: where, [start, end) in the query as written."""

    as_of: str | None = None
    during: Range | None = None
    fired: tuple[Fired, ...] = ()
    said: tuple[tuple[int, int], ...] = ()


def periods(reading: Reading, rules: Rules, instant: str) -> list[Period]:
    """The dates of a query, in order. `instant`: what relative ones are relative to."""
    found: list[Period] = []
    for match in reading.matches(rules.of("date")):
        start, end = match.at
        if any(start < each.end and each.start < end for each in found):
            continue
        span = _range(match, instant)
        if span is not None:
            either = "first" in match.groups and _moment(span[1]) - _moment(span[0]) > timedelta(days=1)
            found.append(Period(start, end, span, bool(match.rule.value), match, either))
    return sorted(found, key=lambda each: each.start)


def time_of(reading: Reading, rules: Rules, found: list[Period], instant: str) -> Time:
    """Of which time the query speaks, if of any that narrows what holds."""
    if not found:
        return Time()
    masked = _masked(reading.folded, found)
    for match in reading.matches(rules.of("edge"), masked):
        met = [each for each in found if match.at[0] <= each.start and each.end <= match.at[1]]
        if met:
            met = sorted(found, key=lambda each: each.range) if match.rule.value == "within" else met
            time = _narrowed(reading, rules, met, match.rule.value, instant, (_fired(met), Fired(match.rule.id, match.text)))
            return replace(time, said=(*spans(met), (match.start, match.end)))
    relative = [each for each in found if each.relative][:1]
    if not relative:
        return Time()
    return replace(_narrowed(reading, rules, relative, "within", instant, (_fired(relative),)), said=tuple(spans(relative)))


def _narrowed(
    reading: Reading, rules: Rules, met: list[Period], edge: str, instant: str, fired: tuple[Fired, ...]
) -> Time:
    event = reading.first(rules.of("event"))
    if edge != "as_of" and event is not None:
        holds = reading.first(rules.of("holds"))
        if holds is None:
            return Time(fired=(*fired, Fired(event.rule.id, event.text)))
        fired = (*fired, Fired(holds.rule.id, holds.text))
    begin, end = met[0].range[0], met[-1].range[1]  # of several years that are compared, from the first to the last
    if any(each.either for each in met):  # whatever one of the days asks for
        fired = (*fired, Fired(EITHER, f"{met[0].match.text} -> {begin[:10]}, {_written(_moment(end) - timedelta(days=1))[:10]}"))
        edge = "within" if edge == "as_of" else edge
        begin = begin if edge != "before" else _written(_moment(end) - timedelta(days=1))
    if edge == "as_of":
        return Time(as_of=_as_of((begin, end), instant), fired=fired)
    if edge == "before":
        return Time(during=(_FIRST, begin), fired=fired)
    if edge == "after":
        return Time(during=(begin, _LAST if begin >= instant else _next_second(instant)), fired=fired)
    return Time(during=(begin, end), fired=fired) if begin < end else Time(fired=fired)


def _as_of(span: Range, instant: str) -> str:
    """A day is its midnight, as everywhere; of a longer time its end, but not later than the request where that lies in it."""
    begin, end = span
    if _moment(end) - _moment(begin) <= timedelta(days=1):
        return begin
    last = _written(_moment(end) - timedelta(seconds=1))
    return instant if begin <= instant < last else last


def _fired(met: list[Period]) -> Fired:
    return Fired(met[0].match.rule.id, " ".join(each.match.text for each in met))


def _masked(text: str, found: list[Period]) -> str:
    chars = list(text)
    for each in found:
        chars[each.start : each.end] = DATE * (each.end - each.start)
    return "".join(chars)


def _range(match: Match, instant: str) -> Range | None:
    try:
        if match.rule.value:
            return _relative(match.rule.value, match.groups, _moment(instant))
        return _absolute(match.groups)
    except (ValueError, KeyError, OverflowError):  # the 31st of February, or a year that does not exist
        return None


def _absolute(groups: dict[str, str]) -> Range:
    year = _number(groups["year"])
    if groups.get("first"):
        return _either(year, int(groups["first"]), int(groups["second"]))
    if groups.get("quarter"):
        return _months(year, 3 * _number(groups["quarter"]) - 2, 3)
    if groups.get("half"):
        return _months(year, 1 if groups["half"] in "上1" else 7, 6)
    if not groups.get("month"):
        return _months(year, 1, 12)
    month = _month(groups["month"])
    if not groups.get("day"):
        return _months(year, month, 1)
    day = datetime(year, month, _number(groups["day"]), tzinfo=UTC)
    return _written(day), _written(day + timedelta(days=1))


def _either(year: int, first: int, second: int) -> Range:
    """The day where only one of two numbers can be the month; else from the first to the second of the days that they may be."""
    readings = {(month, day) for month, day in ((first, second), (second, first)) if month <= len(_MONTHS)}
    days = sorted(datetime(year, month, day, tzinfo=UTC) for month, day in readings)
    return _written(days[0]), _written(days[-1] + timedelta(days=1))


def _relative(value: str, groups: dict[str, str], now: datetime) -> Range:
    told = RELATIVE.fullmatch(value)
    unit, offset = (told[1], int(told[2] or 0)) if told else ("year", 0)
    if unit == "year" and groups:  # a part of that year
        return _absolute({**groups, "year": f"{now.year + offset:04}"})
    if unit == "day":
        day = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=offset)
        return _written(day), _written(day + timedelta(days=1))
    size = {"year": 12, "quarter": 3, "month": 1}[unit]
    first = (now.year * 12 + now.month - 1) // size * size + offset * size
    return _months(first // 12, first % 12 + 1, size)


def _months(year: int, month: int, count: int) -> Range:
    last = year * 12 + month - 1 + count
    return _written(datetime(year, month, 1, tzinfo=UTC)), _written(datetime(last // 12, last % 12 + 1, 1, tzinfo=UTC))


def _month(text: str) -> int:
    return _MONTHS.index(text[:3]) + 1 if text[:3] in _MONTHS else _number(text)


def _number(text: str) -> int:
    """Digits of either script; 十 to 十九 for months, years digit by digit."""
    if text.isascii():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)
    return int("".join(str(_DIGITS[char]) for char in text))


def _moment(instant: str) -> datetime:
    return datetime.fromisoformat(instant)


def _written(moment: datetime) -> str:
    return parse_instant(moment)


def _next_second(instant: str) -> str:
    return _written(_moment(instant) + timedelta(seconds=1))


def spans(found: Iterable[Period]) -> Iterator[tuple[int, int]]:
    """Where dates stand in the query as written."""
    return ((each.match.start, each.match.end) for each in found)
