"""What a change of one document costs as the knowledge base grows: whole processes, and by stage inside one.

For 1,000, 3,000 and 10,000 made documents: ingest them, then edit one paragraph and run, again and again. A build is a folder
that is never modified, so every change copies what it can link or must copy, and proves it by reading back; that grows with the
base by design, and is shown as its own figure: `builds` is copying, writing and flushing the three indexes, `prove` reading them
back. The rest is what must not grow: a run at 10,000 documents may cost at most twice that at 1,000.

Each figure is the median of several edits. CPU seconds are less disturbed by neighbours on the machine than wall seconds; stages
are measured in CPU seconds by a process that runs the pipeline with its clock replaced.

    python -m benchmarks.growth [--documents 1000,3000,10000] [--edits 5] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.corpus import edit_paragraph, write_corpus
from benchmarks.ingest_peers import SETTLING_SECONDS
from benchmarks.measure import cost, table

HASHED = {"INGEST_EMBED__ENGINE": "hash"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", default="1000,3000,10000")
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="folder for the bases: made there once, used again")
    options = parser.parse_args()
    sizes = [int(size) for size in options.documents.split(",")]
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        figures = {size: measured((options.keep or Path(temporary)) / str(size), size, options.edits) for size in sizes}
    print(report(figures))


def measured(home: Path, documents: int, edits: int) -> dict[str, float]:
    """Return the medians of a one-document change in a base of so many documents, by name of the figure."""
    docs, state = home / "docs", home / "kb"
    first = None
    if not state.exists():
        write_corpus(docs, documents)
        time.sleep(SETTLING_SECONDS)
        first = cost([*_ingest("run"), str(docs), "--kb", str(state), "--json"], HASHED, folder=home)
    changed = sorted(docs.rglob("*.md"))[documents // 2]
    wholes, stages = [], []
    for number in range(edits):
        edit_paragraph(changed, f"that it was edited {time.time_ns()} {number} by a whole process")
        wholes.append(cost([*_ingest("run"), "--kb", str(state), "--json"], HASHED, folder=home))
        edit_paragraph(changed, f"that it was edited {time.time_ns()} {number} inside one")
        inside = [sys.executable, "-m", "benchmarks.growth", "--documents", str(documents)]
        stages.append(cost([*inside[:3], "inside", str(state)], HASHED, folder=home).json)
    found = {name: statistics.median(one[name] for one in stages) for name in stages[0]}
    found["process wall"] = statistics.median(one.wall for one in wholes)
    found["process CPU"] = statistics.median(one.cpu for one in wholes)
    if first is not None:
        found |= {"process first wall": first.wall, "process first CPU": first.cpu, "process first MB": first.memory / 2**20}
    found["process builds wall"] = statistics.median(builds_and_proof(one.json) for one in wholes)
    return found


def builds_and_proof(report: dict[str, Any]) -> float:
    """Seconds of copying, writing and reading back builds."""
    return float(sum(build["seconds"] for build in report["builds"].values()) + report["seconds"]["prove"])


def inside(state: str) -> None:
    """Run the pipeline in this process and print CPU seconds by stage."""
    from flows.pipeline import Options, run
    from ingest.progress import Silent
    from ingest.settings import load

    started = time.process_time()
    gc.set_threshold(50_000)
    with mock.patch("time.perf_counter", time.process_time):
        made = run(load(None, {"kb": state}), Options(), Silent())
    total = time.process_time() - started
    assert made.published and made.embedded == 1, made
    builds = {f"builds: {kind}": float(of["seconds"]) for kind, of in made.builds.items()}
    copied = sum(builds.values())
    seconds = {name: value for name, value in made.seconds.items() if name not in ("index", "prove")}
    rest = {**seconds, "delta": made.seconds["index"] - copied}
    rest["the rest"] = total - sum(made.seconds.values())
    print(json.dumps({
        **rest, "imports": time.process_time() - total, **builds, "prove": made.seconds["prove"],
        "total": time.process_time(),
    }))


def _ingest(command: str) -> list[str]:
    return [str(Path(sys.executable).with_name("ingest")), command]


def report(figures: dict[int, dict[str, float]]) -> str:
    """Return both tables: whole processes, and CPU seconds by stage."""
    least, most = min(figures), max(figures)
    heading = ["", *(f"{size:,} documents" for size in figures), f"{most:,} / {least:,}"]
    rows = [[name, *(f"{of[name]:.3f}" for of in figures.values()), _ratio(figures[most][name], figures[least][name])]
            for name in figures[least] if not name.startswith("process")]
    built = ("builds: vector", "builds: bm25", "builds: graph", "prove")
    without = {size: of["total"] - sum(of[name] for name in built) for size, of in figures.items()}
    rows.append(["**without builds and prove**", *(f"{value:.3f}" for value in without.values()),
                 f"**{without[most] / without[least]:.2f}x**"])
    whole = [
        [title, *(f"{of[name]:.2f}" for of in figures.values()), _ratio(figures[most][name], figures[least][name])]
        for name, title in _WHOLE.items() if all(name in of for of in figures.values())
    ]
    return (
        f"A one-document change as a whole process\n\n{table(heading, whole)}\n\n"
        f"CPU seconds of it by stage\n\n{table(heading, rows)}"
    )


_WHOLE = {
    "process wall": "wall seconds", "process builds wall": "of which builds and prove", "process CPU": "CPU seconds",
    "process first wall": "the first ingest, wall seconds", "process first CPU": "the first ingest, CPU seconds",
    "process first MB": "the first ingest, peak MB",
}


def _ratio(most: float, least: float) -> str:
    return f"{most / least:.1f}x" if least > 0.005 else ""


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(sys.argv[2])
    else:
        main()
