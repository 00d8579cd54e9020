"""A collector on this machine that keeps what it is sent, and a listener that keeps what it is told."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Collector:
    """An OTLP receiver over HTTP: decodes what comes with OpenTelemetry's own messages."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.metrics: dict[str, Any] = {}
        self.resources: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.take(self.path, gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, path: str, body: bytes) -> None:
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        self.bodies.append(body)
        if path == "/v1/traces":
            traces = ExportTraceServiceRequest.FromString(body)
            for each in traces.resource_spans:
                self.resources.append({pair.key: pair.value.string_value for pair in each.resource.attributes})
                self.spans += [span for scope in each.scope_spans for span in scope.spans]
        else:
            metrics = ExportMetricsServiceRequest.FromString(body)
            found = [one for each in metrics.resource_metrics for scope in each.scope_metrics for one in scope.metrics]
            self.metrics |= {metric.name: metric for metric in found}

    def span(self, name: str) -> Any:
        """The span of this name."""
        (found,) = [span for span in self.spans if span.name == name]
        return found

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def attributes(of: Any) -> dict[str, Any]:
    """The attributes of a span or of a point."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in of.attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.close()


class Kept:
    """What a listener was told, in memory, through OpenTelemetry's own SDK."""

    def __init__(self) -> None:
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        from ingest.telemetry.otel import OpenTelemetry

        self._spans, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.listener = OpenTelemetry([SimpleSpanProcessor(self._spans)], [self._reader])

    @property
    def spans(self) -> list[Any]:
        return list(self._spans.get_finished_spans())

    def points(self) -> dict[str, list[Any]]:
        """Metric -> its points."""
        data: Any = self._reader.get_metrics_data()
        if data is None:
            return {}
        found = [metric for each in data.resource_metrics for scope in each.scope_metrics for metric in scope.metrics]
        return {metric.name: list(metric.data.data_points) for metric in found}


@pytest.fixture
def kept() -> Iterator[Kept]:
    """Somebody who listens in this process."""
    from ingest.telemetry.signals import heard

    kept = Kept()
    with heard(kept.listener):
        yield kept
    kept.listener.close()


@pytest.fixture
def attributes_of() -> Callable[[Any], dict[str, Any]]:
    return attributes
