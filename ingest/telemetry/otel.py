"""What is told goes to OpenTelemetry: spans and metrics by OTLP over HTTP to a collector, metrics as a page for Prometheus.

The standard OTEL_* variables say where to, how often, under which name and how many traces are kept; the SDK reads them itself.
Providers are our own, not the process's: an application that calls us keeps its own. What a collector does not take is dropped
and logged; nothing here may fail or hold up what it tells of.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from threading import Thread
from typing import TYPE_CHECKING, Any

from ingest.errors import ExtraMissing
from ingest.settings import TelemetryPart
from ingest.telemetry.names import MEASURES
from ingest.telemetry.records import log
from ingest.telemetry.signals import Attributes, Listener, Read, Told, heard
from ingest.telemetry.wanted import sends

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Span
    from prometheus_client import CollectorRegistry

SCOPE = "concord"
_ENDING_SECONDS = 3.0
"""For what is still to be sent when a process ends. A collector that is away must not keep a run that is done."""



@contextmanager
def telling(settings: TelemetryPart, environ: Mapping[str, str], *, page: bool = False) -> Iterator[Listener]:
    """Listen in this process until the end of the context; what is left is sent then, for seconds at most.

    `page`: metrics are kept for `page()`, too. Raises ExtraMissing."""
    processors: list[SpanProcessor] = []
    readers: list[MetricReader] = []
    try:
        exporters = _sending(settings, environ, processors, readers) if sends(settings, environ) else []
        registry = _registry(readers) if page else None
        listener = OpenTelemetry(processors, readers, registry, exporters)
    except ImportError as error:
        raise ExtraMissing("traces and metrics", "telemetry") from error
    try:
        with heard(listener):
            parent = {name.lower(): environ[name] for name in ("TRACEPARENT", "TRACESTATE") if environ.get(name)}
            with listener.under(parent):
                yield listener
    finally:
        listener.close()


def _sending(
    settings: TelemetryPart, environ: Mapping[str, str], processors: list[SpanProcessor], readers: list[MetricReader]
) -> list[Any]:
    """Add what sends to a collector; return the exporters. OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER may say `none`."""
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    base = settings.endpoint.rstrip("/")
    exporters: list[Any] = []
    if environ.get("OTEL_TRACES_EXPORTER", "otlp") != "none":
        spans = OTLPSpanExporter(f"{base}/v1/traces" if base else None)
        processors.append(BatchSpanProcessor(spans))
        exporters.append(spans)
    if environ.get("OTEL_METRICS_EXPORTER", "otlp") != "none":
        metrics = OTLPMetricExporter(f"{base}/v1/metrics" if base else None)
        readers.append(PeriodicExportingMetricReader(metrics))
        exporters.append(metrics)
    return exporters


def _registry(readers: list[MetricReader]) -> CollectorRegistry:
    """What a page is made from: our metrics, and what the process takes of the machine."""
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from prometheus_client import CollectorRegistry, ProcessCollector

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    readers.append(PrometheusMetricReader(scope_info_enabled=False, registry=registry))
    return registry


class OpenTelemetry:
    """Tells spans and metrics to OpenTelemetry's SDK."""

    def __init__(
        self, processors: Sequence[SpanProcessor], readers: Sequence[MetricReader], registry: CollectorRegistry | None = None,
        exporters: Sequence[Any] = (),
    ) -> None:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        own = {"service.version": version("concord-kb"), "service.instance.id": str(uuid.uuid4())}
        named = "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "") or os.environ.get("OTEL_SERVICE_NAME")
        resource = Resource.create({**own, **({} if named else {"service.name": "concord"})})
        self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        for processor in processors:
            self._traces.add_span_processor(processor)
        self._metrics = MeterProvider(readers, resource=resource, shutdown_on_exit=False)
        self._tracer = self._traces.get_tracer(SCOPE)
        self._meter = self._metrics.get_meter(SCOPE)
        self._registry, self._exporters = registry, exporters
        self._instruments: dict[str, Any] = {}
        self._reads: dict[str, Read] = {}
        self._make()

    @contextmanager
    def span(
        self, name: str, attributes: Attributes, *, server: bool = False, carrier: Mapping[str, str] | None = None
    ) -> Iterator[Told]:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        kind = SpanKind.SERVER if server else SpanKind.INTERNAL
        with self._tracer.start_as_current_span(
            name, _context(carrier), kind, dict(attributes), record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield _Span(span)
            except BaseException as error:  # of its text nothing is told: it may quote a document
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    def past(self, name: str, attributes: Attributes, began: int, ended: int) -> None:
        self._tracer.start_span(name, attributes=dict(attributes), start_time=began).end(ended)

    def add(self, name: str, amount: int, attributes: Attributes) -> None:
        self._instruments[name].add(amount, dict(attributes))

    def record(self, name: str, value: float, attributes: Attributes) -> None:
        self._instruments[name].record(value, dict(attributes))

    def gauge(self, name: str, value: float, attributes: Attributes) -> None:
        self._instruments[name].set(value, dict(attributes))

    def watch(self, name: str, read: Read) -> None:
        from opentelemetry.metrics import CallbackOptions, Observation

        def look(options: CallbackOptions) -> Iterator[Observation]:
            yield from (Observation(value, dict(attributes)) for value, attributes in self._reads[name]())

        known, self._reads[name] = name in self._reads, read
        if not known:
            self._meter.create_observable_gauge(name, [look], MEASURES[name].unit, MEASURES[name].told)

    def ids(self) -> tuple[str, str] | None:
        from opentelemetry.trace import format_span_id, format_trace_id, get_current_span

        current = get_current_span().get_span_context()
        return (format_trace_id(current.trace_id), format_span_id(current.span_id)) if current.is_valid else None

    def page(self) -> tuple[bytes, str] | None:
        if self._registry is None:
            return None
        from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self._registry), CONTENT_TYPE_LATEST

    @contextmanager
    def under(self, carrier: Mapping[str, str]) -> Iterator[None]:
        """Continue the trace that a carrier names: a scheduler's, which started this process."""
        from opentelemetry.context import attach, detach

        found = _context(carrier)
        token = attach(found) if found is not None else None
        try:
            yield
        finally:
            if token is not None:
                detach(token)

    def close(self) -> None:
        """Send what is left, for seconds at most, and stop."""
        until = time.monotonic() + _ENDING_SECONDS
        endings = [Thread(target=each, daemon=True) for each in (self._traces.shutdown, self._metrics.shutdown)]
        for ending in endings:
            ending.start()
        for ending in endings:
            ending.join(max(0.0, until - time.monotonic()))
        if any(ending.is_alive() for ending in endings):
            log("telemetry", logging.WARNING, "the collector does not answer; what was not sent is lost")
            for exporter in self._exporters:
                exporter.shutdown()  # ends its waiting to try again

    def _make(self) -> None:
        """Make every instrument but the gauges that are watched."""
        makers = {
            "counter": self._meter.create_counter, "updown": self._meter.create_up_down_counter,
            "gauge": self._meter.create_gauge,
        }
        for name, measure in MEASURES.items():
            if measure.kind == "histogram":
                self._instruments[name] = self._meter.create_histogram(
                    name, measure.unit, measure.told, explicit_bucket_boundaries_advisory=measure.buckets
                )
            elif measure.kind != "watched":
                self._instruments[name] = makers[measure.kind](name, measure.unit, measure.told)



class _Span:
    def __init__(self, span: Span) -> None:
        self._span = span

    def say(self, attributes: Attributes) -> None:
        self._span.set_attributes(dict(attributes))


def _context(carrier: Mapping[str, str] | None) -> Any:
    """The trace that headers name (W3C Trace Context); None: the current one."""
    if not carrier or "traceparent" not in carrier:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract(dict(carrier))
