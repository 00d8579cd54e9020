"""Does a generation lie on disk as published, as far as names, stamps and sizes can tell?

The cheap look of `ingest check`: a few dozen files are asked for their size and none but the stamps is opened. What only their
bytes can tell is the matter of `indexes.generation.verify`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from indexes.generation.kinds import open_kind
from indexes.generation.publish import files_of
from indexes.generation.snapshot import check_manifest, check_stamp
from indexes.qdrant.format import is_on_server
from ingest.errors import EngineUnavailable, Inconsistent, UsageError
from ingest.model.generation import INDEX_KINDS, IndexKind, Manifest
from ingest.settings import Settings
from ingest.store.layout import Layout


def problems(layout: Layout, manifest: Manifest) -> list[str]:
    """Return what is missing or not as published, in words; empty when nothing is."""
    found: list[str] = []
    try:
        check_manifest(layout, manifest)
    except Inconsistent as error:
        found.append(str(error))
    for kind in INDEX_KINDS:
        try:
            check_stamp(layout, manifest, kind)
        except Inconsistent as error:
            found.append(str(error))
        else:
            found.extend(_files(layout, manifest, kind))
    return found


def unanswered(layout: Layout, manifest: Manifest, settings: Settings) -> list[str]:
    """Return what is to be said of builds whose rows are on a server: that it is away, or holds fewer or more. One request
    a build; nothing where all is in files."""
    found: dict[str, None] = {}
    for build in manifest.builds:
        if is_on_server(layout.build(build)):
            try:
                open_kind(build.kind, layout.build(build), settings).close()
            except (Inconsistent, EngineUnavailable, UsageError) as error:
                found[str(error)] = None
    return list(found)


def _files(layout: Layout, manifest: Manifest, kind: IndexKind) -> Iterator[str]:
    build = manifest.build(kind)
    expected = files_of(layout, [manifest.generation], build)
    if expected is None:
        yield f"{layout.files(manifest.generation)} does not list {kind}/{build.id}; run: ingest verify"
        return
    folder = layout.build(build)
    try:
        present = {path.relative_to(folder).as_posix(): path.stat().st_size for path in _below(folder)}
    except OSError as error:
        yield f"{error.filename} cannot be looked at: {error.strerror}; check the permissions of the knowledge base"
        return
    for name in sorted(expected.keys() | present.keys()):
        if name not in present:
            yield f"{folder / name} is missing; run: ingest verify"
        elif name not in expected:
            yield f"{folder / name} was not there when it was published; run: ingest verify"
        elif present[name] != (size := expected[name].get("size")):
            yield f"{folder / name} has {present[name]} bytes and was published with {size}; run: ingest verify"


def _below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
