"""What questions have in common, and what is left of one without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ingest.embed import questions
from ingest.embed.e5 import E5
from ingest.embed.questions import SHARE, apart, asked

LANGUAGES = sorted(asked())


@pytest.fixture(scope="module")
def e5(models: Path) -> E5:
    return E5(models)


def means() -> dict[str, np.ndarray]:
    return dict(zip(asked(), questions._means(), strict=True))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_means_are_those_of_the_questions_beside_them(e5: E5, language: str) -> None:
    made = e5._vectors("query: ", asked()[language]).mean(axis=0)
    held = means()[language]
    assert float(made @ held / np.linalg.norm(made) / np.linalg.norm(held)) > 0.998


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_is_nearest_to_the_mean_of_its_language(e5: E5, language: str) -> None:
    vectors = e5._vectors("query: ", asked()[language])
    nearest = (vectors @ np.stack(list(means().values())).T).argmax(axis=1)
    assert [list(means())[at] for at in nearest] == [language] * len(vectors)


def test_what_is_left_is_a_unit_vector_that_leans_away_from_the_mean() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((5, questions._means().shape[1])).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    left = apart(vectors)
    assert left.dtype == np.float32
    assert np.linalg.norm(left, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert (left @ vectors.T).argmax(axis=1).tolist() == list(range(5))
    assert 0 < SHARE < 1


def test_no_questions_give_no_vectors() -> None:
    assert apart(np.empty((0, questions._means().shape[1]), np.float32)).shape == (0, questions._means().shape[1])
