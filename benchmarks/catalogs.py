"""The catalog in SQLite and in PostgreSQL: 100,000 chunks staged and published by each, in one run on one machine.

The catalog alone: facts of the size that a made document's have are staged as the first generation of an empty catalog, counted,
read as an index reads them, and published; the two take turns, and each figure is the median. Then, unless `--alone` says
otherwise, the whole: as many documents are made and ingested from nothing with either catalog, with feature hashing for a model.
The server is one of its own on loopback, and waits for the disk as a server does.

    python -m benchmarks.catalogs [--documents 8400] [--turns 3] [--alone]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from benchmarks.corpus import write_corpus
from benchmarks.measure import Cost, cost, table
from fixtures.postgres_server import PostgresServer
from ingest.model.canonical import digest_of
from ingest.model.generation import Manifest
from ingest.settings import Settings
from ingest.store.catalog import Fact
from ingest.store.layout import Layout, layout_of
from ingest.store.opening import open_catalog

KINDS = ("SQLite", "PostgreSQL")
_EACH = {"parents": 3, "chunks": 12}
"""Facts of one document, by table."""
_BYTES = {"sources": 900, "parents": 2400, "chunks": 1500}
PARTS = ("stage", "count", "read", "publish")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=8400, help="twelve chunks each")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="the catalog alone")
    options = parser.parse_args()
    server = PostgresServer(durable=True)
    try:
        with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
            home = Path(temporary)
            facts = made(options.documents)
            parts = alone(home, facts, server, options.turns)
            wholes = {} if options.alone else wholes_of(home, server, options.documents)
    finally:
        server.stop()
    print(report(wholes, parts, {name: len(held) for name, held in facts.items()}))


def settings_of(folder: Path, kind: str, server: PostgresServer, schema: str) -> Settings:
    values = {"kb": str(folder), "catalog_schema": schema, "catalog": server.url() if kind == "PostgreSQL" else ""}
    return Settings.model_validate(values)


def wholes_of(home: Path, server: PostgresServer, documents: int) -> dict[str, Cost]:
    write_corpus(home / "docs", documents)
    return {kind: whole(home, kind, server) for kind in KINDS}


def whole(home: Path, kind: str, server: PostgresServer) -> Cost:
    """Return what ingesting everything cost, as a process."""
    settings = settings_of(home / kind, kind, server, "whole")
    environment = {"INGEST_EMBED__ENGINE": "hash", "INGEST_CATALOG": settings.catalog, "INGEST_CATALOG_SCHEMA": "whole"}
    command = [str(Path(sys.executable).with_name("ingest")), "run", str(home / "docs"), "--kb", settings.kb, "--json"]
    return cost(command, environment, folder=home)


def made(documents: int) -> dict[str, list[Fact]]:
    """Return the facts of so many documents, with ids, checksums and payloads as long as those of real ones."""
    facts: dict[str, list[Fact]] = {"sources": [], "parents": [], "chunks": []}
    for document in range(documents):
        source = f"urn:kb:source:{digest_of(document)}"
        facts["sources"].append(_fact("source", source, source, 0, _BYTES["sources"]))
        for kind, count in _EACH.items():
            for place in range(count):
                id = digest_of([kind, document, place])
                facts[kind].append(_fact(kind, id, source, place, _BYTES[kind]))
    return facts


def _fact(kind: str, id: str, source: str, place: int, size: int) -> Fact:
    payload = f"{id} " * (size // (len(id) + 1))
    return Fact(id, source, digest_of([kind, id]), place, orjson.dumps({"id": id, "text": payload}))


def alone(
    home: Path, facts: dict[str, list[Fact]], server: PostgresServer, turns: int
) -> dict[str, dict[str, float]]:
    """Return the median seconds of each part, by kind of catalog."""
    seconds: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
    for turn in range(turns):
        for kind in KINDS if turn % 2 == 0 else reversed(KINDS):
            layout = layout_of(settings_of(home / f"{kind}-{turn}", kind, server, f"alone_{turn}"))
            layout.folder.mkdir()
            seconds[kind].append(staged(layout, facts))
    return {
        kind: {part: statistics.median(one[part] for one in found) for part in PARTS} for kind, found in seconds.items()
    }


def staged(layout: Layout, facts: dict[str, list[Fact]]) -> dict[str, float]:
    """Stage, count, read and publish in one catalog; return the seconds of each."""
    taken: dict[str, float] = {}
    with open_catalog(layout, create=True) as catalog:
        catalog.take("benchmark")

        def stage() -> None:
            with catalog.staging(1) as staging:
                for name, held in facts.items():
                    staging.begin(name, held)

        digests: dict[str, str] = {}
        timed(taken, "stage", stage)
        timed(taken, "count", lambda: digests.update(catalog.digests(1)))
        timed(taken, "read", lambda: [None for _ in catalog.added("chunks", 1)])
        timed(taken, "publish", lambda: catalog.publish(Manifest(1, "snapshot", (), digests, "registry")))
    return taken


def timed(taken: dict[str, float], name: str, work: Callable[[], object]) -> None:
    started = time.perf_counter()
    work()
    taken[name] = time.perf_counter() - started


def report(wholes: dict[str, Cost], parts: dict[str, dict[str, float]], counts: dict[str, int]) -> str:
    rows: list[list[str]] = []
    if len(wholes) == len(KINDS):
        one, other = (wholes[kind] for kind in KINDS)
        rows.append(["the whole ingest, wall seconds", f"{one.wall:.1f}", f"{other.wall:.1f}", f"{other.wall / one.wall:.2f}x"])
        rows.append(["the whole ingest, CPU seconds", f"{one.cpu:.1f}", f"{other.cpu:.1f}", f"{other.cpu / one.cpu:.2f}x"])
        rows.append(["peak MB of its processes", *(f"{each.memory / 2**20:.0f}" for each in (one, other)),
                     f"{other.memory / one.memory:.2f}x"])
    left, right = (parts[kind] for kind in KINDS)
    for part in PARTS:
        rows.append([f"{part}, seconds", f"{left[part]:.2f}", f"{right[part]:.2f}", f"{right[part] / left[part]:.2f}x"])
    sums = sum(left.values()), sum(right.values())
    rows.append(["the catalog's part, seconds", f"{sums[0]:.2f}", f"{sums[1]:.2f}", f"{sums[1] / sums[0]:.2f}x"])
    held = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    return f"{held}\n\n" + table(["", *KINDS, "ratio"], rows)


if __name__ == "__main__":
    main()
