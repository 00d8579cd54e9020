"""A part of the golden set in every run of the tests: what must hold at any quality (leaks, versions, checksums), by words alone.

`make bench-answers` asks the whole of it with the default embedder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import yaml

from benchmarks.answers.world.everything import FIXTURES, LANGUAGES, ROOT, half
from benchmarks.answers.world.registry import seed
from flows.evaluating import Evaluation, evaluate
from flows.evaluation.question import Question, read
from ingest.progress import Silent

CATEGORIES = ("version conflict", "access isolation", "table", "code", "alias")
EVERY = 25
"""So many papers of the world, one is there besides those that the questions are about."""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Evaluation:
    questions = [replace(one, mode="bm25") for one in read(FIXTURES / "eval" / "golden.jsonl") if _taken(one)]
    base = make_base(tmp_path_factory.mktemp("golden"), ROOT)
    wanted = {name for one in questions for name in (*(need.uri for need in one.expected.needs), *one.expected.never)}
    for language in LANGUAGES:
        made = half(language)
        registry = seed(made.papers, made.products.there)
        wanted |= _sources(registry, {id for one in questions for id in one.expected.entities or ()})
        for number, paper in enumerate(made.documents()):
            if number % EVERY == 0 or f"{ROOT}/{paper.path}" in wanted:
                base.write(paper.path, paper.text)
        (base.folder / f"{language}.yaml").write_text(registry, encoding="utf-8")
    base.set("entities", seeds=tuple(f"{language}.yaml" for language in LANGUAGES))
    base.run()
    return evaluate(base.settings, questions, Silent())


def _sources(registry: str, entities: set[str]) -> set[str]:
    """The papers of which names are said: who may not see them may not use the names."""
    said = [each for each in yaml.safe_load(registry)["entities"] if each["id"] in entities]
    return {f"{ROOT}/{name['source']}" for each in said for name in each["names"] if "source" in name}


def _taken(one: Question) -> bool:
    in_world = all(need.uri.startswith(f"{ROOT}/") for need in one.expected.needs)
    return one.category in CATEGORIES and in_world and not any(name.startswith("corpus/") for name in one.expected.never)


def test_nothing_leaks_and_nothing_fails(asked: Evaluation) -> None:
    assert asked.questions >= 120
    assert [(one.id, one.leaks, one.error) for one in asked.outcomes if one.leaks or one.error] == []


def test_every_version_is_the_right_one_and_every_checksum_holds(asked: Evaluation) -> None:
    whole = asked.groups[0].figures
    assert whole["right version"].value == whole["conflict reported"].value == whole["citation validity"].value == 1.0


def test_names_that_only_the_registry_has_are_linked(asked: Evaluation) -> None:
    assert asked.groups[0].figures["entity linking"].value >= 0.95


def test_what_is_asked_by_its_words_is_found(asked: Evaluation) -> None:
    by_category = {group.category: group for group in asked.groups if not group.language}
    for category in ("version conflict", "table", "code"):
        assert by_category[category].figures["Recall@20"].value >= 0.95, category
