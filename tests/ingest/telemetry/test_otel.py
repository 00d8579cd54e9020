"""Real processes and a real collector on this machine: what `ingest run` sends, and what it does when nobody takes it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.settings import TelemetryPart
from ingest.telemetry.names import MEASURES, SPANS
from ingest.telemetry.otel import telling
from ingest.telemetry.records import FIELDS
from ingest.telemetry.wanted import sends

ROOT = Path(__file__).parents[3]
CANARY = "Quokkapassphrase 鸭嘴兽"
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "限流.md").write_text(f"# 限流\n\n默认每秒 500 次。{CANARY}\n", encoding="utf-8")
    (tmp_path / "docs" / "limits.md").write_text(f"# Limits\n\n500 requests a second. {CANARY}\n", encoding="utf-8")
    (tmp_path / "docs" / "broken.md").write_text(f"---\nallowed_usrs: [x]\n---\n# Broken\n\n{CANARY}\n", encoding="utf-8")
    return tmp_path


def run(folder: Path, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("INGEST_", "OTEL_", "TRACE"))}
    every = {
        **kept, "PYTHONPATH": str(ROOT), "INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline",
        "no_proxy": "*", **environ,
    }
    command = [sys.executable, "-c", "from ingest.cli.main import main; main()", *options]
    return subprocess.run(command, cwd=folder, env=every, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.parametrize(("part", "environ", "sent"), [
    ({}, {}, False), ({"endpoint": "http://127.0.0.1:4318"}, {}, True), ({"otlp": "on"}, {}, True),
    ({}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True), ({}, {"OTEL_SERVICE_NAME": "kb"}, False),
    ({"otlp": "off"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, False),
    ({"otlp": "on"}, {"OTEL_SDK_DISABLED": "true"}, False),
])
def test_nothing_is_sent_unless_settings_or_variables_say_where_to(part: Any, environ: dict[str, str], sent: bool) -> None:
    assert sends(TelemetryPart(**part), environ) is sent


def test_a_run_sends_its_spans_and_metrics_in_the_trace_of_whoever_started_it(
    folder: Path, collector: Any, attributes_of: Callable[[Any], dict[str, Any]]
) -> None:
    done = run(
        folder, "run", "docs", "--json", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        TRACEPARENT=f"00-{TRACE}-b7ad6b7169203331-01", OTEL_RESOURCE_ATTRIBUTES="deployment.environment.name=test",
    )
    assert done.returncode == 4, done.stderr
    whole = collector.span("run")
    told = attributes_of(whole)
    assert told["concord.generation"] == 1 and told["concord.failures"] == 1 and told["concord.published"] is True
    assert {span.trace_id.hex() for span in collector.spans} == {TRACE}
    names = [span.name for span in collector.spans]
    assert {"stage plan", "stage parse", "stage embed", "stage index", "stage publish", "batch parse"} <= set(names)
    assert all(span.parent_span_id == whole.span_id for span in collector.spans if span is not whole)
    assert all(whole.start_time_unix_nano - 10**9 <= span.start_time_unix_nano <= span.end_time_unix_nano
               for span in collector.spans)
    points = collector.metrics["concord.documents"].sum.data_points
    documents = {attributes_of(point)["concord.change"]: point.as_int for point in points}
    assert (documents["added"], documents["failed"]) == (3, 1)
    (failure,) = collector.metrics["concord.failures"].sum.data_points
    assert attributes_of(failure) == {"concord.stage": "metadata", "error.type": "MetadataInvalid"}
    assert set(collector.metrics) <= set(MEASURES)
    resource = collector.resources[0]
    assert resource["service.name"] == "concord" and resource["deployment.environment.name"] == "test"
    assert not [body for body in collector.bodies if CANARY.split()[0].encode() in body or "鸭嘴兽".encode() in body]


def test_spans_do_not_grow_with_documents(folder: Path, collector: Any) -> None:
    for number in range(60):
        (folder / "docs" / f"page{number}.md").write_text(f"# Page {number}\n\nIt says {number}.\n", encoding="utf-8")
    assert run(folder, "run", "docs", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url).returncode == 4
    assert len(collector.spans) < 30
    kinds = {name.partition(" ")[0] for name in SPANS}
    assert {span.name.partition(" ")[0] for span in collector.spans} <= kinds


def test_a_run_is_whole_when_no_collector_answers(folder: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        done = run(folder, "--log-format", "json", "run", "docs", "--json", INGEST_TELEMETRY__ENDPOINT=url)
    assert done.returncode == 4 and json.loads(done.stdout)["generation"] == 1
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert "the collector does not answer; what was not sent is lost" in [line["message"] for line in told]


def test_logs_of_a_run_are_json_with_its_id_and_trace_and_no_text(folder: Path, collector: Any) -> None:
    done = run(
        folder, "--log-format", "json", "run", "docs", "--json", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        INGEST_LOG__LEVEL="debug",
    )
    told = [json.loads(line) for line in done.stderr.splitlines()]
    ours = [line for line in told if line["logger"] == "concord.run"]
    assert [line["message"] for line in ours] == ["run begun", "document failed", "generation published"]
    assert len({line["run"] for line in ours}) == 1
    assert {line["trace_id"] for line in ours} == {collector.span("run").trace_id.hex()}
    assert ours[1]["uri"] == "docs/broken.md" and ours[1]["error"] == "MetadataInvalid" and ours[1]["serving"] is False
    assert all(set(line) <= set(FIELDS) for line in told)
    assert CANARY.split()[0] not in done.stderr and "鸭嘴兽" not in done.stderr


def test_a_command_that_fails_says_so_in_one_line(folder: Path) -> None:
    done = run(folder, "search", "x", INGEST_LOG__FORMAT="json")
    assert done.returncode == 6 and done.stdout == ""
    (line,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert (line["level"], line["logger"], line["error"]) == ("error", "concord.command", "KnowledgeBaseMissing")


def test_a_page_of_metrics_has_them_all_in_the_text_format() -> None:
    from ingest.telemetry import signals

    with telling(TelemetryPart(), {}, page=True):
        signals.record("concord.search.duration", 0.012, {"concord.mode": "hybrid", "concord.status": "ok"})
        signals.watch("concord.index.lag", lambda: [(12.5, {"concord.kb": "default"})])
        page = signals.page()
    assert page is not None and page[1].startswith("text/plain")
    text = page[0].decode()
    assert 'concord_index_lag_seconds{concord_kb="default"} 12.5' in text
    assert 'concord_search_duration_seconds_bucket{concord_mode="hybrid",concord_status="ok",le="0.015"} 1.0' in text
    assert "process_resident_memory_bytes" in text
