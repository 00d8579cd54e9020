"""What a run tells: counts, failures, times. Printed as JSON in exactly this shape (see DESIGN and README)."""

from __future__ import annotations

from dataclasses import dataclass, field

STAGES = ("plan", "parse", "chunk", "entities", "embed", "index", "prove", "publish")
"""The stages whose seconds a report tells."""


@dataclass(frozen=True, slots=True)
class ReportedFailure:
    """`serving`: whether an older text of the document is still served."""

    uri: str
    stage: str
    error: str
    message: str
    retryable: bool
    serving: bool


@dataclass(frozen=True, slots=True)
class RunReport:
    """`sources` has added, changed, same, gone, renamed, failed; `chunks` added, removed, kept, rewritten (same chunk, changed
    metadata). `embedded` counts texts that went through a model in this run. `seconds` has plan, parse, chunk, entities, embed,
    index, prove, publish; parsing and chunking happen together in workers and `chunk` is the part that assembles rows."""

    generation: int
    snapshot: str
    published: bool
    sources: dict[str, int]
    chunks: dict[str, int]
    embedded: int
    failures: tuple[ReportedFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    builds: dict[str, dict[str, float | int | bool]] = field(default_factory=dict)
    """Index -> rows written, whether its build was reused, and the seconds it took to copy and write."""
    report: str = ""
    """Where the HTML report of the run is; empty where it could not be written."""

    @property
    def exit_code(self) -> int:
        return 4 if self.failures else 0


@dataclass(frozen=True, slots=True)
class Change:
    """One source that is not as published. `what`: added, changed, gone, renamed, stale (settings or parsers changed), retry."""

    uri: str
    what: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlanReport:
    """What a run would do."""

    changes: tuple[Change, ...]
    same: int
    warnings: tuple[str, ...] = ()
    exit_code: int = 0
    settings: tuple[str, ...] = ()
    """As in `CheckReport`; empty before the first run."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that `check` says besides changes, with the uris of the sources that it is about.

    `kind` of a warning: window (opened or closed since the last confirmation), family, contradiction, quarantined, failed,
    withdrawn, skipped, hold, clock. Of a problem: root, file, catalog, index, engine, registry, clock."""

    kind: str
    message: str
    uris: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Whether the head is still true to its sources and settings. `status`: fresh, stale, unknown (could not tell).

    `unknown` wins over `stale`: what is listed then may not be all. `strict`: warnings make it stale too."""

    generation: int
    """0 where the catalog cannot be read."""
    status: str
    changes: tuple[Change, ...]
    settings: tuple[str, ...]
    """Settings, code, models or seeds that differ from the manifest, in words."""
    warnings: tuple[str, ...]
    confirmed_at: str
    problems: tuple[str, ...] = ()
    """Why it could not be told."""
    overdue: str = ""
    """Why the last confirmation is too old, where an age was asked for."""
    strict: bool = False
    same: int = 0
    """Sources that are as published."""
    checked_at: str = ""
    roots: dict[str, str] = field(default_factory=dict)
    """Name -> folder of the roots that were looked at."""
    remarks: dict[str, tuple[Remark, ...]] = field(default_factory=dict)
    """`warnings` and `problems` once more, each with its kind and its sources."""

    @property
    def exit_code(self) -> int:
        return {"fresh": 0, "stale": 3, "unknown": 6}[self.status]
