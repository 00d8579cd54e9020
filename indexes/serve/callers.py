"""Who asks. A caller comes from configuration (a token, or what a local server was started with), never from an argument."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.model.access import Principal


@dataclass(frozen=True, slots=True)
class Caller:
    """`name` is for the audit log; `principal` decides what is seen in each of the knowledge bases `kb_ids`; `write`: whether the
    tools that change something are there; `metrics`: whether the server's metrics may be read."""

    name: str
    principal: Principal
    kb_ids: tuple[str, ...]
    write: bool = False
    metrics: bool = False
