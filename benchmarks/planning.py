"""What reading a query costs: 100,000 chunks, 10,000 entities with two or three names each, some of it hidden.

BM25 and graph are sealed builds on disk; the catalog is a dictionary, so that the planner and what it looks up are measured, not
SQLite. The first query of a snapshot reads the registry and builds the automaton. Warm queries come twice: as of one instant, and
each as of another second, so that nothing is remembered by the question.

    python -m benchmarks.planning [--chunks 100000] [--entities 10000]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.measure import table
from indexes.bm25.reader import open_reader as open_bm25
from indexes.bm25.writer import Bm25Writer
from indexes.generation.snapshot import Snapshot
from indexes.graph.reader import open_reader as open_graph
from indexes.graph.writer import GraphWriter
from indexes.query.plan.planner import planned
from indexes.query.request import Request, predicate_of
from ingest.model.access import Access, Principal
from ingest.model.canonical import digest_of
from ingest.model.chunk import chunk_id, parent_id
from ingest.model.document import Provenance
from ingest.model.entity import Entity, Name
from ingest.model.generation import Manifest
from ingest.model.instant import parse_instant
from ingest.model.row import ChunkRow, sealed
from ingest.progress import Silent
from ingest.protocols import Bm25Delta, GraphDelta
from ingest.settings import Settings
from ingest.store.catalog import Fact

KINDS = {
    "a question": ("{zh}最多支持多少个连接？", "How many connections does {en} accept?"),
    "without a name": ("数据备份多久执行一次，保留多少天？", "how long does it take to restore a backup?"),
    "version": ("{zh} 2.0 版的端口是多少", "What is the default port in version 3.1?"),
    "date": ("2024 年的年假有几天", "leave policy as of 2024-06-01"),
    "code held": ("ERR_{code} 怎么处理", "错误 {code}"),
    "code not held": ("ERR_{slip} 怎么处理", "HX-{code}9999"),
    "pronoun": ("它支持什么版本", "what does it support?"),
    "10,000 characters": ("{zh}的连接数是多少。" * 700,),
}
_SHOWN = Principal()


@dataclass
class Shelf:
    """What of a catalog the planner reads."""

    tables: dict[str, dict[str, Fact]]

    def head(self) -> int:
        return 1

    def facts(self, table: str, generation: int) -> Iterator[Fact]:
        return iter(self.tables.get(table, {}).values())

    def get(self, table: str, generation: int, ids: Sequence[str]) -> dict[str, Fact]:
        held = self.tables.get(table, {})
        return {id: held[id] for id in ids if id in held}

    def roots(self) -> dict[str, Any]:
        return {}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--entities", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        snapshot = made(Path(temporary), options.chunks, options.entities)
        started = time.perf_counter()
        plan(snapshot, "海力00001 的端口", "2026-01-01T00:00:00Z")
        first = 1000 * (time.perf_counter() - started)
        print(f"{options.chunks:,} chunks, {options.entities:,} entities; first query {first:,.0f} ms\n")
        print(table(["CPU milliseconds, warm", "median", "p95", "every second anew: median", "p95"], list(measured(snapshot))))


def measured(snapshot: Snapshot) -> Iterator[list[str]]:
    rng = random.Random(7)  # noqa: S311
    for kind, forms in KINDS.items():
        columns = []
        for moving in (False, True):
            taken = []
            for turn in range(120):
                number = rng.randrange(200)
                query = forms[turn % len(forms)].format(
                    zh=f"海力{number:05}", en=f"Helix {number:05}", code=1000 + number, slip=f"{1000 + number}"[::-1] + "7",
                )
                instant = f"2026-01-01T00:{turn // 60 if moving else 0:02}:{turn % 60 if moving else 0:02}Z"
                started = time.thread_time()
                plan(snapshot, query, instant)
                taken.append(1000 * (time.thread_time() - started))
            warm = sorted(taken[20:])
            columns += [f"{statistics.median(warm):.2f}", f"{warm[int(len(warm) * .95)]:.2f}"]
        yield [kind, *columns]


def plan(snapshot: Snapshot, query: str, instant: str) -> None:
    request = Request(query, principal=_SHOWN, as_of=parse_instant(instant))
    predicate = predicate_of(request, snapshot, request.as_of)
    planned(snapshot, replace(request, as_of=None), predicate, snapshot.settings.search)


def made(folder: Path, chunks: int, entities: int) -> Snapshot:
    known = [
        Entity(f"urn:kb:entity:{number:05}", "product", (
            Name(f"海力{number:05}", "preferred", "zh"), Name(f"Helix {number:05}", "alternate", "en"),
            *((Name(f"星河{number // 2:05}", "alternate", "zh"),) if number % 3 == 0 else ()),
        )) for number in range(entities)
    ]
    rows = list(rows_of(chunks, known))
    build = folder / "bm25", folder / "graph"
    Bm25Writer().write(None, Bm25Delta(iter(rows), len(rows), frozenset()), build[0], Silent())
    GraphWriter().write(None, GraphDelta(iter(rows), len(rows), frozenset(), [], frozenset()), build[1], Silent())
    readers = {"bm25": open_bm25(build[0]), "graph": open_graph(build[1])}
    entity_facts = [Fact.of(each, id=each.entity_id, source_id="", checksum=digest_of(each)) for each in known]
    chunk_facts = [Fact.of(row, id=row.chunk_id, source_id=row.source_id, checksum=row.row_checksum) for row in rows]
    facts = {"entities": {fact.id: fact for fact in entity_facts}, "chunks": {fact.id: fact for fact in chunk_facts}}
    catalog: Any = Shelf(facts)
    layout: Any = None
    lock = (folder / "lock").open("w").fileno()
    return Snapshot(layout, catalog, Settings(), Manifest(1, "digest", (), {}, ""), lock, readers)


def rows_of(count: int, known: Sequence[Entity]) -> Iterator[ChunkRow]:
    rng = random.Random(5)  # noqa: S311
    for number in range(count):
        entity = known[min(int(rng.paretovariate(0.6)) - 1, len(known) - 1)]
        source = f"urn:kb:source:{number // 60:032x}"
        names = "，".join(name.text for name in entity.names)
        told = f"ERR_{1000 + number % 7000}，型号 HX-{number}。The part of line {number} is described."
        text = f"{names}：第 {number} 条，端口 {number % 65536}，{told}"
        document = number // 60
        yield sealed({
            "chunk_id": chunk_id(source, (), text, 0), "source_id": source, "kind": "paragraph", "heading_path": (), "text": text,
            "parent_id": parent_id(source, (), f"{number // 4}", 0), "title": f"手册 {document}", "prefix": f"手册 {document}",
            "overlap": 0, "subject": "", "units": len(text), "scope": "docs", "entity_ids": (entity.entity_id,),
            "family": f"family-{document // 3}", "version": f"{document % 3 + 1}.{document % 2}", "status": "active",
            "valid_from": f"202{document % 6}-01-01T00:00:00Z", "valid_until": None, "access": Access(level=document % 3 // 2),
            "language": "zh", "provenance": Provenance(span=(0, len(text))), "confidence": 1.0,
        })


if __name__ == "__main__":
    main()
