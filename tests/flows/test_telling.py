"""A run is told by its own report: what it did, how it ended, and nothing of what documents say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ingest.errors import RootEmptied
from ingest.progress import Silent
from ingest.telemetry.signals import heard


@pytest.fixture
def told() -> Iterator[Any]:
    """Spans and points that were told, by OpenTelemetry's in-memory exporters."""
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from ingest.telemetry.otel import OpenTelemetry

    class Told:
        def __init__(self) -> None:
            self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
            self.listener = OpenTelemetry([SimpleSpanProcessor(self.exporter)], [self.reader])

        def spans(self) -> dict[str, Any]:
            return {span.name: span for span in self.exporter.get_finished_spans()}

        def points(self) -> dict[str, dict[tuple[Any, ...], Any]]:
            data: Any = self.reader.get_metrics_data()
            return {
                metric.name: {tuple(sorted(point.attributes.items())): point for point in metric.data.data_points}
                for each in data.resource_metrics for scope in each.scope_metrics for metric in scope.metrics
            }

    told = Told()
    with heard(told.listener):
        yield told
    told.listener.close()


def run(base: Any) -> Any:
    from flows.telling import run

    return run(base.settings, base.options(), Silent())


def test_what_a_run_did_is_counted_and_its_stages_lie_within_it(base: Any, told: Any) -> None:
    base.write("a.md")
    base.write("b.md", "# B\n\nAnother page.\n")
    report = run(base)
    points, spans = told.points(), told.spans()
    assert points["concord.documents"][(("concord.change", "added"),)].value == 2
    assert points["concord.chunks"][(("concord.change", "added"),)].value == report.chunks["added"]
    assert points["concord.texts.embedded"][()].value == report.embedded
    assert points["concord.cache.lookups"][(("concord.cache", "embed"), ("concord.hit", False))].value == report.embedded
    assert points["concord.run.duration"][(("concord.outcome", "published"),)].count == 1
    assert points["concord.index.generation"][(("concord.kb", "default"),)].value == 1
    whole = spans["run"]
    for stage in ("plan", "parse", "chunk", "embed", "index", "prove", "publish"):
        span = spans[f"stage {stage}"]
        assert span.parent.span_id == whole.context.span_id and span.start_time >= whole.start_time - 10**7
    again = run(base)
    assert not again.published
    assert told.points()["concord.run.duration"][(("concord.outcome", "unchanged"),)].count == 1
    assert told.points()["concord.stage.duration"][(("concord.stage", "plan"),)].count == 2


def test_a_second_run_finds_in_the_cache_what_the_first_has_made(base: Any, told: Any) -> None:
    base.write("a.md")
    run(base)
    base.write("copy.md")
    run(base)
    hits = told.points()["concord.cache.lookups"]
    assert hits[(("concord.cache", "embed"), ("concord.hit", True))].value > 0


def test_a_run_that_fails_says_why_in_one_word(base: Any, told: Any) -> None:
    base.write("a.md")
    run(base)
    base.delete("a.md")
    with pytest.raises(RootEmptied):
        run(base)
    failed = (("concord.outcome", "failed"), ("error.type", "RootEmptied"))
    assert told.points()["concord.run.duration"][failed].count == 1
    assert told.exporter.get_finished_spans()[-1].attributes["error.type"] == "RootEmptied"


def test_check_tells_how_many_sources_wait(base: Any, told: Any) -> None:
    from flows.telling import checked

    base.write("a.md")
    run(base)
    base.write("b.md")
    checked(base.settings, base.check())
    assert told.points()["concord.sources.waiting"][()].value == 1
    assert told.points()["concord.index.unconfirmed"][(("concord.kb", "default"),)].value >= 0
