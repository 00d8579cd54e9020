"""The steps of a run, taken one by one: the same as one call, and again after an error at any of their own steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.pipeline import Run, running
from ingest.errors import ConcordError, StoppedAtStep
from ingest.model.report import RunReport
from ingest.progress import Silent
from ingest.steps import STEPS

_OPENING = ("lease taken", "catalog opened", "recovered")
_OF_OTHERS = ("rollback staged", "hold set", "hold lifted", "confirmed")
_ALWAYS = ("planned", "documents kept", "facts staged", "vectors kept", "build stamped", "build moved", "head moved")
REPEATED = [
    pytest.param(step, marks=() if step in _ALWAYS else pytest.mark.slow)
    for step in STEPS if step not in (*_OPENING, *_OF_OTHERS)
]
TEXTS = {
    "连接.md": "# 连接\n\n单节点支持 20000 个并发连接。\n", "retention.md": "# Retention\n\nAudit logs are kept for 400 days.\n",
}


def taken(base: Any, take: Callable[[Callable[[], Any]], Any]) -> RunReport:
    with running(base.settings, base.options(), Silent()) as steps:
        for step in (steps.plan, steps.parse, steps.chunk):
            take(step)
        for step in (steps.embed, steps.index) if steps.staged else ():
            take(step)
        report: RunReport = take(steps.publish)
        return report


def edited(base: Any) -> Any:
    """A base of which one generation is published and kept, whose next run changes, adds and withdraws."""
    for path, text in TEXTS.items():
        base.write(path, text)
    base.set("generations", keep=1)
    base.run()
    base.write("连接.md", TEXTS["连接.md"].replace("20000", "30000"))
    base.write("notes/new.md", "# New\n\nA third document, about ERR_1042.\n")
    base.delete("retention.md")
    base.write("page.html", "<html><body><main><h1>Page</h1><p>Served since May.</p></main></body></html>")
    return base


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> RunReport:
    """What one call makes of it."""
    report: RunReport = edited(make_base(tmp_path_factory.mktemp("whole"))).run()
    return report


def test_steps_taken_one_by_one_publish_what_one_call_does(new_base: Callable[..., Any], whole: RunReport) -> None:
    report = taken(edited(new_base("again")), lambda step: step())
    assert (report.snapshot, report.sources, report.chunks, report.embedded) == (
        whole.snapshot, whole.sources, whole.chunks, whole.embedded
    )
    assert set(report.seconds) == set(whole.seconds)


def test_nothing_is_staged_where_nothing_changed(base: Any) -> None:
    base.write("one.md")
    base.run()
    with running(base.settings, base.options(), Silent()) as steps:
        steps.plan()
        steps.parse()
        steps.chunk()
        assert not steps.staged
        assert not steps.publish().published


@pytest.mark.parametrize("place", REPEATED)
def test_a_step_that_failed_anywhere_may_be_taken_again(new_base: Callable[..., Any], whole: RunReport, place: str) -> None:
    base = edited(new_base("again"))
    base.set("debug", stop_at=place, stop_how="raise")
    failed = []

    def again(step: Callable[[], Any]) -> Any:
        try:
            return step()
        except StoppedAtStep:
            failed.append(step.__name__)
            return step()

    report = taken(base, again)
    assert len(failed) <= 1
    assert (report.snapshot, report.sources, report.chunks) == (whole.snapshot, whole.sources, whole.chunks)
    assert (base.head(), base.verify(deep=True)) == (2, [])


def test_a_step_taken_again_embeds_nothing_twice(base: Any) -> None:
    edited(base).set("debug", stop_at="head about to move", stop_how="raise")
    again: list[str] = []

    def twice(step: Callable[[], Any]) -> Any:
        try:
            return step()
        except StoppedAtStep:
            again.append(step.__name__)
            return step()

    report = taken(base, twice)
    assert again == ["publish"] and report.embedded == 3


def test_an_error_that_ends_the_run_is_reported_and_frees_the_lease(base: Any) -> None:
    edited(base).set("debug", stop_at="texts embedded", stop_how="raise")
    with pytest.raises(StoppedAtStep):
        taken(base, lambda step: step())
    assert b'"StoppedAtStep"' in (base.kb / "report.json").read_bytes()
    base.set("debug", stop_at="")
    assert base.run().generation == 2


def test_the_lease_is_held_between_steps(base: Any) -> None:
    base.write("one.md")
    with running(base.settings, base.options(), Silent()) as steps:
        assert isinstance(steps, Run)
        steps.plan()
        with pytest.raises(ConcordError, match="another run is writing"):
            base.run()
