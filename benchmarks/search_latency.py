"""How long an answer takes over 12,000 chunks: as a whole process with the real embedder, and inside one without embedding.

1,000 made documents are ingested for the default embedder (multilingual-e5-small). Embedding 12,000 chunks would take minutes and
decide nothing here, so the vectors of the chunks are drawn at random, unit length, and put where the pipeline finds them; the
query is embedded by the real model. Whole processes start Python, read settings, open the base, load the model and answer.

    python -m benchmarks.search_latency [--documents 1000] [--queries 200]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.corpus import Writer, write_corpus
from benchmarks.measure import cost, median_cost, table
from flows.answering import query_embedder
from flows.opening import reading
from flows.pipeline import Options, run
from indexes.query.evidence import search
from indexes.query.request import Mode, Request
from ingest.embed.batches import EmbedReport, cache_stage
from ingest.embed.engine import Choice
from ingest.model.canonical import sha256_hex
from ingest.progress import Silent
from ingest.settings import Settings, load
from ingest.store.cache import Cache

MODES: tuple[Mode, ...] = ("hybrid", "vector", "bm25")
REPEATED = 5
_AT_ONCE = 500


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        folder = Path(temporary)
        settings = load(None, {"kb": str(folder / "kb"), "embed": {"engine": "e5"}}, {})
        write_corpus(folder / "docs", options.documents)
        with mock.patch("flows.commit.embed_missing", drawn):
            made = run(settings, Options((folder / "docs",)), Silent())
        chunks = made.chunks["added"]
        print(f"As whole processes, {chunks:,} chunks\n\n{table(*processes(folder))}\n")
        print(f"Inside one, without embedding the query, {chunks:,} chunks, {options.queries} queries")
        print(f"\n{table(*inside(settings, options.queries))}")


def drawn(texts: Iterable[str], choice: Choice, _settings: Any, cache: Cache, *_: Any) -> EmbedReport:
    """Stand in for `embed_missing`: a random unit vector for every text."""
    rng = np.random.default_rng(7)
    keys = sorted({sha256_hex(text) for text in texts})
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        vectors = rng.standard_normal((len(part), choice.dimensions)).astype("<f4")
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cache.put_many(cache_stage(choice), {key: vector.tobytes() for key, vector in zip(part, vectors, strict=True)})
    return EmbedReport(len(keys), 0, 0.0)


def processes(folder: Path) -> tuple[list[str], list[list[str]]]:
    """Measure the command itself: help, and a search of each kind."""
    ingest = str(Path(sys.executable).with_name("ingest"))
    commands = {"ingest --help": [ingest, "--help"]}
    for mode in MODES:
        query = next(queries(1))
        commands[f"ingest search --mode {mode}"] = [
            ingest, "search", query, "--mode", mode, "--kb", str(folder / "kb"), "--json",
        ]
    rows = []
    for name, command in commands.items():
        measured = median_cost([cost(command, {"INGEST_EMBED__ENGINE": "e5"}, folder=folder) for _ in range(REPEATED)])
        rows.append([name, f"{measured.wall:.2f}", f"{measured.cpu:.2f}", f"{measured.memory / 2**20:.0f}"])
    return ["command", "wall s", "CPU s", "peak MB"], rows


def inside(settings: Settings, count: int) -> tuple[list[str], list[list[str]]]:
    """Measure answers of one opened generation, milliseconds."""
    rows = []
    with reading(settings) as snapshot:
        embedder = Known(query_embedder(settings, snapshot), list(queries(count)))
        for mode in MODES:
            taken = []
            for query in embedder.texts:
                started, used = time.perf_counter(), time.process_time()
                found = search(snapshot, embedder, Request(query, mode), settings.search)
                taken.append((time.perf_counter() - started, time.process_time() - used))
                assert found.evidence or mode == "bm25"
            wall, cpu = ([one[which] * 1000 for one in taken] for which in (0, 1))
            rows.append([mode, *(f"{value:.1f}" for value in (statistics.median(wall), _p95(wall), statistics.median(cpu)))])
    return ["mode", "median ms", "p95 ms", "median CPU ms"], rows


class Known:
    """An embedder whose queries were embedded before they are timed."""

    def __init__(self, embedder: Any, texts: list[str]) -> None:
        self.texts = texts
        self.fingerprint, self.dimensions, self.window = embedder.fingerprint, embedder.dimensions, embedder.window
        self._vectors = dict(zip(texts, embedder.queries(texts), strict=True))

    def queries(self, texts: list[str]) -> Any:
        return np.stack([self._vectors[text] for text in texts])

    def passages(self, texts: list[str]) -> Any:
        raise NotImplementedError


def queries(count: int) -> Iterator[str]:
    """Made sentences in the words of the corpus, cut to the length of a question."""
    writer = Writer(seed=8)
    for number in range(count):
        text = writer.paragraph(chinese=number % 3 == 0)
        yield text[:24] if number % 3 == 0 else " ".join(text.split()[:8])


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


if __name__ == "__main__":
    main()
