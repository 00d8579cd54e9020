"""What of a server is told, and to whom: which paths answer everybody, and which are told apart in metrics."""

from __future__ import annotations

from indexes.serve.http.guard import OPEN
from indexes.serve.http.probes import METRICS, PATHS
from indexes.serve.operations import Operations
from ingest.settings import ServePart


def open_too(settings: ServePart) -> tuple[str, ...]:
    """Return the paths that answer everybody besides those that always do."""
    return (METRICS,) if settings.metrics == "open" else ()


def routes_of(operations: Operations, *, mcp: bool) -> set[str]:
    """Return the paths of an HTTP API."""
    other = {"/mcp"} if mcp else set()
    return {*OPEN, *PATHS, "/v1/bases", *(f"/v1/{operation.name}" for operation in operations.every), *other}
