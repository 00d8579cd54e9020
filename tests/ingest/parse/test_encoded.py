"""Files written into a text as base64 fill no index; everything that only looks a little like them stays."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.encoded import without_encoded

BYTES = random.Random(3).randbytes(1_500)  # noqa: S311  # no secret
CODED = base64.b64encode(BYTES).decode()


@pytest.mark.parametrize(
    "text", [f"a {CODED} b", f"a data:image/png;base64,{CODED} b", f"a\n{base64.encodebytes(BYTES).decode()}\nb"]
)
def test_encoded_bytes_are_taken_out_and_told(text: str) -> None:
    left, omissions = without_encoded(text)
    assert left.split() == ["a", "b"]
    assert left.count("\n") == text.count("\n")
    assert [(one.kind, one.count) for one in omissions] == [("encoded_data", 1)]


@pytest.mark.parametrize(
    "text",
    ["ACGT" * 400, "deadbeef0123" * 100, "=" * 900, "长" * 900, "Pneumonoultramicroscopic" * 30, "a/b/c/" * 200, CODED[:64]],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert without_encoded(text) == (text, ())


@given(st.text(max_size=300))
def test_running_text_stays_as_it_is(text: str) -> None:
    assert without_encoded(text) == (text, ())
