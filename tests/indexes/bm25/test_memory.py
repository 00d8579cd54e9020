"""The in-memory index needs rank-bm25 for one formula only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import ExtraMissing
from ingest.model.predicate import Predicate


def test_only_okapi_needs_the_extra(
    in_memory: Callable[[], Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rank_bm25", None)
    builds = in_memory()
    path = builds.write(None, [make_row(1)])
    assert builds.open(path).search("429", Predicate(), 1)
    with pytest.raises(ExtraMissing, match=r"concord-kb\[okapi\]"):
        builds.open(path, formula="okapi")
