"""The reports of what is no run: a rollback, a repair and an import publish too, and a dry run has its plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.base import Base
from flows.records import Records
from flows.reporting.documents import Moves, touched
from flows.reporting.history import Earlier, history
from flows.reporting.keep import keep, put
from flows.reporting.made import made_with
from flows.reporting.parsers import of_head
from flows.reporting.record import Kind, Report
from ingest.model.instant import now
from ingest.model.report import PlanReport
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.layout import layout_of
from ingest.store.opening import catalog_if_any

if TYPE_CHECKING:
    from flows.commit import Committed


def publish_told(
    base: Base, kind: Kind, note: str, progress: Progress, *, moves: Moves | None = None, committed: Committed | None = None,
    warnings: tuple[str, ...] = (),
) -> str:
    """Keep the report of a generation that something else than a run published: the head. Call before older ones are pruned, or
    give what it wrote as `moves`. `warnings`: what it could not help. Returns where its HTML is."""

    def make() -> Report:
        kept = base.catalog.generations()
        manifest = kept[0].manifest
        generation, before = manifest.generation, kept[1].manifest if len(kept) > 1 else None
        earlier = Earlier(base.layout, before.generation if before is not None else 0)
        found = moves or Moves.of(base.catalog, generation)
        ids = list(found.sources.keys() | found.chunks.keys())
        was = Records(base.catalog.get("sources", generation - 1, ids).values())
        become = Records(base.catalog.get("sources", generation, ids).values())
        total = int(manifest.catalog["chunks"].partition(":")[0])
        return Report(
            kind, "published", now(), generation, manifest.snapshot, before.generation if before is not None else 0,
            note=note, chunks=found.counts(total),
            embedded=committed.embedded if committed is not None else 0,
            warnings=warnings, documents=touched(found, was, become, moved={}, read=None),
            seconds=dict(committed.seconds) if committed is not None else {},
            builds=committed.told() if committed is not None else {},
            made_with=made_with(manifest, before), parsers=of_head(base, earlier, kept), history=history(kept, earlier),
        )

    return keep(base.layout, make, progress)


def plan_told(settings: Settings, plan: PlanReport, file: Path) -> None:
    """Write what a run would do to a file of the user's. Raises StorageFailed."""
    layout = layout_of(settings)
    with catalog_if_any(layout) as catalog:
        kept = catalog.generations() if catalog is not None else []
    head = kept[0].generation if kept else 0
    put(Report(
        "plan", "planned", now(), head, kept[0].manifest.snapshot if kept else "", head, sources={"same": plan.same},
        warnings=plan.warnings, plan=plan.changes, differing=plan.settings, history=history(kept, Earlier(layout, head)),
    ), file)
