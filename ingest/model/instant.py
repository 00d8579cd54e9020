"""Instants: ISO 8601 in UTC for people and checksums, integer seconds for indexes.

A date without a time is its midnight, UTC. Instants before year 1 and after 9999 do not exist here; `BEGIN` and `END`
stand for an open side of a window in an index column, where null would need a second column.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

BEGIN = -(1 << 62)
END = 1 << 62


def parse_instant(value: str | date | datetime) -> str:
    """Return `value` as `YYYY-MM-DDTHH:MM:SSZ`.

    Accepts ISO dates and date-times, `2024/7/1`, and the `date` / `datetime` that YAML makes of them. A time without a zone
    is UTC. Raises ValueError with the offending text otherwise.
    """
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day)
    else:
        text = value.strip()
        try:
            if is_date_only(text):
                year, month, day = (int(part) for part in text.replace("/", "-").split("-"))
                moment = datetime(year, month, day)
            else:
                moment = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"not a date or time: {text!r} (write 2025-07-01 or 2025-07-01T08:00:00+08:00)") from None
    try:
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"not an instant between the years 1 and 9999 UTC: {value!s}") from None
    return f"{moment.year:04d}" + moment.strftime("-%m-%dT%H:%M:%SZ")


def is_date_only(text: str) -> bool:
    """Whether a declared text names a day rather than a moment."""
    parts = text.strip().replace("/", "-").split("-")
    return len(parts) == 3 and all(part.isdigit() for part in parts) and len(parts[0]) == 4


FIRST, LAST = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"
"""What an open side of a range says, where text is needed."""


def parse_range(value: str) -> tuple[str, str]:
    """Return a range `FROM..UNTIL` as two instants [from, until).

    Either side may be left open, and be a moment, a day, a month (`2024-07`) or a year: those are meant to their end. One of them
    alone is a range, too. Raises ValueError with the offending text."""
    first, dots, last = value.partition("..")
    start = _bounds(first)[0] if first.strip() else FIRST
    end = _bounds(last)[1] if last.strip() else LAST if dots else _bounds(first)[1]
    if not value.strip(" .") or not start < end:
        raise ValueError(f"not a range of time: {value!r} (write 2024-07-01..2024-12-31, 2024-07, 2024 or 2024-07-01..)")
    return start, end


_PARTIAL = re.compile(r"(?!0000)(\d{4})(?:[-/](0?[1-9]|1[0-2]))?")


def _bounds(value: str) -> tuple[str, str]:
    """The first instant of what a text names, and the one behind its last; of a moment, the moment itself."""
    text = value.strip()
    partial = _PARTIAL.fullmatch(text)
    if partial is None:
        start = parse_instant(text)
        return start, next_day(start) if is_date_only(text) else start
    year, month = int(partial[1]), int(partial[2] or 1)
    following = (year, month + 1) if partial[2] and month < 12 else (year + 1, 1)
    last = LAST if following[0] > 9999 else parse_instant(date(*following, 1))
    return parse_instant(datetime(year, month, 1)), last


def seconds(instant: str | None, *, absent: int) -> int:
    """Return whole seconds since 1970 of a normalised instant, or `absent` for None."""
    if instant is None:
        return absent
    return int((datetime.fromisoformat(instant) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1))


def next_day(instant: str) -> str:
    """Return the midnight a day after a normalised midnight: the exclusive end of a window declared by its last day."""
    return parse_instant(datetime.fromisoformat(instant) + timedelta(days=1))


def now() -> str:
    """Return the present instant. The only clock of the product: content never depends on it."""
    return parse_instant(datetime.now(UTC))


def seconds_since(instant: str) -> float | None:
    """Return how long ago an instant was, to the second; None for what is none."""
    try:
        return (datetime.fromisoformat(now()) - datetime.fromisoformat(instant)).total_seconds()
    except (ValueError, TypeError):
        return None
