"""Where the files of a knowledge base are. The one place that knows names below `--kb`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest.model.generation import Build, IndexKind

ReportKind = Literal["json", "html"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below the folder of one knowledge base."""

    folder: Path

    @property
    def catalog(self) -> Path:
        return self.folder / "catalog.db"

    @property
    def cache(self) -> Path:
        return self.folder / "cache" / "cache.db"

    @property
    def passages(self) -> Path:
        """Which chunks may be copies of each other."""
        return self.folder / "cache" / "passages.db"

    @property
    def models(self) -> Path:
        return self.folder / "cache" / "models"

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    @property
    def lock_owner(self) -> Path:
        return self.folder / "lock.owner"

    @property
    def server(self) -> Path:
        """Which collections on a Qdrant server are this knowledge base's; only where its indexes are, or were, on one."""
        return self.folder / "server.json"

    @property
    def staging(self) -> Path:
        """Private to the run that holds the lease; emptied by recovery."""
        return self.folder / "staging"

    @property
    def builds(self) -> Path:
        return self.folder / "builds"

    @property
    def generations(self) -> Path:
        return self.folder / "generations"

    def build(self, build: Build) -> Path:
        return self.builds / build.kind / build.id

    def staged_build(self, kind: IndexKind) -> Path:
        return self.staging / "builds" / kind

    def generation(self, number: int) -> Path:
        return self.generations / str(number)

    def manifest(self, number: int) -> Path:
        return self.generation(number) / "manifest.json"

    def files(self, number: int) -> Path:
        return self.generation(number) / "files.json"

    def reader_lock(self, number: int) -> Path:
        return self.generation(number) / "lock"

    def report(self, kind: ReportKind) -> Path:
        """Of the last run, whatever came of it."""
        return self.folder / f"report.{kind}"

    @property
    def evaluation(self) -> Path:
        """Figures of the last `ingest eval`. No part of what is published: it may be missing."""
        return self.folder / "eval.json"

    def generation_report(self, number: int, kind: ReportKind) -> Path:
        """Of the run that published a generation. No part of what is published: it may be missing."""
        return self.generation(number) / f"report.{kind}"
