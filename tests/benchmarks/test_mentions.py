"""The annotated sentences are what they promise to be, and the rules find what they found when they were measured."""

from __future__ import annotations

import itertools

import pytest

from benchmarks.mentions import FIXTURE, LANGUAGES, annotated, counted, found_by
from entities.registry import load_seeds

MODELLED = ("person", "place")
"""Types that only statistical models find."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_150_sentences_with_spans_apart(language: str) -> None:
    sentences = annotated(language)
    assert len(sentences) >= 150 and len({text for text, _ in sentences}) == len(sentences)
    for text, spans in sentences:
        assert "{{" not in text and "|" not in text, "what was not read as a mark"
        ordered = sorted(spans)
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(ordered))


@pytest.mark.parametrize("name", ["zh", "en", "held-zh", "held-en"])
def test_rules_find_as_much_as_was_measured(name: str) -> None:
    sentences = annotated(name)
    counts = counted(sentences, found_by(load_seeds([FIXTURE / "registry.yaml"]), ()))
    right, wrong = sum(counts.right.values()), sum(counts.wrong.values())
    missed = sum(count for type, count in counts.missed.items() if type not in MODELLED)
    assert right / (right + wrong) >= 0.95 and right / (right + missed) >= 0.95
