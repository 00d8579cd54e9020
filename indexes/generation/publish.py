"""From staged builds and a staged generation to a published one.

The order of writes is what a crash at any moment survives: builds are renamed into place (nobody knows them yet), then
the generation's folder with its manifest (nobody lists it yet), then the catalog moves its head. Killed before that: recovery
removes what no kept manifest names. Killed after: it is published.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from indexes.generation.apply import StagedBuild
from indexes.generation.seal import flush, move
from ingest.errors import StorageFailed
from ingest.model.canonical import canonical, digest_of
from ingest.model.generation import Build, Manifest
from ingest.steps import reached
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout


def snapshot_digest(catalog: dict[str, str], registry: str, settings: dict[str, str], fingerprints: dict[str, str]) -> str:
    """Return the snapshot digest: rows in effect, registry, and the settings and fingerprints that shape content."""
    return digest_of({"catalog": catalog, "registry": registry, "settings": settings, "fingerprints": fingerprints})


def publish(layout: Layout, catalog: Catalog, manifest: Manifest, staged: Iterable[StagedBuild]) -> None:
    """Make `manifest` the head. The builds must have been proven and flushed."""
    builds = list(staged)
    try:
        for build in builds:
            if not build.reused:
                move(build.path, layout.build(build.build))
                reached("build moved")
        folder = layout.staging / "generation"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_bytes(canonical(manifest))
        (folder / "files.json").write_bytes(canonical({_key(build.build): build.files for build in builds}))
        (folder / "lock").touch()
        reached("generation written")
        flush(folder)
        move(folder, layout.generation(manifest.generation))
        reached("generation moved")
    except OSError as error:
        raise StorageFailed(
            f"generation {manifest.generation} could not be written below {layout.folder}: {error.strerror or error}; "
            "free disk space and run again (what was published is untouched)"
        ) from error
    catalog.publish(manifest)


def files_of(layout: Layout, generations: Iterable[int], build: Build) -> dict[str, dict[str, Any]] | None:
    """Return files.json's entry of `build` from any of the generations, None when none has it."""
    for generation in generations:
        try:
            found = json.loads(layout.files(generation).read_bytes())[_key(build)]
        except (OSError, ValueError, LookupError, TypeError):
            continue
        if isinstance(found, dict):
            return found
    return None


def _key(build: Build) -> str:
    return f"{build.kind}/{build.id}"
