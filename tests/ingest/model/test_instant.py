"""Ranges of time as people write them."""

from __future__ import annotations

import pytest

from ingest.model.instant import FIRST, LAST, parse_instant, parse_range


@pytest.mark.parametrize(("said", "start", "end"), [
    ("2024-07-01..2024-12-31", "2024-07-01T00:00:00Z", "2025-01-01T00:00:00Z"),
    ("2024", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"), ("2024-12", "2024-12-01T00:00:00Z", "2025-01-01T00:00:00Z"),
    ("2024/2", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"), ("2024-02-29", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"),
    ("2024..", "2024-01-01T00:00:00Z", LAST), ("..2024-06", FIRST, "2024-07-01T00:00:00Z"),
    ("9999", "9999-01-01T00:00:00Z", LAST),
    ("2024-01-01T08:00:00+08:00..2024-01-01T09:00:00+08:00", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z"),
])
def test_a_range_ends_where_what_it_names_ends(said: str, start: str, end: str) -> None:
    assert parse_range(said) == (start, end)


@pytest.mark.parametrize("said", ["", "..", " ", "2025..2024", "2024-13", "0000", "soon", "2024-01-01T00:00:00", "1..2"])
def test_what_is_none_is_refused(said: str) -> None:
    with pytest.raises(ValueError):
        parse_range(said)


@pytest.mark.parametrize("said", ["2024-02-30", "2024-13-01", "0000-01-01", "2024-13", "yesterday"])
def test_a_day_that_is_none_is_told_as_it_was_written(said: str) -> None:
    for parse in (parse_instant, parse_range):
        with pytest.raises(ValueError, match=f"not a date or time: '{said}'"):
            parse(said)
