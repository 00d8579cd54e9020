"""Which editions a version means."""

from __future__ import annotations

from typing import Any

import pytest

from indexes.query.plan.versions import editions, normal, written
from ingest.model.access import Access
from ingest.model.predicate import Editions, Predicate


@pytest.mark.parametrize("written", [
    "2.0", "v2.0", "V2.0", "2.0 版", "2.0版本", "version 2.0", "Version 2.0", "ver. 2.0",
    "２．０", "版本2.0", "v.2.0", "Release 2.0",
])
def test_spellings_of_a_version_are_one(written: str) -> None:
    assert normal(written) == "2.0"


def test_a_version_means_those_that_are_written_so() -> None:
    held = ["1.8", "2.0", "v2.0", "V1", "2.1.3", "2.1.4", "第二版", "2026"]
    assert written(["2.0"], held) == {"2.0", "v2.0"}
    assert written(["1.8.0"], held) == {"1.8"}
    assert written(["1.0"], held) == {"V1"}
    assert written(["2.1"], held) == {"2.1.3", "2.1.4"}
    assert written(["2"], held) == {"第二版"}
    assert written(["3.0", ""], held) == frozenset()


def test_of_documents_that_have_it_no_other_edition_is_wanted(make_snapshot: Any, make_row: Any) -> None:
    def row(number: int, family: str | None, version: str | None, **fields: Any) -> Any:
        return make_row(number, family=family, version=version, **fields)

    rows = [
        row(0, "manual", "1.8"), row(1, "manual", "2.0"), row(2, "guide", "V1"), row(3, "guide", "v2.0"), row(4, "law", "1"),
        row(5, None, "2.0"), row(6, None, "1.8"), row(7, "note", None), row(8, "plan", "2.0"),
        row(9, "secret", "2.0", access=Access(level=2)), row(10, "secret", "1.8", access=Access(level=2)),
    ]
    with make_snapshot(rows) as snapshot:
        asked = editions(["2.0"], snapshot.bm25, Predicate())
        assert asked == Editions(frozenset({"manual", "guide"}), frozenset({"", "2.0", "v2.0"}))
        assert editions(["3.0"], snapshot.bm25, Predicate()) is None
    assert not asked.admits("manual", "1.8")
    assert asked.admits("law", "1") and asked.admits("", "1.8") and asked.admits("manual", "")
