"""The made set of questions and edits: every answer is in its document, and what was found is judged as described."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.chunking.asking import everything, plain
from benchmarks.chunking.contenders import OURS, SETTINGS, Piece, cut
from benchmarks.chunking.retrieval import BUDGET, _given, _judged, weight
from benchmarks.chunking.stability import KINDS, edits, measured
from benchmarks.chunking.world.papers import CATEGORIES, QUESTIONS_EACH, Paper, Question

QUESTION = Question("code", "en", "Which port?", "right", ("listens on 9443", "TCP"))


@pytest.fixture(scope="module")
def made() -> tuple[list[Paper], list[Question]]:
    return everything(Path("nowhere"))


def test_every_question_is_answered_by_its_paper(made: tuple[list[Paper], list[Question]]) -> None:
    papers = {paper.name: paper for paper in made[0]}
    assert len(papers) == len(made[0])
    for question in made[1]:
        bare = plain(papers[question.paper].text)
        assert all(plain(need) in bare for need in question.needs), question


def test_there_are_forty_questions_of_a_category_and_language(made: tuple[list[Paper], list[Question]]) -> None:
    counts = Counter((question.category, question.language) for question in made[1])
    assert all(counts[category, language] >= QUESTIONS_EACH for category in CATEGORIES for language in ("zh", "en"))


def test_the_set_is_the_same_every_time(made: tuple[list[Paper], list[Question]]) -> None:
    assert everything(Path("nowhere")) == made


def test_markup_and_case_do_not_matter_to_an_answer() -> None:
    assert plain("| `Port` | **9443** |") == plain("port 9443")


def piece(text: str, paper: str = "right", context: str = "") -> Piece:
    return Piece(paper, text, text, context or text)


def test_rank_is_that_of_the_first_piece_with_all_of_the_answer() -> None:
    ranked = [
        piece("It listens on 9443 over TCP.", "another"), piece("It listens on 9443."), piece("TCP: it `listens` on **9443**."),
        piece("It listens on 9443, TCP."),
    ]  # fmt: skip
    assert _judged(QUESTION, ranked).rank == 3


def test_piece_beyond_ten_has_no_rank_and_gains_nothing() -> None:
    found = _judged(QUESTION, [*(piece(f"No {n}") for n in range(10)), piece("It listens on 9443, TCP.")])
    assert (found.rank, found.gain, found.inside) == (0, 0.0, True)


def test_reader_is_given_what_fits_into_the_budget_each_text_once() -> None:
    long, right = "word " * (BUDGET // 2), ("right", "It listens on 9443, TCP.")
    assert weight(long) * 2 > BUDGET > weight(long)
    assert _given([("a", long), ("a", long), right], QUESTION) is True
    assert _given([("a", long), ("b", long), right], QUESTION) is False
    assert _given([("right", long * 9 + right[1])], QUESTION) is True


def test_parents_are_judged_apart_from_pieces() -> None:
    found = _judged(QUESTION, [piece("It listens on 9443.", context="It listens on 9443. It speaks TCP.")])
    assert (found.rank, found.inside, found.wider) == (0, False, True)


def test_edit_brings_its_mark_and_needless_texts_are_those_without(made: tuple[list[Paper], list[Question]]) -> None:
    some = edits(made[0])
    assert {edit.kind for edit in some} == set(KINDS)
    assert all((edit.mark in edit.after.text) == (edit.kind != "delete") for edit in some)
    costs = measured(OURS, some[:20], Path("nowhere"))
    assert all(cost.needed >= (cost.kind != "delete") for cost in costs)
    assert max(cost.needless for cost in costs) <= 2


def test_smaller_pieces_of_ours_are_smaller() -> None:
    papers = [Paper("a", "Guide", "# Guide\n\n" + "The gateway keeps a copy of every request for a month. " * 60)]
    sizes = {name: len(cut(name, papers, Path("nowhere")).pieces) for name in SETTINGS}
    assert sizes["concord-small"] > 1.5 * sizes[OURS]
