"""The two copies of a generation's manifest, and the stamps of its builds: who says what this generation is?

A manifest proves itself: its snapshot digest and the ids of its builds follow from the rest of it. So of two copies that differ
the one that is sound counts, and where both are, the one that names the facts which the catalog holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indexes.generation.publish import snapshot_digest
from indexes.generation.seal import read_stamp
from indexes.generation.verify.findings import MANIFEST, RECORD, WRONG_BUILD, Drift
from ingest.errors import BuildCorrupt, Inconsistent, NotFound
from ingest.model.canonical import canonical, digest_of, plain
from ingest.model.codec import decode
from ingest.model.generation import INDEX_KINDS, Build, Manifest, build_id
from ingest.store.catalog import FACTS, Catalog
from ingest.store.layout import Layout


def settled(layout: Layout, catalog: Catalog, generation: int) -> Manifest:
    """Return what generation `generation` is, from whichever copy of its manifest can be trusted.

    Raises NotFound where there is no trace of it, Inconsistent where neither copy can be trusted."""
    records = catalog.records()
    recorded = _decoded(records.get(generation))
    on_disk = manifest_on_disk(layout, generation)
    if generation not in records and (on_disk is None or generation != head_of(layout, catalog)):
        raise NotFound(f"generation {generation} is not kept; `ingest snapshots list` shows those that are")
    trusted = [copy for copy in (recorded, on_disk) if copy is not None and is_sound(copy, generation)]
    if not trusted and recorded is not None and recorded == on_disk:
        return recorded  # published and drifted alike: what is wrong with it is for `check_records` to say
    if not trusted:
        raise Inconsistent(
            f"neither the catalog's manifest of generation {generation} nor {layout.manifest(generation)} is what was published; "
            f"restore one from a copy, or delete {layout.folder} and build it anew: ingest run"
        )
    if len(trusted) == 2 and trusted[0].catalog != trusted[1].catalog and catalog.digests(generation) == trusted[1].catalog:
        return trusted[1]
    return trusted[0]


def head_of(layout: Layout, catalog: Catalog) -> int:
    """Return the newest generation that was published, whatever the catalog's head says; 0 where there is none.

    A generation is listed in the very transaction that makes it the head, so of the two the newer one counts."""
    newest = max(catalog.records(), default=0)
    head = said_head(catalog) or 0
    on_disk = manifest_on_disk(layout, head) if head > newest else None
    return head if on_disk is not None and is_sound(on_disk, head) else newest


UNLISTED = "the catalog does not know it: an older catalog.db was put in its place"


def unlisted(layout: Layout, catalog: Catalog) -> list[int]:
    """Return generations after the head that were published, by their folders: the report is written there after that only.
    Killed before it, a run leaves a folder without one, which recovery removes."""
    head = head_of(layout, catalog)
    try:
        names = [entry.name for entry in layout.generations.iterdir()]
    except OSError:
        return []
    later = sorted(int(name) for name in names if name.isdecimal() and int(name) > head)
    return [number for number in later if layout.generation_report(number, "json").is_file()]


def said_head(catalog: Catalog) -> int | None:
    """Return the catalog's head, None where it is no number."""
    try:
        return catalog.head()
    except Inconsistent:
        return None


def readable(catalog: Catalog, generation: int) -> Manifest | None:
    """Return the catalog's manifest of a generation, None where there is none that can be read."""
    return _decoded(catalog.records().get(generation))


def manifest_on_disk(layout: Layout, generation: int) -> Manifest | None:
    """Return the manifest in a generation's folder, None where there is none that can be read."""
    try:
        return _decoded(layout.manifest(generation).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _decoded(text: str | None) -> Manifest | None:
    try:
        found = None if text is None else decode(Manifest, json.loads(text))
        return found if found is not None and _has_its_parts(found) else None
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def _has_its_parts(manifest: Manifest) -> bool:
    """Whether it can be worked with at all."""
    return (
        isinstance(manifest.generation, int) and tuple(build.kind for build in manifest.builds) == INDEX_KINDS
        and isinstance(manifest.catalog, dict) and manifest.catalog.keys() == FACTS.keys()
    )


def is_sound(manifest: Manifest, generation: int) -> bool:
    """Whether a manifest follows from itself and is that of this generation."""
    digest = snapshot_digest(manifest.catalog, manifest.registry, manifest.settings, manifest.fingerprints)
    if manifest.generation != generation or manifest.snapshot != digest:
        return False
    if manifest.settings.get("bm25") != digest_of(manifest.scoring):
        return False
    return all(_belongs(build, manifest) for build in manifest.builds)


def _belongs(build: Build, manifest: Manifest) -> bool:
    edges = manifest.catalog["edges"] if build.kind == "graph" else ""
    identity = build_id(build.kind, build.fingerprint, build.rows, build.edges)
    return (build.rows, build.edges) == (manifest.catalog["chunks"], edges) and build.id.partition("-")[0] == identity


def check_records(layout: Layout, catalog: Catalog, manifest: Manifest) -> Iterator[Drift]:
    """Compare both copies with `manifest`, which `settled` returned. Other generations' records are looked at too: one that
    cannot be read stops every run."""
    number = manifest.generation
    records = catalog.records()
    if number not in records:
        yield Drift(RECORD, f"generation {number}", "the catalog does not list it")
    elif not _equal(_decoded(records[number]), manifest):
        yield Drift(RECORD, f"generation {number}", "the catalog's manifest is not the one that was published")
    on_disk = manifest_on_disk(layout, number)
    if on_disk is None:
        yield Drift(MANIFEST, f"generations/{number}/manifest.json", "it is missing or cannot be read")
    elif not _equal(on_disk, manifest):
        yield Drift(MANIFEST, f"generations/{number}/manifest.json", "it is not the manifest that was published")
    if not is_sound(manifest, number):
        yield Drift(RECORD, f"generation {number}", "its snapshot digest or builds do not follow from what it says")
    if number == head_of(layout, catalog):
        if number != said_head(catalog):
            yield Drift(RECORD, "head", f"the catalog's head is {said_head(catalog)}, but generation {number} was published")
        for other in sorted(records):
            if other != number and _decoded(records[other]) is None:
                yield Drift(RECORD, f"generation {other}", "the catalog's manifest cannot be read")
        for later in unlisted(layout, catalog):
            yield Drift(MANIFEST, f"generations/{later}", f"generation {later} was published, but {UNLISTED}")


def _equal(one: Manifest | None, other: Manifest) -> bool:
    return one is not None and canonical(one) == canonical(other)


@dataclass(frozen=True, slots=True)
class Others:
    """What other kept generations have. `builds`: `kind/id` -> a generation; `rows`: rows digest -> a generation."""

    builds: dict[str, int]
    rows: dict[str, int]


def others_of(catalog: Catalog, manifest: Manifest) -> Others:
    """Return what generations other than this one have and it has not."""
    mine = {f"{build.kind}/{build.id}" for build in manifest.builds}
    builds: dict[str, int] = {}
    rows: dict[str, int] = {}
    for number, text in sorted(catalog.records().items()):
        other = _decoded(text)
        if other is not None and number != manifest.generation:
            builds.update({key: number for build in other.builds if (key := f"{build.kind}/{build.id}") not in mine})
            rows[other.catalog["chunks"]] = number
    rows.pop(manifest.catalog["chunks"], None)
    return Others(builds, rows)


def carries_another(layout: Layout, build: Build) -> bool:
    """Whether what lies in a build's place is another build, by its stamp."""
    try:
        stamp: object = read_stamp(layout.build(build))
        return isinstance(stamp, dict) and (stamp["kind"], stamp["id"]) != (build.kind, build.id)
    except (BuildCorrupt, KeyError):
        return False


def stamp_drift(layout: Layout, build: Build, known: Mapping[str, int]) -> Drift | None:
    """Say whose stamp a build carries, if not its own. `known`: `kind/id` -> a generation that has it."""
    where = f"{build.kind}/{build.id}"
    try:
        stamp: object = read_stamp(layout.build(build))
    except BuildCorrupt as error:
        return Drift(WRONG_BUILD, where, str(error))
    if stamp == plain(build):
        return None
    if not isinstance(stamp, dict):
        return Drift(WRONG_BUILD, where, "its stamp is no stamp")
    other = known.get(f"{stamp.get('kind')}/{stamp.get('id')}")
    of = f"the build {stamp.get('id')}" + ("" if other is None else f", which generation {other} has")
    return Drift(WRONG_BUILD, where, f"it carries the stamp of {of}")
