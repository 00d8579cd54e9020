"""Every span and every metric that Concord tells, with its unit and its attributes: what docs/observability.md lists.

Names are those of OpenTelemetry's semantic conventions where these have one (`http.*`, `error.type`), `concord.*` otherwise. The
values of an attribute of a metric are few by construction: stages, operations, kinds of error, ids of configured knowledge bases.
No query, text, path, user or token is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "updown", "histogram", "gauge", "watched"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric. `unit` in UCUM. A gauge keeps what was set last; a `watched` one is looked at when metrics are collected."""

    kind: Kind
    unit: str
    told: str
    attributes: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """One kind of span. In its name, what stands in braces is the value of that attribute."""

    told: str
    attributes: tuple[str, ...] = ()


QUICK = (0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.04, 0.06, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Bounds in seconds for answers; the conventions' own begin at 5 ms, which is where ours are many."""
SLOW = (0.01, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0)
"""Bounds in seconds for stages and runs."""

MEASURES: dict[str, Measure] = {
    "concord.run.duration": Measure("histogram", "s", "time of a run", ("concord.outcome", "error.type"), SLOW),
    "concord.stage.duration": Measure("histogram", "s", "time of a stage of a run", ("concord.stage",), SLOW),
    "concord.documents": Measure("counter", "{document}", "sources of runs by what became of them", ("concord.change",)),
    "concord.chunks": Measure("counter", "{chunk}", "chunks of runs by what became of them", ("concord.change",)),
    "concord.texts.embedded": Measure("counter", "{text}", "texts that went through a model"),
    "concord.failures": Measure("counter", "{document}", "documents that failed", ("concord.stage", "error.type")),
    "concord.cache.lookups": Measure("counter", "{entry}", "entries asked of the cache", ("concord.cache", "concord.hit")),
    "concord.work.pending": Measure("gauge", "{item}", "items of a stage that are not done", ("concord.stage",)),
    "concord.sources.waiting": Measure("gauge", "{document}", "sources that are not as published, as last looked at"),
    "concord.index.generation": Measure("watched", "{generation}", "number of the published generation", ("concord.kb",)),
    "concord.index.lag": Measure("watched", "s", "time since the head was published", ("concord.kb",)),
    "concord.index.unconfirmed": Measure("watched", "s", "time since a run last found the head true", ("concord.kb",)),
    "concord.bases.open": Measure("watched", "{base}", "knowledge bases that a server holds open"),
    "concord.queue.waiting": Measure("watched", "{request}", "questions that wait for a turn to read"),
    "concord.queue.duration": Measure("histogram", "s", "time that a question waited for its turn", (), QUICK),
    "concord.operation.duration": Measure(
        "histogram", "s", "time of an operation, waiting included", ("concord.operation", "concord.outcome"), QUICK
    ),
    "concord.refusals": Measure(
        "counter", "{request}", "operations without an answer, and requests without a token",
        ("concord.operation", "concord.reason"),
    ),
    "concord.search.duration": Measure(
        "histogram", "s", "time of a search of one base", ("concord.mode", "concord.status"), QUICK
    ),
    "concord.search.step.duration": Measure("histogram", "s", "time of a step of a search", ("concord.step",), QUICK),
    "http.server.request.duration": Measure(
        "histogram", "s", "time of an HTTP request", ("http.request.method", "http.route", "http.response.status_code"), QUICK
    ),
    "http.server.active_requests": Measure("updown", "{request}", "HTTP requests being answered", ("http.request.method",)),
}

SPANS: dict[str, Stretch] = {
    "run": Stretch("a run, from lease to head", (
        "concord.run.id", "concord.generation", "concord.published", "concord.documents", "concord.chunks",
        "concord.failures", "error.type",
    )),
    "stage {concord.stage}": Stretch("a stage of a run", ("concord.stage",)),
    "batch {concord.stage}": Stretch(
        "at least a thousand items of a stage, or a hundredth of it, or what was left",
        ("concord.stage", "concord.items", "concord.unit"),
    ),
    "search {concord.mode}": Stretch(
        "a search of one base", ("concord.mode", "concord.generation", "concord.status", "concord.items", "error.type")
    ),
    "operation {concord.operation}": Stretch(
        "an operation of a server", ("concord.operation", "concord.generation", "concord.reason", "error.type")
    ),
    "{http.request.method} {http.route}": Stretch(
        "a request to a server", ("http.request.method", "http.route", "http.response.status_code", "url.scheme", "error.type")
    ),
}

RESOURCE = ("service.name", "service.version", "service.instance.id")
"""Attributes of the process that tells; OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME add to them and win."""
