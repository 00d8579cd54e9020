from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.fragments import ANYWHERE, CLAUSE, SPACE, fragments
from ingest.chunk.units import measure


def test_a_clause_end_is_preferred_to_a_space() -> None:
    text = "alpha beta gamma, delta epsilon zeta eta theta"
    first, second = fragments(text, 0, len(text), 15)
    assert text[: first.end] == "alpha beta gamma, "
    assert second.rank == CLAUSE


def test_words_stay_whole_while_there_are_spaces() -> None:
    text = "word " * 100
    parts = fragments(text, 0, len(text), 30)
    assert {part.rank for part in parts[1:]} == {SPACE}
    assert all(text[part.start : part.end].endswith(" ") for part in parts)


def test_a_run_without_any_boundary_is_cut_anywhere_into_equal_parts() -> None:
    text = "无" * 1000
    parts = fragments(text, 0, len(text), 400)
    assert {part.rank for part in parts[1:]} == {ANYWHERE}
    assert {part.end - part.start for part in parts} == {200}


@pytest.mark.parametrize("joined", ["e\u0301", "🙂\u200d🙂", "☺\ufe0f"])
def test_what_belongs_to_one_character_is_not_parted(joined: str) -> None:
    text = joined * 200
    for part in fragments(text, 0, len(text), 12):
        assert text[part.start] not in "\u0301\u200d\ufe0f"
        assert text[part.end - 1] != "\u200d"


@given(st.text(min_size=1, max_size=300), st.integers(3, 60))
def test_fragments_follow_one_another_and_keep_the_limit(text: str, limit: int) -> None:
    parts = fragments(text, 0, len(text), limit)
    assert "".join(text[part.start : part.end] for part in parts) == text
    assert all(part.end > part.start for part in parts)
    wordless = max((len(word) for word in text.split()), default=0) < 8
    if wordless:
        assert all(measure(text[part.start : part.end]) <= limit + 3 for part in parts)
