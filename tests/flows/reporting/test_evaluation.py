"""The page of an evaluation: escaped, with drawings beside their numbers, the misses told."""

from __future__ import annotations

import re

from flows.evaluating import Evaluation
from flows.evaluation.outcome import Came, Outcome
from flows.evaluation.summary import compared, groups
from flows.evaluation.thresholds import threshold, verdicts
from flows.reporting.evaluation import page

EVIL = '<script>alert("x")</script>'


def outcome(id: str, gain: float, **more: object) -> Outcome:
    parts = {"nDCG@10": (gain, 1.0), **{f"Recall@{k}": (gain, 1.0) for k in (1, 5, 10, 20)}}
    return Outcome(id, "table", "zh", f"{EVIL} {id}", parts, (1,), False, 12.0, **more)  # type: ignore[arg-type]


def made() -> Evaluation:
    first = [outcome("a", 1.0), outcome("b", 0.0, missed=("rank none",), came=(Came(f"docs/{EVIL}.md", "h", EVIL),))]
    second = [outcome("a", 0.5), outcome("b", 0.0)]
    found = groups(first)
    checked = verdicts([threshold("nDCG@10>=0.9"), threshold("table:Recall@20>=0.4")], found)
    differences = compared(second, first)
    return Evaluation(3, "0" * 32, "2026-11-30T00:00:00Z", 2, found, tuple(first), checked, differences, "generation 2")


def test_page_tells_thresholds_drawings_changes_and_misses() -> None:
    text = page(made())
    for words in ("1 threshold missed", "Recall by depth", "Compared with generation 2", "Misses", "rank none", "nDCG@10"):
        assert words in text
    assert text.count('class="bar"') >= 2 and "0.500 at 20" in text


def test_a_comparison_without_a_difference_says_so() -> None:
    one = [outcome("a", 1.0)]
    same = compared(one, one)
    text = page(Evaluation(1, "0" * 32, "2026-11-30T00:00:00Z", 1, groups(one), tuple(one), (), same, "generation 1"))
    assert "Nothing differs." in text and "Nothing differs." not in page(made())


def test_recall_is_drawn_in_parts_of_one_and_a_missed_threshold_is_marked() -> None:
    text = page(made())
    assert 'class="trace" d="M0.0 50.0L' in text, "a recall of .5 reaches half of the height"
    assert text.count('<span class="state bad">missed</span>') == 1


def test_nothing_of_a_document_becomes_markup() -> None:
    text = page(made())
    assert "<script" not in text and "&lt;script&gt;" in text
    assert set(re.findall(r"<(\w+)", text)) <= {
        "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "h1", "h2", "p", "span",
        "strong", "bdi", "time", "dl", "div", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure",
        "figcaption", "svg", "desc", "rect", "path", "line",
    }


def test_page_without_thresholds_and_misses_is_shorter() -> None:
    one = outcome("a", 1.0)
    text = page(Evaluation(1, "0" * 32, "2026-11-30T00:00:00Z", 1, groups([one]), (one,)))
    assert "No thresholds" in text and "Misses" not in text and "Compared" not in text
