"""Where a knowledge base is: its files, and where its catalog is in a server's database, which. The one place that knows names
below `--kb`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ingest.model.generation import Build, IndexKind

if TYPE_CHECKING:
    from ingest.settings import Settings

ReportKind = Literal["json", "html"]


@dataclass(frozen=True, slots=True)
class Server:
    """A schema of a PostgreSQL database. The URL may hold a password: it is in no representation."""

    url: str = field(repr=False)
    schema: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below the folder of one knowledge base. `server`: what has its catalog, where that is no file."""

    folder: Path
    server: Server | None = None

    @property
    def catalog(self) -> Path:
        """The catalog's file, where `server` does not have it; opened by `ingest.store.opening`."""
        return self.folder / "catalog.db"

    @property
    def catalog_name(self) -> str:
        """What findings call the catalog as a whole."""
        return "catalog.db" if self.server is None else "catalog"

    @property
    def mark(self) -> Path:
        """Which catalog of a server belongs to this folder."""
        return self.folder / "catalog.id"

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
    def qdrant(self) -> Path:
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


def layout_of(settings: Settings) -> Layout:
    """Return where the knowledge base of these settings is."""
    server = Server(settings.catalog, settings.catalog_schema) if settings.catalog else None
    return Layout(Path(settings.kb), server)
