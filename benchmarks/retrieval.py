"""Retrieval quality of the whole pipeline with default settings, beside others: XQuAD in Chinese and English, and CMRC2018.

    python -m benchmarks.retrieval [--keep FOLDER]        reads `$CONCORD_DATA`, else `../shared/data`

Each paragraph becomes one Markdown file, goes through `ingest run`, and every question is answered by the same function as
`ingest search`. XQuAD is parallel: the paragraphs and questions of both languages stand in the same order, so Chinese questions
are also put to English documents and the reverse, and both to a collection that has every second article in English and the
others in Chinese. Printed is nDCG@10 over paragraphs, one right for each question: 1 / log2(1 + rank). Hits of one paragraph
count once. `--keep` leaves the bases there, and uses those that it finds.

Constants of fusion and of questions were chosen on every second article of XQuAD (`FITTED`). `rest` is the figure on the others,
which nothing was chosen by; in the collection of both languages, on two questions of three. Nothing at all was chosen by
CMRC2018, of which 600 questions are drawn by a seed. rank-bm25, bm25s and e5 alone see whole paragraphs
(`benchmarks.retrieval_peers`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import retrieval_peers
from flows.answering import query_embedder
from flows.opening import models_of, reading
from flows.pipeline import Options, run
from flows.serving import bases_of
from indexes.generation.snapshot import Snapshot
from indexes.query.evidence import search
from indexes.query.request import Mode, Request
from indexes.serve.arguments import KnowledgeSearch
from indexes.serve.audit import NoAudit
from indexes.serve.callers import Caller
from indexes.serve.operations import Operations
from indexes.serve.session import alone
from ingest.model.access import Principal
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
    ("zh", "zh", "hybrid"): 0.975, ("en", "en", "hybrid"): 0.982, ("zh", "en", "hybrid"): 0.83, ("en", "zh", "hybrid"): 0.85,
    ("CMRC2018", "CMRC2018", "hybrid"): 0.990,
}
"""By language of questions, of documents, and mode."""
_CHILDREN = 40
"""Hits asked for, so that ten different paragraphs are among them; the budget of tokens is out of the way."""
_NO_BUDGET = 10**9
_DRAWN = 600


def fitted(article: int) -> bool:
    """Whether constants were chosen with the questions of an article."""
    return article % 2 == 1


@dataclass(frozen=True, slots=True)
class Set:
    """The paragraphs of a set, and each question with the number of its paragraph. `rest`: the places of questions that nothing
    was chosen by; `articles`: which one each paragraph is of; `part`: which of the questions in its language these are."""

    language: str
    paragraphs: list[str]
    questions: list[tuple[str, int]]
    rest: list[int] = field(default_factory=list)
    articles: list[int] = field(default_factory=list)
    part: str = ""

    @property
    def name(self) -> str:
        return f"{self.language}, {self.part}" if self.part else self.language


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the bases stay; those found there are used")
    options = parser.parse_args()
    if not (DATA / "xquad").exists():
        print(f"skipped: {DATA / 'xquad'} is not there; set CONCORD_DATA to the folder that holds ir/")
        return
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        folder = options.keep or Path(temporary)
        print("| questions | documents | by | nDCG@10 | rest | asked for |\n|---|---|---|---|---|---|")
        sets = [xquad(language) for language in LANGUAGES]
        compare(sets, sets, folder)
        mixed, asked = both(sets)
        compare([mixed], asked, folder)
        compare_bases(sets, mixed, asked, folder)
        drawn = [cmrc()]
        compare(drawn, drawn, folder)


def compare(every: Sequence[Set], sets: Sequence[Set], folder: Path) -> None:
    """Print the lines of each of `every` with the questions of each of `sets`."""
    for documents in every:
        settings = ingested(documents, folder / documents.language)
        alone = retrieval_peers.e5_alone(models_of(settings))
        with reading(settings) as snapshot:
            embedder = Remembering(query_embedder(settings, snapshot))
            for asked in sorted(sets, key=lambda each: each.language != documents.language):
                texts, queries = documents.paragraphs, [question for question, _ in asked.questions]
                right = [paragraph for _, paragraph in asked.questions]
                for name, scorer in (("rank-bm25", retrieval_peers.rank_bm25), ("bm25s", retrieval_peers.bm25s), ("e5", alone)):
                    scores = scorer(texts, queries)
                    if scores is not None:
                        show(asked, documents, f"{name}, alone", retrieval_peers.ranks(scores, right))
                for mode in MODES:
                    show(asked, documents, mode, list(ranks(snapshot, embedder, settings.search, asked, mode)))


def compare_bases(sets: Sequence[Set], mixed: Set, asked: Sequence[Set], folder: Path) -> None:
    """Print how a server answers every third question from the collection of both languages, as one base and as a base for each
    language."""
    kbs = {mixed.language: {"kb": ingested(mixed, folder / mixed.language).kb}}
    for own, each in enumerate(sets):
        texts = [text if article % 2 == own else "" for text, article in zip(each.paragraphs, each.articles, strict=True)]
        kbs[each.language] = {"kb": ingested(Set(each.language, texts, []), folder / f"half-{each.language}").kb}
    settings = Settings.model_validate({"serve": {"bases": kbs, "calls": 0, "evidence_tokens": 0}})
    bases, session = bases_of(settings), alone(settings.serve)
    operations, caller = Operations(bases, NoAudit()), Caller("benchmark", Principal(), tuple(kbs))
    for each in asked:
        for kb_ids in ((mixed.language,), LANGUAGES):
            found = []
            for question, paragraph in each.questions[::3]:
                asking = KnowledgeSearch(query=question, kb_ids=kb_ids, top_k=_CHILDREN, tokens=20_000)
                answer = operations.run("knowledge_search", caller, session, asking)
                found.append(rank_of(name_of(paragraph), (item.uri.rpartition("/")[2] for item in answer.results)))
            print(f"| {each.name} | {' + '.join(kb_ids)} | served, a third | {ndcg(found):.4f} | all | |", flush=True)
    bases.close()


def show(asked: Set, documents: Set, by: str, found: Sequence[int | None]) -> None:
    rest = f"{ndcg([found[place] for place in asked.rest]):.4f}" if asked.rest else "all"
    wanted = ASKED_FOR.get((asked.name, documents.language, by), "")
    print(f"| {asked.name} | {documents.language} | {by} | {ndcg(found):.4f} | {rest} | {wanted} |", flush=True)


def xquad(language: str) -> Set:
    articles = json.loads((DATA / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    numbered = [(article, paragraph) for article, each in enumerate(articles) for paragraph in each["paragraphs"]]
    asked = [(article, qa["question"], number) for number, (article, each) in enumerate(numbered) for qa in each["qas"]]
    rest = [place for place, (article, _, _) in enumerate(asked) if not fitted(article)]
    paragraphs, questions = [each["context"] for _, each in numbered], [(text, number) for _, text, number in asked]
    return Set(language, paragraphs, questions, rest, [article for article, _ in numbered])


def both(sets: Sequence[Set]) -> tuple[Set, list[Set]]:
    """Return a collection of two languages, each with the articles that the other lacks, and for each the questions that it
    answers itself and those that only the other answers."""
    paragraphs = [sets[article % 2].paragraphs[number] for number, article in enumerate(sets[0].articles)]
    asked = []
    for own, each in enumerate(sets):
        for part, within in (("answered in it", own), ("answered in the other", 1 - own)):
            places = [place for place, (_, number) in enumerate(each.questions) if each.articles[number] % 2 == within]
            rest = [at for at, place in enumerate(places) if place % 3]
            asked.append(Set(each.language, each.paragraphs, [each.questions[place] for place in places], rest, part=part))
    return Set("both", paragraphs, []), asked


def cmrc() -> Set:
    articles = json.loads((DATA / "cmrc2018" / "cmrc2018_dev.json").read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    questions = [(qa["question"], number) for number, each in enumerate(paragraphs) for qa in each["qas"]]
    drawn = random.Random(7).sample(questions, _DRAWN)  # noqa: S311  # no secret
    return Set("CMRC2018", [each["context"] for each in paragraphs], drawn)


def ingested(documents: Set, folder: Path) -> Settings:
    """Write every paragraph that has text as a document and run the pipeline, unless `folder` has a knowledge base."""
    settings = load(None, {"kb": str(folder / "kb")}, {})
    if not (folder / "kb").exists():
        (folder / "docs").mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(documents.paragraphs):
            if text:
                (folder / "docs" / name_of(number)).write_text(text + "\n", encoding="utf-8")
        run(settings, Options((folder / "docs",)), Silent())
    return settings


def name_of(paragraph: int) -> str:
    return f"p{paragraph:04d}.md"


def ranks(snapshot: Snapshot, embedder: Embedder, part: SearchPart, asked: Set, mode: Mode) -> Iterator[int | None]:
    """Yield the rank of the right paragraph for each question."""
    for question, paragraph in asked.questions:
        pack = search(snapshot, embedder, Request(question, mode, _CHILDREN, tokens=_NO_BUDGET), part)
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
