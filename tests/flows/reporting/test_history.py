"""What generations held is carried from report to report: beyond pruning, but never from another base."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from flows.reporting.history import POINTS


def grow(base: Any, number: int) -> Any:
    base.write(f"{number}.md", f"# Document {number}\n\nNumber {number}.\n")
    return base.run()


def numbers(report: Any) -> list[tuple[int, int]]:
    return [(point["generation"], point["chunks"]) for point in report["history"]]


@pytest.fixture
def grown(base: Any) -> Any:
    """A base of four generations, of which two are kept."""
    base.set("generations", keep=2)
    for number in range(1, 5):
        grow(base, number)
    return base


def test_history_outlives_pruning(grown: Any, told: Callable[..., Any]) -> None:
    assert grown.generations() == [4, 3]
    assert numbers(told()) == [(number, number) for number in range(1, 5)]
    grown.run()
    assert numbers(told()) == [(number, number) for number in range(1, 5)], "a run without changes hands it on"


@pytest.mark.parametrize("said", [b"", b'{"format": 2, "history": [1]}', b'{"format": 1, "his'])
def test_report_of_the_head_stands_in_for_one_that_cannot_be_read(grown: Any, told: Callable[..., Any], said: bytes) -> None:
    (grown.kb / "report.json").write_bytes(said)
    grown.run()
    assert numbers(told()) == [(number, number) for number in range(1, 5)]


def test_without_any_report_before_the_catalog_tells_what_it_lists(grown: Any, told: Callable[..., Any]) -> None:
    """As after a run that was killed between publishing and reporting."""
    for said in (
        None, b"", b"[]", b'{"format": 1}', b'{"format": 1, "history": 7, "parsers": 7}', b"\xff\xfe",
        b'{"format": 1, "history": [{"generation": "x"}]}', b'{"format": 1, "history": [null], "parsers": [null]}',
    ):
        for file in (grown.kb / "report.json", *grown.kb.glob("generations/*/report.json")):
            file.unlink(missing_ok=True) if said is None else file.write_bytes(said)
        ran = grown.run()
        assert ran.report and numbers(told()) == [(3, 3), (4, 4)], said
        assert [row["documents"] for row in told()["parsers"]] == [4], said


def test_generations_of_a_base_that_was_deleted_are_not_taken_for_ours(base: Any, told: Callable[..., Any]) -> None:
    for number in (1, 2):
        grow(base, number)
    for name in ("builds", "generations"):
        shutil.rmtree(base.kb / name)
    for file in base.kb.glob("catalog.db*"):
        file.unlink()
    base.set("generations", keep=1)
    base.run()
    assert numbers(told()) == [(1, 2)]
    grow(base, 3)
    assert numbers(told()) == [(1, 2), (2, 3)]


def test_history_is_bounded(base: Any, told: Callable[..., Any]) -> None:
    base.set("generations", keep=1)
    grow(base, 1)
    grow(base, 2)
    report = told()
    report["history"] = [{**report["history"][0], "generation": number} for number in range(-POINTS, 2)] + report["history"][1:]
    (base.kb / "report.json").write_text(json.dumps(report))
    grow(base, 3)
    assert len(told()["history"]) == POINTS and numbers(told())[-2:] == [(2, 2), (3, 3)]
