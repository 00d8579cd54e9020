"""What a report holds, as nouns: `report.json` is their JSON, `report.html` shows the same to people.

A report names documents and counts chunks; it has no text of any document. It is an operator's file: who may read it learns the
names of documents whatever their readers may see. What a run without changes does not need is beside what makes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ingest.model.report import Change, ReportedFailure

if TYPE_CHECKING:
    from flows.reporting.documents import Touched
    from flows.reporting.stop import Stop

FORMAT = 1

Kind = Literal["run", "rollback", "repair", "import", "move", "plan"]
Outcome = Literal["published", "unchanged", "failed", "planned"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The documents of one media type in the base, by the fingerprint of the parser they were made with.

    `documents` counts those without a failure, `failed` the others. `pages` (PDF pages, slides) is None where the format has none
    or they are not known: they are remembered in the cache, which may be deleted."""

    media_type: str
    parser: str
    documents: int
    failed: int = 0
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """What a generation held. `at`: when it was published, by the clock of the machine that did."""

    generation: int
    at: str
    origin: str
    snapshot: str
    sources: int
    chunks: int
    entities: int
    edges: int
    assertions: int


@dataclass(frozen=True, slots=True)
class MadeWith:
    """What a manifest records of settings and code. `altered` says of what was otherwise in the generation before how it was,
    e.g. `fingerprints.embed`: `was hash 1`."""

    settings: dict[str, str]
    fingerprints: dict[str, str]
    engines: dict[str, str]
    registry: str
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    altered: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """What one run did and left, or what one would do. `generation` is what is served after it (0: nothing yet), `before` what
    was served until then. Fields that a kind of report has nothing to say in are empty."""

    kind: Kind
    outcome: Outcome
    at: str
    generation: int
    snapshot: str
    before: int
    note: str = ""
    error: Stop | None = None
    sources: dict[str, int] = field(default_factory=dict)
    chunks: dict[str, int] = field(default_factory=dict)
    embedded: int = 0
    documents: tuple[Touched, ...] = ()
    failures: tuple[ReportedFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    plan: tuple[Change, ...] = ()
    differing: tuple[str, ...] = ()
    """Of a plan: settings, code and models that differ from those of the manifest, in words."""
    seconds: dict[str, float] = field(default_factory=dict)
    builds: dict[str, dict[str, float | int | bool]] = field(default_factory=dict)
    made_with: MadeWith | None = None
    parsers: tuple[Parsed, ...] = ()
    history: tuple[Point, ...] = ()
    """Oldest first."""
    format: int = FORMAT
