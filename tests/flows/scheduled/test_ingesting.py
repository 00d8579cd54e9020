"""The run as a flow of a real server: what it publishes, in how many tasks, and what it leaves for people and automations."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

BROKEN = "---\nallowed_user: alice\n---\n# Secret\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "note.md").write_text("# 网关\n\n网关默认监听 9443 端口。\n", encoding="utf-8")
    (folder / "broken.md").write_text(BROKEN, encoding="utf-8")
    return folder


STEPS = {"plan", "parse", "chunk and entities", "embed", "index", "prove and publish"}


def test_a_flow_publishes_what_the_command_would(flow_run: Any, docs: Path, tmp_path: Path, waited: Any) -> None:
    from flows.scheduled.ingesting import ingest_flow

    state, run = flow_run(ingest_flow, [str(docs)], kb=str(tmp_path / "kb"))
    report = state.result()
    assert state.is_completed() and report["published"] and report["generation"] == 1
    assert [failure["error"] for failure in report["failures"]] == ["MetadataInvalid"]
    assert waited(lambda: set(run.tasks()) == STEPS and run.tasks())
    again, second = flow_run(ingest_flow, kb=str(tmp_path / "kb"))
    assert not again.result()["published"] and again.result()["snapshot"] == report["snapshot"]
    assert waited(lambda: set(second.tasks()) == STEPS - {"embed", "index"})
    assert not second.events("concord.published")


def test_a_run_leaves_artifacts_logs_and_an_event(flow_run: Any, docs: Path, tmp_path: Path, waited: Any) -> None:
    from flows.scheduled.ingesting import ingest_flow

    _, run = flow_run(ingest_flow, [str(docs)], kb=str(tmp_path / "kb"))
    found = run.artifacts()
    assert {key: one.type for key, one in found.items()} == {
        "concord-ingest-progress": "progress", "concord-ingest-summary": "table", "concord-ingest-report": "markdown",
        "concord-ingest-html": "markdown",
    }
    assert float(found["concord-ingest-progress"].data) == 100
    assert (tmp_path / "kb" / "report.html").as_uri() in found["concord-ingest-html"].data
    assert "    docs/broken.md:" in found["concord-ingest-report"].data
    (event,) = waited(lambda: run.events("concord.published"))
    assert event["payload"]["generation"] == 1 and event["payload"]["failed"] == ["docs/broken.md"]
    assert event["resource"]["concord.kb"] == str(tmp_path / "kb")
    assert waited(lambda: any("parse: 2 done" in line for line in run.logs()))


def test_tasks_do_not_grow_with_documents(flow_run: Any, docs: Path, tmp_path: Path, waited: Any) -> None:
    from flows.scheduled.ingesting import ingest_flow

    for number in range(200):
        (docs / f"{number}.md").write_text(f"# Note {number}\n\nNumber {number} of two hundred.\n", encoding="utf-8")
    state, run = flow_run(ingest_flow, [str(docs)], kb=str(tmp_path / "kb"))
    assert state.result()["sources"]["added"] == 202
    assert waited(lambda: len(run.tasks()) == len(STEPS))


def test_a_step_that_failed_for_now_is_tried_again_and_embeds_nothing_twice(
    flow_run: Any, docs: Path, tmp_path: Path, waited: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.scheduled.ingesting import ingest_flow

    monkeypatch.setenv("INGEST_DEBUG__STOP_AT", "build stamped")
    monkeypatch.setenv("INGEST_DEBUG__STOP_HOW", "raise")
    state, run = flow_run(ingest_flow, [str(docs)], kb=str(tmp_path / "kb"), pause_seconds=0.1)
    assert state.result()["published"] and state.result()["embedded"] == 1
    assert waited(lambda: run.tasks() == dict.fromkeys(STEPS, 1) | {"index": 2})


def test_a_wrong_setting_is_not_tried_again(flow_run: Any, docs: Path, tmp_path: Path, waited: Any) -> None:
    from flows.scheduled.ingesting import ingest_flow
    from ingest.errors import RootEmptied

    flow_run(ingest_flow, [str(docs)], kb=str(tmp_path / "kb"))
    for file in docs.iterdir():
        file.unlink()
    state, run = flow_run(ingest_flow, kb=str(tmp_path / "kb"), pause_seconds=0.1)
    assert state.is_failed() and isinstance(state.result(raise_on_failure=False), RootEmptied)
    assert waited(lambda: run.tasks() == {"plan": 1})


def test_a_run_waits_for_another_ones_lease(
    flow_run: Any, docs: Path, tmp_path: Path, waited: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lease is let go while the flow is between two tries."""
    from flows import pipeline
    from flows.scheduled import ingesting
    from ingest.store.layout import Layout
    from ingest.store.lease import lease

    held = lease(Layout(tmp_path / "kb"))
    held.__enter__()
    tried: list[int] = []
    running = pipeline.running

    def counted(*arguments: Any) -> Any:
        if tried:
            held.__exit__(None, None, None)
        tried.append(1)
        return running(*arguments)

    monkeypatch.setattr(pipeline, "running", counted)
    state, run = flow_run(ingesting.ingest_flow, [str(docs)], kb=str(tmp_path / "kb"), pause_seconds=0.1)
    assert state.result()["published"]
    assert waited(lambda: run.tasks().get("plan") == 2)


def test_what_libraries_log_is_in_the_run(flow_run: Any, prefect: Any, waited: Any) -> None:
    from flows.scheduled.logs import forwarded
    from flows.scheduled.sdk import flow

    @flow(name="concord-logging")
    def logging_flow() -> None:
        with forwarded():
            logging.getLogger("ingest.store").info("heard of %s", "ERR_1042")

    _, run = flow_run(logging_flow)
    assert waited(lambda: "ingest.store: heard of ERR_1042" in run.logs())


def test_an_artifact_that_cannot_be_kept_fails_nothing(
    flow_run: Any, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.scheduled import artifacts
    from flows.scheduled.ingesting import ingest_flow

    def refused(*arguments: Any, **named: Any) -> None:
        raise RuntimeError("no server today")

    for name in ("create_table_artifact", "create_progress_artifact", "create_link_artifact", "create_markdown_artifact"):
        monkeypatch.setattr(artifacts, name, refused)
    state, run = flow_run(ingest_flow, [str(docs)], kb=str(tmp_path / "kb"))
    assert state.result()["published"] and run.artifacts() == {}


def test_the_stages_of_a_flow_are_spans_of_one_run(flow_run: Any, docs: Path, tmp_path: Path) -> None:
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from flows.scheduled.ingesting import ingest_flow
    from ingest.telemetry.otel import OpenTelemetry
    from ingest.telemetry.signals import heard

    kept = InMemorySpanExporter()
    with heard(OpenTelemetry([SimpleSpanProcessor(kept)], [])):
        flow_run(ingest_flow, [str(docs)], kb=str(tmp_path / "kb"))
    spans = {span.name: span for span in kept.get_finished_spans()}
    run = spans["run"]
    assert run.attributes["concord.generation"] == 1 and run.attributes["concord.failures"] == 1
    stages = [span for name, span in spans.items() if name.startswith("stage ")]
    assert {span.name for span in stages} >= {"stage plan", "stage parse", "stage embed", "stage index", "stage publish"}
    assert {span.parent and span.parent.span_id for span in stages} == {run.context.span_id}
