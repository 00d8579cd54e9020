"""`ingest entities export` as a flow: the registry of the head as a file, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flows.exporting import Format, Wanted, export, keep
from flows.scheduled import artifacts
from flows.scheduled.logs import observed
from flows.scheduled.opened import settings_of
from flows.scheduled.sdk import flow
from flows.scheduled.stage import PAUSE_SECONDS, RETRIES, staged
from ingest.model.access import Principal


@flow(name="concord-export-registry", persist_result=False)
def export_registry_flow(
    out: str, config: str | None = None, kb: str | None = None, format: Format = "jsonld", whole: bool = False,
    retries: int = RETRIES, pause_seconds: float = PAUSE_SECONDS,
) -> dict[str, Any]:
    """Write entities, names, identifiers and assertions to `out`, and return its path and size. Without `whole` only what
    everybody may see is in it."""
    settings = settings_of(config, kb)
    wanted = Wanted(format, None if whole else Principal())
    with observed(settings) as log:
        file = Path(out)
        size = staged("export", lambda: keep(file, export(settings, wanted)), retries=retries, pause=pause_seconds)
        artifacts.link("concord-registry", str(file), f"the registry, {size} bytes of {format}")
        log.info("%s: %s bytes", file, size)
    return {"file": str(file), "bytes": size}
