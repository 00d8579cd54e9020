"""What a run tells: counts, failures, times. Printed as JSON in exactly this shape (see DESIGN and README)."""

from __future__ import annotations

from dataclasses import dataclass, field


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

    @property
    def exit_code(self) -> int:
        return 4 if self.failures else 0
