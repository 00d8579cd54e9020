"""Which editions a version means."""

from __future__ import annotations

from typing import Any

import pytest

from indexes.query.plan.narrow import narrowed, timed
from indexes.query.plan.planner import planned
from indexes.query.plan.versions import editions, normal, written
from indexes.query.request import Request, instant_of, predicate_of
from ingest.model.access import Access
from ingest.model.predicate import Editions, Predicate, filter_columns
from ingest.settings import SearchPart


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


def test_compared_editions_are_found_though_neither_holds(make_snapshot: Any, make_row: Any) -> None:
    def row(number: int, version: str, since: int, until: int | None, **fields: Any) -> Any:
        window = {"valid_from": f"{since}-01-01T00:00:00Z", "valid_until": until and f"{until}-01-01T00:00:00Z"}
        said = f"差旅标准 travel policy v{version}"
        return make_row(number, text=said, version=version, **{"family": "travel", **window, **fields})

    rows = [row(0, "2022", 2022, 2023), row(1, "2023", 2023, 2024), row(2, "2024", 2024, None), row(3, "2021", 2021, 2022),
            row(4, "2022", 2022, 2023, access=Access(level=2)), row(5, "2023", 2023, 2024, status="withdrawn"),
            row(6, "7", 2020, 2021, access=Access(level=2)), row(7, "8", 2020, 2021, status="withdrawn")]
    with make_snapshot(rows) as snapshot:
        def found(query: str) -> set[int]:
            request = Request(query)
            predicate = predicate_of(request, snapshot, instant_of(request))
            plan = planned(snapshot, request, predicate, SearchPart())
            moved = timed(request, plan)
            admits = narrowed(predicate_of(moved, snapshot, instant_of(moved)), plan).admits
            return {number for number, each in enumerate(rows) if admits(filter_columns(each))}

        assert found("比较 2022 版和 2023 版的差旅标准") == {0, 1}
        assert found("travel policy: difference between v2021 and v2023") == {1, 3}
        assert found("compare v2023 and v2024 of the travel policy") == {1, 2}
        assert found("difference between v7 and v2022") == found("difference between v8 and v2022") == {2}
        assert found("upgrade from v2022 to v2024") == {2}
