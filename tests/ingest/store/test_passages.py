"""Keys of chunks, in a file that may be lost: what is noted is found again, once, and chunks that share a key meet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ingest.store.passages import Passages

MANY = {f"chunk{number}": [number, 10_000 + number // 2] for number in range(1200)}


@pytest.fixture
def passages(tmp_path: Path) -> Iterator[Passages]:
    with closing(Passages(tmp_path / "cache" / "passages.db", "rules 1")) as opened:
        yield opened


def test_what_is_noted_is_known_however_much_it_is_and_whether_or_not_it_has_keys(passages: Passages) -> None:
    passages.put({**MANY, "short": []})
    assert passages.unknown(["new", *reversed(MANY), "short", "other"]) == ["new", "other"]


def test_noting_twice_changes_nothing(passages: Passages) -> None:
    passages.put(MANY)
    passages.put({"chunk1": MANY["chunk1"], "late": [10_000]})
    assert passages.sharing(["chunk0"]) == {10_000: ["chunk0", "chunk1", "late"]}


def test_chunks_that_share_a_key_meet_in_order(passages: Passages) -> None:
    passages.put(MANY)
    pairs = [sorted((f"chunk{number}", f"chunk{number + 1}")) for number in range(0, 1200, 2)]
    assert list(passages.all_sharing()) == pairs
    assert passages.sharing(list(MANY)) == {10_000 + at: pair for at, pair in enumerate(pairs)}


def test_entries_of_other_rules_are_dropped(tmp_path: Path) -> None:
    for rules, unknown in (("rules 1", []), ("rules 1", []), ("rules 2", ["chunk"])):
        with closing(Passages(tmp_path / "passages.db", rules)) as opened:
            if rules == "rules 1":
                opened.put({"chunk": [1]})
                opened.cover("digest")
            assert opened.unknown(["chunk"]) == unknown
            assert opened.covers("digest") is (rules == "rules 1")
