"""Whole evaluations of a small base: every metric where its value is known, leaks, comparisons, and what is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.evaluating import Evaluation, evaluate, keep_figures
from flows.evaluation.kept import kept
from flows.evaluation.question import read
from flows.evaluation.summary import METRICS
from ingest.errors import NotFound, UsageError
from ingest.progress import Silent
from ingest.store.layout import Layout

NOW = {"as_of": "2026-06-01"}
RIGHT = {"query": "青鸟网关 最大并发连接数", **NOW, "expected": {
    "sources": ["docs/a-2.0.md"], "spans": ["9000"], "version": "2.0", "never": ["docs/a-1.0.md"],
}}


@pytest.fixture
def ask(small: Any, questions: Callable[..., Path]) -> Callable[..., Evaluation]:
    def call(*lines: dict[str, Any], **options: Any) -> Evaluation:
        return evaluate(small.settings, read(questions(*({"mode": "bm25", **line} for line in lines))), Silent(), **options)

    return call


def figures(made: Evaluation) -> dict[str, float]:
    return {name: figure.value for name, figure in made.groups[0].figures.items()}


def test_right_answer_has_every_figure_at_one(ask: Callable[..., Evaluation]) -> None:
    found = figures(ask(RIGHT))
    assert {found[name] for name in ("Recall@1", "Recall@20", "nDCG@10", "MRR", "evidence hit", "right version")} == {1.0}
    assert found["citation validity"] == 1.0 and found["leaks"] == 0 and found["refused wrongly"] == 0


def test_older_version_is_right_at_its_time(ask: Callable[..., Evaluation]) -> None:
    expected = {"sources": ["docs/a-1.0.md"], "spans": ["5000"], "version": "1.0", "never": ["docs/a-2.0.md"]}
    made = ask({**RIGHT, "as_of": "2024-06-01", "expected": expected})
    assert figures(made)["right version"] == 1.0 and not made.outcomes[0].missed


def test_other_version_wrong_rank_and_missing_passage_are_misses(ask: Callable[..., Evaluation]) -> None:
    wrong = {**RIGHT["expected"], "version": "3.0", "spans": ["12345"], "never": []}  # type: ignore[dict-item]
    made = ask({**RIGHT, "expected": wrong})
    assert made.outcomes[0].missed == ("rank none", "other version")
    assert made.outcomes[0].came[0].uri == "docs/a-2.0.md"
    assert figures(made)["Recall@20"] == 0 == figures(made)["right version"]


def test_document_that_is_not_there_is_told_apart_from_one_that_was_not_found(ask: Callable[..., Evaluation]) -> None:
    made = ask({**RIGHT, "expected": {"sources": ["docs/a-2.0.txt"]}})
    assert made.outcomes[0].missed == ("docs/a-2.0.txt is not in this generation", "rank none")


def test_refusals_are_told_from_answers(ask: Callable[..., Evaluation]) -> None:
    made = ask(
        {"query": "zzyzx quux", **NOW, "expected": {"refusal": True}}, RIGHT,
        {"query": "青鸟网关", **NOW, "expected": {"refusal": True}},
        {"query": "xyzzy", **NOW, "expected": {"sources": ["docs/b-2.0.md"]}},
    )
    found = figures(made)
    assert (found["refusal precision"], found["refusal recall"], found["refused wrongly"]) == (0.5, 0.5, 0.5)
    assert [one.missed for one in made.outcomes] == [(), (), ("answered",), ("rank none", "refused")]


SECRET = {"query": "What is promised to Larkfield every month?", **NOW, "expected": {
    "refusal": True, "never": ["docs/order.md", "KESTREL", "99.95 percent"],
}}


def test_hidden_document_does_not_leak_and_shows_to_its_tenant(ask: Callable[..., Evaluation]) -> None:
    made = ask(SECRET, {**SECRET, "principal": {"tenant": "larkfield"}, "expected": {
        "sources": ["docs/order.md"], "spans": ["99.95 percent"],
    }})
    assert made.groups[0].leaks == 0 and made.outcomes[1].ranks == (1,)


def test_leak_is_counted_by_text_by_uri_and_by_id(ask: Callable[..., Evaluation]) -> None:
    made = ask({**SECRET, "principal": {"tenant": "larkfield"}})
    assert made.outcomes[0].leaks == ("docs/order.md", "KESTREL", "99.95 percent") and made.groups[0].leaks == 3
    assert not made.passed or not made.verdicts


def test_words_of_the_query_are_no_leak_unless_they_were_found(ask: Callable[..., Evaluation]) -> None:
    made = ask({"query": "KESTREL", **NOW, "expected": {"refusal": True, "never": ["KESTREL", "docs/order.md"]}})
    assert made.groups[0].leaks == 0


def test_reported_conflict_and_missing_conflict(ask: Callable[..., Evaluation]) -> None:
    made = ask({**RIGHT, "expected": {"sources": ["docs/a-2.0.md"], "conflict": "versions"}})
    assert figures(made)["conflict reported"] == 0 and "conflict not reported" in made.outcomes[0].missed


def test_generation_compared_with_itself_does_not_differ(ask: Callable[..., Evaluation]) -> None:
    made = ask(RIGHT, SECRET, other_generation=1)
    assert made.against == "generation 1"
    assert all(change.difference == 0 for group in made.compared for change in group.changes.values())


def test_other_settings_are_compared_question_by_question(small: Any, ask: Callable[..., Evaluation]) -> None:
    search = small.settings.search.model_copy(update={"candidates": 1})
    made = ask(RIGHT, SECRET, other_settings=small.settings.model_copy(update={"search": search}))
    assert made.against == "other settings" and made.compared[0].changes["nDCG@10"].questions == 1


def test_threshold_is_read_before_anything_is_asked(ask: Callable[..., Evaluation]) -> None:
    with pytest.raises(UsageError, match="names no metric"):
        ask(RIGHT, thresholds=("goodness>=1",))
    assert ask(RIGHT, thresholds=("nDCG@10>=1", "leaks<=0")).passed
    assert not ask(RIGHT, thresholds=("p50 ms<=0",)).passed


def test_generation_that_is_not_kept_is_an_error(ask: Callable[..., Evaluation]) -> None:
    with pytest.raises(NotFound):
        ask(RIGHT, generation=99)


def test_figures_are_the_same_twice(ask: Callable[..., Evaluation]) -> None:
    def stable(made: Evaluation) -> list[Any]:
        return [{name: each for name, each in group.figures.items() if name in METRICS} for group in made.groups]

    assert stable(ask(RIGHT, SECRET)) == stable(ask(RIGHT, SECRET))


def test_kept_figures_name_no_question_and_no_document(
    small: Any, ask: Callable[..., Evaluation], questions: Callable[..., Path]
) -> None:
    from flows.doctor import examine

    file = questions(RIGHT)
    made = ask(RIGHT, SECRET)
    keep_figures(small.settings, made, file, Silent())
    layout = Layout(small.kb)
    text = layout.evaluation.read_text(encoding="utf-8")
    assert all(word not in text for word in ("青鸟", "Larkfield", "docs/", "KESTREL"))
    last = kept(layout)
    assert last is not None and (last.questions, last.leaks, last.figures["nDCG@10"]) == (2, 0, 1.0)
    found = {finding.subject: finding for finding in examine(small.settings)}
    assert "nDCG@10 1.000" in found["evaluation"].detail and "through the graph" in found["graph"].detail
    layout.evaluation.write_text("{}", encoding="utf-8")
    assert kept(layout) is None
    layout.evaluation.unlink()
