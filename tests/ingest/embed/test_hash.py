"""Feature hashing: what counts as a word, and that nothing but the text decides."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ingest.embed.hash import Hash

hashing = Hash()
GOLDEN_CELLS, GOLDEN_SIGNS = [0, 4, 8], [1.0, -1.0, -1.0]


def near(a: str, b: str) -> float:
    left, right = hashing.passages([a, b]).astype(np.float64)
    return round(float(left @ right), 6)


def test_vectors_are_the_same_for_ever():
    made = Hash(16).passages(["Concord 知识库 ERR_1042"])[0]
    assert np.flatnonzero(made).tolist() == GOLDEN_CELLS
    assert np.sign(made[GOLDEN_CELLS]).tolist() == GOLDEN_SIGNS


def test_order_case_and_punctuation_do_not_count():
    assert near("Alpha, beta; gamma!", "gamma (BETA) alpha") == 1


def test_words_are_whole():
    assert near("cat", "category") == 0
    assert near("ab c", "a bc") == 0
    assert near("ab", "ba") == 0


def test_han_counts_by_pairs_and_a_lone_character_by_itself():
    assert near("证书轮换", "证书") > 0.5
    assert near("证书", "书证") == 0
    assert near("证 a", "a 证") == 1
    assert near("证", "书") == 0


def test_a_text_without_words_has_a_vector_still():
    assert near("", "…！ -- ") == 1


@given(st.lists(st.text(max_size=40), max_size=12), st.lists(st.text(max_size=40), max_size=12))
def test_neighbours_never_change_a_vector(before, after):
    text = "边界 at the edge 证"
    assert hashing.passages([*before, text, *after])[len(before)].tobytes() == hashing.passages([text])[0].tobytes()


@given(st.text(max_size=200), st.integers(1, 700))
def test_any_text_into_any_number_of_dimensions_is_a_unit_vector(text, dimensions):
    made = Hash(dimensions).passages([text])
    assert made.shape == (1, dimensions)
    assert abs(float(np.linalg.norm(made.astype(np.float64))) - 1) < 1e-6


def test_blocks_of_work_do_not_show():
    texts = [f"passage {i} 第{i}段 " * 40 for i in range(500)]
    together = hashing.passages(texts)
    assert all(together[i].tobytes() == hashing.passages([texts[i]])[0].tobytes() for i in range(0, 500, 37))
