"""Whether anybody wants to be told: asked before anything of OpenTelemetry is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.settings import TelemetryPart

_OTLP = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")


def sends(settings: TelemetryPart, environ: Mapping[str, str]) -> bool:
    """Whether spans and metrics are to be sent: by setting, or because a variable says where to."""
    if settings.otlp == "off" or environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return settings.otlp == "on" or bool(settings.endpoint) or any(environ.get(name) for name in _OTLP)
