"""Retrieval quality of the whole pipeline with default settings: XQuAD paragraphs as documents, its questions as queries.

    python -m benchmarks.retrieval [--keep FOLDER]        reads `$CONCORD_DATA`, else `../shared/data`

Each paragraph becomes one Markdown file, goes through `ingest run`, and every question is answered by the same function as
`ingest search`. XQuAD is parallel: the paragraphs and questions of both languages stand in the same order, so Chinese questions
are also put to English documents and the reverse. Printed is nDCG@10 over paragraphs, one right for each question:
1 / log2(1 + rank). Hits of one paragraph count once. `--keep` leaves the bases there, and uses those that it finds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.answering import query_embedder
from flows.opening import reading
from flows.pipeline import Options, run
from indexes.generation.snapshot import Snapshot
from indexes.query.evidence import search
from indexes.query.request import Mode, Request
from ingest.progress import Silent
from ingest.protocols import Embedder
from ingest.settings import SearchPart, Settings, load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATA = Path(os.environ.get("CONCORD_DATA") or Path(__file__).parents[2] / "shared" / "data") / "ir"
LANGUAGES = ("zh", "en")
MODES: tuple[Mode, ...] = ("bm25", "vector", "hybrid")
ASKED_FOR = {
    ("zh", "zh", "bm25"): 0.962, ("en", "en", "bm25"): 0.960, ("zh", "zh", "hybrid"): 0.970, ("en", "en", "hybrid"): 0.975,
}
"""By language of questions, of documents, and mode."""
_CHILDREN = 40
"""Hits asked for, so that ten different paragraphs are among them."""


@dataclass(frozen=True, slots=True)
class Set:
    """XQuAD in one language: the paragraphs, and each question with the number of its paragraph."""

    language: str
    paragraphs: list[str]
    questions: list[tuple[str, int]]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the bases stay; those found there are used")
    options = parser.parse_args()
    if not (DATA / "xquad").exists():
        print(f"skipped: {DATA / 'xquad'} is not there; set CONCORD_DATA to the folder that holds ir/")
        return
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        compare([xquad(language) for language in LANGUAGES], options.keep or Path(folder))


def compare(sets: Sequence[Set], folder: Path) -> None:
    """Print one table."""
    print("| questions | documents | mode | nDCG@10 | asked for |\n|---|---|---|---|---|")
    for documents in sets:
        settings = ingested(documents, folder / documents.language)
        with reading(settings) as snapshot:
            embedder = Remembering(query_embedder(settings, snapshot))
            for asked in sorted(sets, key=lambda each: each.language != documents.language):
                for mode in MODES:
                    quality = ndcg(ranks(snapshot, embedder, settings.search, asked, mode))
                    wanted = ASKED_FOR.get((asked.language, documents.language, mode))
                    print(f"| {asked.language} | {documents.language} | {mode} | {quality:.4f} | {wanted or ''} |", flush=True)


def xquad(language: str) -> Set:
    articles = json.loads((DATA / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    questions = [(qa["question"], number) for number, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    return Set(language, [paragraph["context"] for paragraph in paragraphs], questions)


def ingested(documents: Set, folder: Path) -> Settings:
    """Write every paragraph as a document and run the pipeline, unless `folder` has a knowledge base already."""
    settings = load(None, {"kb": str(folder / "kb")}, {})
    if not (folder / "kb").exists():
        (folder / "docs").mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(documents.paragraphs):
            (folder / "docs" / name_of(number)).write_text(text + "\n", encoding="utf-8")
        run(settings, Options((folder / "docs",)), Silent())
    return settings


def name_of(paragraph: int) -> str:
    return f"p{paragraph:04d}.md"


def ranks(snapshot: Snapshot, embedder: Embedder, part: SearchPart, asked: Set, mode: Mode) -> Iterator[int | None]:
    """Yield the rank of the right paragraph for each question."""
    for question, paragraph in asked.questions:
        pack = search(snapshot, embedder, Request(question, mode, _CHILDREN), part)
        yield rank_of(name_of(paragraph), (item.uri.rpartition("/")[2] for item in pack.evidence))


def rank_of(expected: str, names: Iterable[str]) -> int | None:
    """Return the rank (from 1) of a document among the different documents of a ranking, None beyond ten."""
    best = list(dict.fromkeys(names))[:10]
    return best.index(expected) + 1 if expected in best else None


def ndcg(ranks: Iterable[int | None]) -> float:
    """Return the mean of 1 / log2(1 + rank), 0 where the document was not found."""
    gains = [0.0 if rank is None else 1 / math.log2(1 + rank) for rank in ranks]
    return math.fsum(gains) / len(gains)


class Remembering:
    """An embedder that encodes each query once, whatever the number of modes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}
        self.fingerprint, self.dimensions, self.window = embedder.fingerprint, embedder.dimensions, embedder.window

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.passages(texts)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        for text in texts:
            if text not in self._known:
                self._known[text] = self._embedder.queries([text])[0]
        return np.stack([self._known[text] for text in texts])


if __name__ == "__main__":
    main()
