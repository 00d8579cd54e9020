"""Back to what an older generation held, as a new generation, with a hold that keeps runs from undoing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from indexes.generation.apply import StagedBuild
from indexes.generation.publish import files_of, publish
from indexes.generation.seal import intact
from ingest.errors import BuildCorrupt, OnHold, UsageError
from ingest.model.generation import Build, Manifest
from ingest.steps import reached
from ingest.store.catalog import FACTS, Catalog, Fact
from ingest.store.layout import Layout

_HOLD = "hold"


def rollback(layout: Layout, catalog: Catalog, target: int) -> Manifest:
    """Publish generation `target` again as head + 1 and set the hold. Call with the lease held, after recovery.

    Its builds are reused as they are, if they still are what was published; in the catalog only the facts that differ are
    written. Raises NotFound, UsageError, BuildCorrupt.
    """
    head = catalog.head()
    then = catalog.published(target).manifest
    if target == head:
        raise UsageError(f"generation {target} is the head already; `ingest snapshots list` shows those to go back to")
    builds = [_as_published(layout, target, build) for build in then.builds]
    generation = stage_rollback(catalog, target, {})
    manifest = replace(then, generation=generation)
    if catalog.digests(generation, catalog.published(head).manifest.catalog) != then.catalog:
        raise BuildCorrupt(f"the catalog no longer holds what generation {target} published; run: ingest verify")
    publish(layout, catalog, manifest, builds)
    return manifest


def stage_rollback(catalog: Catalog, target: int, others: Mapping[str, Mapping[str, Sequence[Fact]]]) -> int:
    """Stage the facts of generation `target` as head + 1, which is returned, and set the hold. `others`: sources that get other
    facts than they had then, by table."""
    generation = catalog.head() + 1
    with catalog.staging(generation, f"rollback to {target}") as stage:
        for table in FACTS:
            stage.restore(table, target)
        for source, tables in others.items():
            for table, facts in tables.items():
                stage.undo(table, source)
                stage.replace(table, source, facts)
    reached("rollback staged")
    # Held before it is published: a crash between the two leaves a hold that is void, never a rollback that the next
    # run undoes.
    catalog.set_meta(_HOLD, json.dumps({"generation": generation, "target": target}))
    reached("hold set")
    return generation


def _as_published(layout: Layout, target: int, build: Build) -> StagedBuild:
    files = files_of(layout, [target], build)
    if files is None or not intact(layout.build(build), build, files):
        raise BuildCorrupt(
            f"the {build.kind} build {build.id} of generation {target} is damaged; go back to another one, or see what is wrong "
            f"with it: ingest verify --generation {target}"
        )
    return StagedBuild(build, layout.build(build), True, files)


def refuse_if_held(catalog: Catalog) -> None:
    """Raise OnHold while a rollback's hold is set. Call with the lease held.

    A hold whose rollback was killed before it published is lifted: the next generation would take its number."""
    hold = hold_of(catalog)
    if hold is not None:
        raise OnHold(
            f"the knowledge base was rolled back to generation {hold['target']} and is on hold, so that a run does not undo it; "
            "when the sources are right again: ingest snapshots release"
        )
    if catalog.meta(_HOLD) is not None:
        catalog.set_meta(_HOLD, None)


def release(catalog: Catalog) -> bool:
    """Lift the hold; returns whether there was one. Call with the lease held."""
    held = hold_of(catalog) is not None
    catalog.set_meta(_HOLD, None)
    reached("hold lifted")
    return held


def hold_of(catalog: Catalog) -> dict[str, int] | None:
    """Return {generation, target} of the hold in force. One whose rollback was killed before it published is void."""
    text = catalog.meta(_HOLD)
    hold: dict[str, int] | None = None if text is None else json.loads(text)
    return hold if hold is not None and hold["generation"] <= catalog.head() else None
