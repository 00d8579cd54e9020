"""What may vouch for bytes, and what may not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from ingest.sources.remote.tokens import of_headers, of_info

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OLD, YOUNG = NOW - timedelta(days=1), NOW - timedelta(seconds=1)


@pytest.mark.parametrize("info", [
    {"ETag": '"d41d8cd98f00b204e9800998ecf8427e"'}, {"ETag": '"d41d8cd98f00b204e9800998ecf8427e-38"', "LastModified": YOUNG},
    {"generation": "17", "etag": "CJ"}, {"etag": "0x8D", "last_modified": YOUNG}, {"mtime": OLD}, {"mtime": OLD.timestamp()},
    {"created": OLD}, {"updated": "2026-11-29T12:00:00Z"}, {"etag": 'W/"1"', "last_modified": OLD},
])
def test_a_strong_etag_or_an_instant_that_is_past_vouches(info: dict[str, object]) -> None:
    assert of_info(info, NOW)


@pytest.mark.parametrize("info", [
    {}, {"size": 3}, {"mtime": YOUNG}, {"mtime": NOW + timedelta(days=1)}, {"etag": 'W/"1"'},
    {"etag": 'W/"1"', "last_modified": YOUNG}, {"LastModified": "some day"},
])
def test_nothing_else_does(info: dict[str, object]) -> None:
    assert of_info(info, NOW) == ""


def test_an_etag_of_parts_is_told_from_one_of_a_whole() -> None:
    assert len({of_info({"ETag": tag}, NOW) for tag in ('"abc"', '"abc-2"', '"abc-3"')}) == 3


def test_an_object_written_again_is_not_taken_for_the_same_even_under_one_etag() -> None:
    assert of_info({"ETag": '"a"', "LastModified": OLD}, NOW) != of_info({"ETag": '"a"', "LastModified": YOUNG}, NOW)


def test_the_instant_of_one_moment_is_one_in_every_zone() -> None:
    there = OLD.astimezone(timezone(timedelta(hours=8)))
    assert of_info({"mtime": OLD}, NOW) == of_info({"mtime": there}, NOW) == of_info({"mtime": OLD.replace(tzinfo=None)}, NOW)


def test_a_page_that_its_server_wrote_just_now_is_judged_by_the_clock_of_the_server() -> None:
    headers = {"ETag": '"5-1"', "Last-Modified": "Mon, 30 Nov 2026 11:59:00 GMT"}
    assert of_headers(headers, NOW)
    assert of_headers({**headers, "Date": "Mon, 30 Nov 2026 11:59:01 GMT"}, NOW) == ""
