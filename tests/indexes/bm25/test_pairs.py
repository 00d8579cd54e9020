"""Many runs at once have the terms that each has alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25.pairs import SEPARATOR, characters_and_pairs
from indexes.bm25.terms import of_run

RUNS = st.lists(st.text(st.sampled_from("网关存储㐀𠀀データの가나ไท々"), min_size=1, max_size=8), max_size=12)


@given(RUNS)
def test_numpy_and_plain_python_agree(runs: list[str]) -> None:
    text = SEPARATOR.join((*runs, ""))
    terms, number, at = characters_and_pairs(text)
    assert terms == sorted(set(terms)) == sorted({term for run in runs for term in of_run(run)})
    assert sorted(terms[each] for each in number.tolist()) == sorted(term for run in runs for term in of_run(run))
    assert all(text.startswith(terms[each], place) for each, place in zip(number.tolist(), at.tolist(), strict=True))
