"""The golden set and its neighbourhood: as its generator writes it, enough of every kind, true, and no second right answer."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.answers.questions import CATEGORIES, EACH, calibration, golden, harder
from benchmarks.answers.world.everything import FIXTURES, LANGUAGES, ROOT, half, write
from benchmarks.answers.world.registry import seed
from flows.evaluation.question import Question, read
from flows.evaluation.ranks import folded

SETS: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {"golden": golden, "calibration": calibration, "harder": harder}


def kept(name: str) -> list[Question]:
    return read(FIXTURES / "eval" / f"{name}.jsonl")


@cache
def documents() -> dict[str, str]:
    """uri -> folded text of everything that can be read without a parser."""
    made = {f"{ROOT}/{paper.path}": paper.text for language in LANGUAGES for paper in half(language).documents()}
    corpus = FIXTURES / "corpus"
    made |= {f"corpus/{file.relative_to(corpus)}": file.read_text(encoding="utf-8") for file in corpus.rglob("*.md")}
    return {uri: folded(text) for uri, text in made.items()}


@cache
def names() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Entity -> (every name, folded; those that papers use)."""
    seeds = [(FIXTURES / "registry.yaml").read_text(encoding="utf-8")]
    seeds += [seed(half(language).papers, half(language).products.there) for language in LANGUAGES]
    entities = itertools.chain.from_iterable(yaml.safe_load(text)["entities"] for text in seeds)
    return {
        each["id"]: (
            frozenset(folded(name["text"]) for name in each["names"]),
            frozenset(folded(name["text"]) for name in each["names"] if name["kind"] in ("preferred", "legal")),
        )
        for each in entities if each["type"] in ("organization", "person", "product", "system")
    }


@pytest.mark.parametrize("name", SETS)
def test_set_is_what_its_generator_writes(name: str) -> None:
    lines = (FIXTURES / "eval" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == list(SETS[name]())


def test_golden_set_has_forty_of_each_category_half_in_either_language() -> None:
    counts = Counter((one.category, one.language) for one in kept("golden"))
    assert set(counts) == set(itertools.product(CATEGORIES, LANGUAGES)) and min(counts.values()) >= EACH >= 20


def test_calibration_set_is_large_enough_on_either_side() -> None:
    refused = Counter((one.expected.refusal, one.language) for one in kept("calibration"))
    assert len(refused) == 4 and min(refused.values()) >= 50 and refused.total() >= 200


def test_harder_set_refuses_as_often_as_not_and_has_both_sides_across_languages() -> None:
    counts = Counter((one.expected.refusal, "lingual" in one.category) for one in kept("harder"))
    assert min(counts[True, False], counts[False, False]) >= 150 and min(counts[True, True], counts[False, True]) >= 40


@pytest.mark.parametrize("fitted", ["calibration", "harder"])
def test_sets_share_no_subject_and_no_question(fitted: str) -> None:
    first, second = kept("golden"), kept(fitted)
    assert not {one.query for one in first} & {one.query for one in second}
    mixed = set.intersection(*({need.uri for one in some for need in one.expected.needs} for some in (first, second)))
    # Catalogues hold four products each: one of them has products of both sets.
    assert {uri for uri in mixed if "catalogue" not in uri} == set()


@pytest.mark.parametrize("name", SETS)
def test_every_passage_stands_in_its_document(name: str) -> None:
    known = documents()
    for one in kept(name):
        for need in one.expected.needs:
            if need.uri in known:
                assert all(folded(span) in known[need.uri] for span in need.spans), one.id
            else:
                assert need.uri.startswith("corpus/") and (FIXTURES / need.uri).exists(), one.id


@pytest.mark.parametrize("name", SETS)
def test_no_other_document_about_the_subject_says_the_same(name: str) -> None:
    """But for comparisons and contrasts, in which another subject that is named may have the same figure."""
    for one in kept(name):
        if one.category in ("cross-document", "negation", "version conflict"):
            continue
        query = folded(one.query)
        called = {said for every, canonical in names().values() if any(each in query for each in every) for said in canonical}
        own = {need.uri for need in one.expected.needs} | set(one.expected.never)
        current = {uri: text for uri, text in documents().items() if uri not in own and not _closed(uri)}
        for need in one.expected.needs:
            spans = [folded(span) for span in need.spans]
            second = [
                uri for uri, text in current.items()
                if all(span in text for span in spans) and any(each in text for each in called)
            ]
            assert second == [], (one.id, one.query)


@pytest.mark.parametrize("name", SETS)
def test_what_nobody_answers_names_nothing_that_is_there(name: str) -> None:
    """A product, organisation or system that is asked for in vain stands in no document; a code neither."""
    known = documents().values()
    absent = {product.full for language in LANGUAGES for product in half(language).products.absent}
    for one in kept(name):
        if one.category == "no answer":
            asked = [product for product in absent if product in one.query]
            assert not any(folded(product) in text for product in asked for text in known), one.id


def test_questions_are_worded_in_many_ways() -> None:
    """Without names and numbers the same words come back seldom."""
    called = sorted({name for every, _ in names().values() for name in every}, key=len, reverse=True)
    shapes: Counter[str] = Counter()
    for one in kept("golden"):
        shape = re.sub(r"\d+", "", folded(one.query))
        for name in called:
            shape = shape.replace(name, "")
        shapes[shape] += 1
    assert len(shapes) > 0.5 * shapes.total() and max(shapes.values()) <= 12, shapes.most_common(5)


_ENDED = re.compile(r".*/(policies/.*-[12]\.0|products/manual-.*-(2\.4|3\.0)|manuals/yungate-1|manuals/yunbus-operator-3\.1).*")


def _closed(uri: str) -> bool:
    """Versions that are followed by another one (two of them hold all the same; they are asked about by version alone)."""
    return _ENDED.fullmatch(uri) is not None


def test_world_is_the_same_twice(tmp_path: Path) -> None:
    half.cache_clear()
    write(tmp_path / "one", share=9)
    half.cache_clear()
    write(tmp_path / "two", share=9)
    one, two = (
        {file.relative_to(tmp_path / name): file.read_bytes() for file in (tmp_path / name).rglob("*") if file.is_file()}
        for name in ("one", "two")
    )
    assert one == two and len(one) > 100
