"""Groups, comparisons and the tables that they are told in."""

from __future__ import annotations

import pytest

from flows.evaluation import told
from flows.evaluation.outcome import Outcome, Part
from flows.evaluation.summary import compared, groups
from flows.evaluation.thresholds import Verdict, threshold, verdicts


def outcome(id: str, category: str, language: str, milliseconds: float = 10.0, **parts: Part) -> Outcome:
    return Outcome(id, category, language, f"query | {id}", {"nDCG@10": parts.get("gain", (1.0, 1.0))}, (1,), False, milliseconds)


def test_groups_are_all_categories_languages_and_both() -> None:
    made = groups([outcome("a", "table", "zh"), outcome("b", "table", "en"), outcome("c", "code", "zh")])
    assert [group.name for group in made] == ["all", "table", "code", "zh", "en", "table, zh", "table, en", "code, zh"]
    assert [group.questions for group in made] == [3, 2, 1, 2, 1, 1, 1, 1]


def test_one_language_is_not_told_twice() -> None:
    assert [group.name for group in groups([outcome("a", "table", "zh"), outcome("b", "code", "zh")])] == ["all", "table", "code"]


def test_questions_without_a_category_are_told_in_all_alone() -> None:
    some = [outcome("a", "table", "zh"), outcome("b", "", "zh", gain=(0.0, 1.0)), outcome("c", "", "en", gain=(0.0, 1.0))]
    made = groups(some)
    assert [group.name for group in made] == ["all", "table", "zh", "en", "table, zh"]
    assert [group.name for group in compared(some, some)] == ["all", "table"]
    met = verdicts(map(threshold, ("nDCG@10>=0.3", "each:nDCG@10>=1")), made)
    assert [(each.group, each.ok) for each in met] == [("all", True), ("table", True)], "of all three, not of those without"


def test_latency_is_that_of_the_searches() -> None:
    [whole, *_] = groups([outcome(str(at), "table", "", float(at)) for at in range(1, 102)])
    assert (whole.figures["p50 ms"].value, whole.figures["p95 ms"].value) == (51, 96)


def test_comparison_is_of_the_questions_that_both_have() -> None:
    first = [outcome("a", "table", "zh", gain=(0.0, 1.0)), outcome("b", "code", "zh"), outcome("only", "code", "zh")]
    second = [outcome("b", "code", "zh"), outcome("a", "table", "zh", gain=(1.0, 1.0))]
    whole, table, code = compared(first, second)
    assert (whole.name, whole.changes["nDCG@10"].difference, whole.changes["nDCG@10"].questions) == ("all", 0.5, 2)
    assert table.changes["nDCG@10"].low == 1.0 and code.changes["nDCG@10"].difference == 0


def test_only_changes_are_told_and_sure_ones_are_marked() -> None:
    pairs = [[outcome(str(at), "table", "zh", gain=(gain, 1.0)) for at in range(30)] for gain in (0.4, 0.9)]
    lines = list(told.changes(compared(*pairs)))
    assert [line[0] for line in lines] == ["all", "table"]
    assert all(line[1:5] == ["nDCG@10", ".400", ".900", "+0.500 *"] for line in lines)
    assert list(told.changes(compared(pairs[0], pairs[0]))) == []


@pytest.mark.parametrize(("value", "text"), [(0.5, ".500"), (1.0, "1.000"), (0.0, ".000")])
def test_shares_are_told_short(value: float, text: str) -> None:
    assert told.short(value) == text


def test_markdown_cells_cannot_end_their_cell() -> None:
    assert list(told.markdown(("a",), iter([["x | y\nz"]])))[-1] == "| x \\| y z |"


def test_threshold_without_questions_says_so() -> None:
    assert told.verdict(Verdict("MRR>=1", "all", None, False)) == "FAIL MRR>=1 in all: no question speaks of it"
