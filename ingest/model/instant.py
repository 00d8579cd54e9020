"""Instants: ISO 8601 in UTC for people and checksums, integer seconds for indexes.

A date without a time is its midnight, UTC. Instants before year 1 and after 9999 do not exist here; `BEGIN` and `END`
stand for an open side of a window in an index column, where null would need a second column.
"""

from __future__ import annotations

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
        if is_date_only(text):
            year, month, day = (int(part) for part in text.replace("/", "-").split("-"))
            moment = datetime(year, month, day)
        else:
            try:
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
