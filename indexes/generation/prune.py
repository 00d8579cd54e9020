"""The one place that deletes: what a dead writer left, and generations beyond the last K."""

from __future__ import annotations

import shutil
from contextlib import suppress

from ingest.errors import StorageFailed
from ingest.model.generation import INDEX_KINDS
from ingest.progress import Progress
from ingest.steps import reached
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout
from ingest.store.lease import generation_alone
from ingest.store.opening import drop_catalog


def recover(layout: Layout, catalog: Catalog) -> bool:
    """Discard everything that was staged and not published. Idempotent; call with the lease held.

    Returns whether a dead writer had left something."""
    staged = catalog.recover()
    return unbuild(layout, catalog) or staged


def unbuild(layout: Layout, catalog: Catalog) -> bool:
    """As `recover`, keeping the facts that are staged: what was built of them is discarded, to be built again."""
    left = layout.staging.exists()
    shutil.rmtree(layout.staging, ignore_errors=True)
    return _sweep(layout, catalog) or left


def abandon(layout: Layout, *, cache: bool) -> None:
    """Remove a knowledge base in which nothing was ever published, and its folder unless other things are in it.

    `cache`: its cache too.

    Call with the lease held and its catalog closed. The lock goes last: whoever opened it meanwhile finds that it is another
    file by now (see `ingest.store.lease`)."""
    for folder in (layout.staging, layout.builds, layout.generations, *([layout.cache.parent] if cache else [])):
        shutil.rmtree(folder, ignore_errors=True)
    drop_catalog(layout)
    for file in (layout.lock_owner, layout.lock):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        layout.folder.rmdir()


def prune(layout: Layout, catalog: Catalog, keep: int) -> list[int]:
    """Drop generations older than the last `keep`, with their rows and builds. Returns those dropped.

    A generation that a reader holds is left for a later prune. Holding its lock alone while it stops being listed is what
    makes a reader's re-check after locking sufficient. Call with the lease held and nothing staged.
    """
    reached("pruning")
    shutil.rmtree(layout.staging, ignore_errors=True)  # empty folders, once everything in it was moved into place
    dropped = []
    for old in catalog.generations()[keep:]:
        with generation_alone(layout, old.generation) as mine:
            if mine:
                catalog.forget([old.generation])
                reached("generation forgotten")
                shutil.rmtree(layout.generation(old.generation), ignore_errors=True)
                reached("generation folder removed")
                dropped.append(old.generation)
    if dropped:
        _sweep(layout, catalog)
        reached("pruned")
    return dropped


def prune_published(layout: Layout, catalog: Catalog, keep: int, progress: Progress) -> None:
    """Prune after a publish. The new generation is served by now, so what goes wrong here is told and fails nothing."""
    try:
        prune(layout, catalog, keep)
    except (StorageFailed, OSError) as error:
        progress.note(f"old generations were not dropped ({error}); the next run, or `ingest snapshots prune`, tries again")


def _sweep(layout: Layout, catalog: Catalog) -> bool:
    """Remove generation folders and builds that no listed generation names."""
    listed = catalog.generations()
    numbers = {str(published.generation) for published in listed}
    builds = {(build.kind, build.id) for published in listed for build in published.manifest.builds}
    swept = False
    if layout.generations.exists():
        for folder in layout.generations.iterdir():
            if folder.name not in numbers:
                shutil.rmtree(folder, ignore_errors=True)
                swept = True
    for kind in INDEX_KINDS:
        below = layout.builds / kind
        for folder in below.iterdir() if below.exists() else ():
            if (kind, folder.name) not in builds:
                shutil.rmtree(folder, ignore_errors=True)
                reached("build removed")
                swept = True
    return swept
