"""What text costs of a child: its units, or more where the embedder's window runs out first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.cost import PLAIN, Scale
from ingest.chunk.sentences import sentence_ends
from ingest.chunk.units import measure

SCALE = Scale.of(300, 520)
MIXED = st.lists(
    st.sampled_from(["数据", "word", "don't", "don’t", "。", "v2", "🙂", "…", "café", "1,234.5", "|", "“引号”", "한국어", "\n"]),
    max_size=40,
)


def test_chinese_costs_its_units_and_english_more() -> None:
    assert SCALE.cost("数据库备份策略") == measure("数据库备份策略")
    assert SCALE.cost("the backup of a database") > 1.2 * measure("the backup of a database")


def test_table_of_numbers_costs_more_than_prose() -> None:
    prose, table = "one two three four five six", "1,1 | 2,2 | 3,3"
    assert measure(prose) == measure(table)
    assert SCALE.cost(table) > SCALE.cost(prose)


def test_without_a_window_only_units_count() -> None:
    for text in ("the backup of a database", "数据库，备份", "1,2 | 3,4"):
        assert Scale.of(300, 0).cost(text) == PLAIN.cost(text) == measure(text)


def test_wide_window_changes_nothing() -> None:
    assert Scale.of(300, 8192) == PLAIN


def test_smaller_window_costs_more() -> None:
    text = "A gateway in front of every service."
    assert SCALE.cost(text) < Scale.of(300, 256).cost(text)


@given(MIXED)
def test_cost_is_never_below_the_size(words: list[str]) -> None:
    text = " ".join(words)
    assert SCALE.cost(text) >= measure(text)


@given(MIXED, st.integers(0, 40))
def test_costs_of_parts_sum_to_the_whole_or_a_little_more(words: list[str], at: int) -> None:
    left, right = " ".join(words[:at]), " ".join(words[at:])
    whole = SCALE.cost(f"{left} {right}")
    assert whole <= SCALE.cost(left) + SCALE.cost(right) + 1 <= whole + 3


@given(st.lists(MIXED.map("".join) | st.text(max_size=20), min_size=1, max_size=9))
def test_parts_that_are_weighed_together_cost_no_less_and_hardly_more(parts: list[str]) -> None:
    text = "".join(parts)
    ends = [sum(map(len, parts[: n + 1])) for n in range(len(parts))]
    spans = [(end - len(part), end) for part, end in zip(parts, ends, strict=True) if part]
    together = SCALE.costs(text, spans)
    alone = [SCALE.cost(text[start:end]) for start, end in spans]
    # Two apostrophes in a row, or one that is written as a mark, part words only there.
    marks = [text[start:end].count("'") + text[start:end].count("’") for start, end in spans]
    assert all(0 <= one - other <= 4 * mark for one, other, mark in zip(together, alone, marks, strict=True))


@pytest.mark.parametrize("text", [
    "Lantern keeps metrics. It listens. See v2.1, e.g. 3.14 % of it. Done? Yes!",
    "网关支持限流。默认端口是 8443。使用 Python 3.11。好吗？好！",
])  # fmt: skip
def test_sentences_weighed_together_cost_what_each_costs(text: str) -> None:
    ends = sentence_ends(text)
    spans = list(zip([0, *ends[:-1]], ends, strict=True))
    assert len(spans) > 2
    assert SCALE.costs(text, spans) == [SCALE.cost(text[start:end]) for start, end in spans]
