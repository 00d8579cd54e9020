"""The files of a build against files.json: every byte, as it was published."""

from __future__ import annotations

from collections.abc import Iterator

from indexes.generation.publish import files_of
from indexes.generation.seal import STAMP, hash_files
from indexes.generation.verify.findings import TORN_FILE, Drift
from ingest.model.generation import Build, Manifest
from ingest.store.layout import Layout


def torn(layout: Layout, manifest: Manifest, build: Build) -> Iterator[Drift]:
    """Yield what of a build's files is not as published. Its stamp is left to `records.stamp_drift`."""
    expected = files_of(layout, [manifest.generation], build)
    where = f"{build.kind}/{build.id}"
    if expected is None:
        yield Drift(TORN_FILE, f"generations/{manifest.generation}/files.json", f"it does not list {where}")
        return
    try:
        present = hash_files(layout.build(build)) if layout.build(build).is_dir() else {}
    except OSError as error:
        yield Drift(TORN_FILE, where, f"it cannot be read: {error.filename}: {error.strerror}")
        return
    for name in sorted((expected.keys() | present.keys()) - {STAMP}):
        if name not in present:
            yield Drift(TORN_FILE, f"{where}/{name}", "the file is missing")
        elif name not in expected:
            yield Drift(TORN_FILE, f"{where}/{name}", "the file was not there when it was published")
        elif present[name] != expected[name]:
            yield Drift(TORN_FILE, f"{where}/{name}", "the content is not what was published")
