"""The golden questions over the fixtures among five thousand near misses: `make bench-answers`, five minutes on two cores.

    python -m benchmarks.answers [--keep FOLDER] [--engine e5] [--set golden] [--misses FILE] [--report FOLDER] [--targets]

Writes the made world, ingests it with fixtures/corpus by the default embedder (`--keep` leaves world and knowledge base for the
next time, which then embeds nothing), and asks every question of fixtures/eval as `ingest eval` does. `--targets` ends with 1
where a figure is below its target.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.answers.world.everything import CORPUS, FIXTURES, ROOT, write
from benchmarks.measure import table
from flows.evaluating import Evaluation, evaluate
from flows.evaluation import told
from flows.evaluation.question import read
from flows.pipeline import Options, run
from ingest.progress import Silent
from ingest.settings import Settings, load

TARGETS = (
    "each:Recall@20>=0.97", "each:nDCG@10>=0.9", "refusal precision>=0.9", "refusal recall>=0.9", "leaks<=0", "right version>=1",
    "entity linking>=0.95", "citation validity>=1",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--set", default="golden", choices=("golden", "calibration", "harder"))
    parser.add_argument("--misses", type=Path, metavar="FILE")
    parser.add_argument("--report", type=Path, metavar="FOLDER")
    parser.add_argument("--targets", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        settings = ingested(options.keep or Path(folder), options.engine)
        questions = read(FIXTURES / "eval" / f"{options.set}.jsonl")
        made = evaluate(settings, questions, Silent(), thresholds=TARGETS)
    show(made)
    if options.misses is not None:
        missed = [
            {"id": one.id, "query": one.query, "missed": one.missed, "came": [f"{came.uri}: {came.text}" for came in one.came]}
            for one in made.outcomes if one.missed
        ]
        options.misses.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in missed) + "\n", encoding="utf-8")
    if options.report is not None:
        from flows.reporting.evaluation import write as report

        report(made, options.report)
    if options.targets and not made.passed:
        sys.exit(1)


def ingested(folder: Path, engine: str) -> Settings:
    """Write the world below `folder`, bring a knowledge base there up to it, and return its settings."""
    folder.mkdir(parents=True, exist_ok=True)
    config = write(folder)
    settings = load(config, {"kb": str(folder / "kb"), "embed": {"engine": engine}})
    report = run(settings, Options((folder / ROOT, folder / CORPUS), allow_mass_delete=True), Silent())
    print(f"generation {report.generation}: {report.embedded} texts embedded, {len(report.failures)} failures\n", flush=True)
    return settings


def show(made: Evaluation) -> None:
    print(f"### {made.questions} questions\n")
    print(table(told.headings(made.groups), list(told.rows(made.groups))), "", sep="\n")
    for verdict in made.verdicts:
        print(told.verdict(verdict))


if __name__ == "__main__":
    main()
