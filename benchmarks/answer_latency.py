"""How long an answer takes inside one process over 100,000 chunks, filtered, without embedding the question.

    python -m benchmarks.answer_latency [--documents 8400] [--queries 200] [--keep FOLDER]

Made documents, two thirds English and one third Chinese; every fifth is for one role, every seventh expired. They are ingested
with the `hash` embedder. A caller with no role asks as of today, so a third of the documents are put aside. Half of the questions
are parts of sentences that stand in a document, half are made of the same words at random: nothing answers these, which is the
slower case, for each language is then searched by itself. `answer` is all of `search`: planning, retrieval, copies, sections,
conflicts, the chance that it suffices. `bm25s + numpy` ranks the same chunks with bm25s, scans their vectors by numpy and takes
the best of both that a mask of the same rows admits: scores only, no text, no checks. CPU time tells more than wall time where
others compute. `--keep` leaves the base there, and uses the one that it finds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.corpus import SECTIONS, write_corpus
from benchmarks.measure import memory_of_tree, table
from benchmarks.retrieval_peers import PEERS, terms
from benchmarks.search_latency import MODES, Known, queries
from flows.answering import query_embedder
from flows.opening import reading
from flows.pipeline import Options, run
from indexes.generation.snapshot import Snapshot
from indexes.query.evidence import search
from indexes.query.request import Request
from ingest.model.access import Principal
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.progress import Silent
from ingest.settings import Settings, load

_WARM = 5
_AS_OF = "2026-01-01T00:00:00Z"
_ANYBODY = Principal("alice")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=8400)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        settings = ingested(options.keep or Path(temporary), options.documents)
        before = memory_of_tree(os.getpid())
        with reading(settings) as snapshot:
            rows = [fact.noun(ChunkRow) for fact in snapshot.catalog.facts("chunks", snapshot.generation)]
            asked = questions(rows, options.queries)
            embedder = Known(query_embedder(settings, snapshot), [text for part in asked.values() for text in part])
            lines, parts = ours(snapshot, embedder, asked, settings)
            opened = memory_of_tree(os.getpid()) - before
            lines += peers(snapshot, embedder, asked, rows)
        print(f"{len(rows):,} chunks; opened and asked, {opened / 2**20:.0f} MB more than before, rows for the peers included\n")
        print(table(["what", "questions", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"], lines))
        print(f"\nWhere the time of hybrid answers goes, p50 ms of {', '.join(parts)}\n")
        print(table(list(parts), [[f"{statistics.median(taken):.2f}" for taken in parts.values()]]))


def ingested(folder: Path, documents: int) -> Settings:
    settings = load(None, {"kb": str(folder / "kb"), "embed": {"engine": "hash"}}, {})
    if not (folder / "kb").exists():
        for number, path in enumerate(write_corpus(folder / "docs", documents)):
            declared = ["allowed_roles: [ops]"] * (number % 5 == 0) + ["valid_until: 2024-01-01"] * (number % 7 == 0)
            if declared:
                path.write_text("\n".join(["---", *declared, "---", path.read_text(encoding="utf-8")]), encoding="utf-8")
        made = run(settings, Options((folder / "docs",)), Silent())
        assert made.chunks["added"] >= documents * (SECTIONS - 1)
    return settings


def questions(rows: Sequence[ChunkRow], count: int) -> dict[str, list[str]]:
    drawn = random.Random(5).sample(rows, count // 2)  # noqa: S311  # no secret
    held = [_part(row) for row in drawn]
    return {"answered": held, "at random": list(queries(count // 2))}


def _part(row: ChunkRow) -> str:
    """From the middle of a text: 12 Han characters, or eight words."""
    if row.language == "zh":
        return row.text[len(row.text) // 2 :][:12]
    words = row.text.split()
    return " ".join(words[len(words) // 2 :][:8])


def ours(
    snapshot: Snapshot, embedder: Known, asked: dict[str, list[str]], settings: Settings
) -> tuple[list[list[str]], dict[str, list[float]]]:
    lines = []
    parts: dict[str, list[float]] = {"answered: all": [], "at random: all": []}
    for mode in MODES:
        for name, texts in asked.items():
            def ask(text: str, mode: str = mode) -> dict[str, float]:
                request = Request(text, mode, principal=_ANYBODY, as_of=_AS_OF)  # type: ignore[arg-type]
                told: dict[str, float] = search(snapshot, embedder, request, settings.search).trace["milliseconds"]
                return told

            for text in texts[:_WARM]:
                ask(text)
            walls, cpus, told = timed(ask, texts)
            lines.append(line(f"answer, {mode}", name, walls, cpus))
            if mode == "hybrid":
                parts[f"{name}: all"] = walls
                for each in told:
                    for part, value in each.items():
                        parts.setdefault(f"{name}: {part}", []).append(value)
    return lines, parts


def timed(
    call: Callable[[str], dict[str, float]], texts: Iterable[str]
) -> tuple[list[float], list[float], list[dict[str, float]]]:
    walls, cpus, told = [], [], []
    for text in texts:
        started, used = time.perf_counter(), time.process_time()
        told.append(call(text))
        walls.append(1000 * (time.perf_counter() - started))
        cpus.append(1000 * (time.process_time() - used))
    return walls, cpus, told


def line(what: str, name: str, walls: list[float], cpus: list[float]) -> list[str]:
    return [what, name, *(f"{value:.1f}" for each in (walls, cpus) for value in (statistics.median(each), _p95(each)))]


_PEER = """
import json, sys, time
import bm25s, numpy as np
given = json.load(open(sys.argv[1]))
vocabulary = {term: number for number, term in enumerate(sorted({term for text in given["texts"] for term in text}))}
index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
index.index(bm25s.tokenization.Tokenized([[vocabulary[term] for term in text] for text in given["texts"]], vocabulary),
            show_progress=False)
vectors, mask, asked = np.load(sys.argv[2]), np.load(sys.argv[3]), np.load(sys.argv[4])
taken = []
for terms, query in zip(given["queries"], asked):
    started, used = time.perf_counter(), time.process_time()
    known = [term for term in terms if term in vocabulary]
    scores = np.where(mask, index.get_scores(known), -1) if known else np.where(mask, 0.0, -1)
    np.argpartition(-scores, 40)[:40]
    nearest = np.where(mask, vectors @ query, -2)
    np.argpartition(-nearest, 40)[:40]
    taken.append((1000 * (time.perf_counter() - started), 1000 * (time.process_time() - used)))
json.dump(taken, sys.stdout)
"""


def peers(snapshot: Snapshot, embedder: Known, asked: dict[str, list[str]], rows: Sequence[ChunkRow]) -> list[list[str]]:
    python = PEERS / "bin" / "python"
    if not python.exists() or subprocess.run([python, "-c", "import bm25s"], capture_output=True, check=False).returncode:
        return []
    ids = [row.chunk_id for row in rows]
    held = snapshot.vector.vectors(ids)  # type: ignore[attr-defined]
    predicate = Predicate(_ANYBODY, as_of=1767225600)
    texts = [text for part in asked.values() for text in part]
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        folder = Path(temporary)
        (folder / "texts.json").write_text(json.dumps({
            "texts": [terms(row.search_text) for row in rows], "queries": [terms(text) for text in texts],
        }))
        np.save(folder / "vectors.npy", np.stack([np.frombuffer(held[id], "<f4") for id in ids]))
        np.save(folder / "mask.npy", np.array([predicate.admits(filter_columns(row)) for row in rows]))
        np.save(folder / "asked.npy", embedder.queries(texts))
        files = [folder / name for name in ("texts.json", "vectors.npy", "mask.npy", "asked.npy")]
        done = subprocess.run([python, "-c", _PEER, *files], capture_output=True, text=True, check=True)
    taken = json.loads(done.stdout)
    lines, at = [], 0
    for name, part in asked.items():
        walls, cpus = zip(*taken[at : at + len(part)], strict=True)
        lines.append(line("bm25s + numpy, scores only", name, list(walls), list(cpus)))
        at += len(part)
    return lines


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


if __name__ == "__main__":
    main()
