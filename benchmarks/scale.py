"""What every command costs as the knowledge base grows to 100,000 chunks and more: whole processes, on one machine.

For 100, 1,000 and 10,000 made documents (1,200, 12,000 and 120,000 chunks): a first ingest; a first ingest that is killed half
way and run again; `check` with a warm stat cache, and hashing every file; `verify` and `verify --deep`; a run with nothing to do;
one paragraph edited; a hundredth of the documents edited, and that rolled back; every chunk made anew by another chunk size, and
that rolled back. Embedding is feature hashing, so that what is measured is everything around the model; `--sample N` besides
ingests N documents with the default model, whose own speed `benchmarks.embed` measures.

    python -m benchmarks.scale [--documents 100,1000,10000] [--sample 170] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.corpus import edit_paragraph, write_corpus
from benchmarks.ingest_peers import SETTLING_SECONDS
from benchmarks.measure import Cost, cost, table

HASHED = {"INGEST_EMBED__ENGINE": "hash"}
OTHER_CHUNKS = {**HASHED, "INGEST_CHUNK__CHILD_MAX": "260"}
EDITS = 3
_STEPS = {
    "first": "first ingest",
    "resumed": "killed half way, run again",
    "nothing": "run, nothing to do",
    "check": "check, warm stat cache",
    "rehash": "check, hashing every file",
    "verify": "verify",
    "deep": "verify --deep",
    "edit": "one document changed",
    "some": "a hundredth of the documents changed",
    "some back": "that rolled back",
    "all": "every chunk made anew",
    "all back": "that rolled back",
}


@dataclass(slots=True)
class Grown:
    """One base: where it lies, and what each step cost by its key in `_STEPS`."""

    home: Path
    documents: int
    environment: Mapping[str, str] = field(default_factory=lambda: HASHED)
    costs: dict[str, Cost] = field(default_factory=dict)
    again: int = 0
    """Texts that were embedded twice because of the kill."""

    @property
    def docs(self) -> Path:
        return self.home / "docs"

    @property
    def kb(self) -> Path:
        return self.home / "kb"

    def step(self, name: str, *words: str, environment: Mapping[str, str] | None = None, code: int = 0) -> Cost:
        """Run one command of the product, remember what it cost as `name`, and show it."""
        command = [_INGEST, *words, "--kb", str(self.kb), "--json"]
        made = cost(command, environment or self.environment, folder=self.home, expected=(code,))
        self.costs[name] = made
        print(f"{self.documents} documents: {name}: {made.wall:.2f} s, {made.memory / 2**20:.0f} MB", file=sys.stderr, flush=True)
        return made


_INGEST = str(Path(sys.executable).with_name("ingest"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", default="100,1000,10000")
    parser.add_argument("--sample", type=int, default=0, help="documents to ingest with the default model besides")
    parser.add_argument("--keep", type=Path, help="folder for the bases; an ingested one that is there is used as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        home = options.keep or Path(temporary)
        bases = [measured(Grown(home / size, int(size))) for size in options.documents.split(",")]
        print(report(bases))
        if options.sample:
            print(f"\n{sampled(Grown(home / 'sample', options.sample, {}))}")


def measured(base: Grown) -> Grown:
    """Take one base through every step."""
    if not base.kb.exists():
        write_corpus(base.docs, base.documents)
        time.sleep(SETTLING_SECONDS)
        base.step("first", "run", str(base.docs))
        _killed_and_resumed(base)
    base.step("nothing", "run")
    base.step("check", "check")
    base.step("rehash", "check", "--rehash")
    base.step("verify", "verify")
    base.step("deep", "verify", "--deep")
    _edited(base)
    paths = sorted(base.docs.rglob("*.md"))
    for path in paths[:: 100]:
        edit_paragraph(path, f"that it was one of many {time.time_ns()}")
    before = base.step("some", "run").json["generation"] - 1
    base.step("some back", "snapshots", "rollback", str(before))
    base.step("released", "snapshots", "release")
    before = base.step("all", "run", environment=OTHER_CHUNKS).json["generation"] - 1
    base.step("all back", "snapshots", "rollback", str(before))
    base.step("released", "snapshots", "release")
    base.step("at last", "verify")
    return base


def _edited(base: Grown) -> None:
    """One paragraph edited, `EDITS` times: the median of the whole runs."""
    changed = sorted(base.docs.rglob("*.md"))[base.documents // 2]
    costs = []
    for number in range(EDITS):
        edit_paragraph(changed, f"that it was edited {time.time_ns()} {number}")
        costs.append(base.step("edit", "run"))
        assert costs[-1].json["embedded"] == 1, costs[-1].printed
    base.costs["edit"] = sorted(costs, key=lambda one: one.wall)[EDITS // 2]


def _killed_and_resumed(base: Grown) -> None:
    """A first ingest in another folder, killed once half of the texts are embedded; what is timed is the run after it."""
    half = base.costs["first"].json["embedded"] // 2
    other = Grown(base.home / "resumed", base.documents)
    other.home.mkdir()
    command = [_INGEST, "run", str(base.docs), "--kb", str(other.kb), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **HASHED},
                               start_new_session=True)
    while process.poll() is None and _embedded(other.kb) < half:
        time.sleep(0.05)
    with_children = os.getpgid(process.pid) if process.poll() is None else None
    if with_children is not None:
        os.killpg(with_children, signal.SIGKILL)
    process.wait()
    held = _embedded(other.kb)
    resumed = other.step("resumed", "run", str(base.docs))
    base.costs["resumed"] = resumed
    base.again = resumed.json["embedded"] + held - base.costs["first"].json["embedded"]
    assert resumed.json["snapshot"] == base.costs["first"].json["snapshot"]
    shutil.rmtree(other.home)


def _embedded(kb: Path) -> int:
    """How many vectors the cache holds."""
    path = kb / "cache" / "cache.db"
    if not path.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return int(db.execute("select count(*) from entries where stage like 'embed%'").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0


def sampled(base: Grown) -> str:
    """Ingest a few documents with the default model and look at what came of it; return a line on what it cost."""
    write_corpus(base.docs, base.documents)
    time.sleep(SETTLING_SECONDS)
    first = base.step("first", "run", str(base.docs))
    edited = statistics.median(_once_edited(base, number) for number in range(EDITS))
    deep, every = base.step("deep", "verify", "--deep"), base.step("deep", "verify", "--deep", "--all")
    texts = first.json["embedded"]
    return (
        f"With the default model, {base.documents} documents, {texts:,} chunks: first ingest {first.wall:.0f} s "
        f"({texts / first.cpu:.0f} chunks a CPU second, all stages), peak {first.memory / 2**20:.0f} MB; one document changed "
        f"{edited:.1f} s; `verify --deep` {deep.wall:.1f} s, with `--all` {every.wall:.0f} s."
    )


def _once_edited(base: Grown, number: int) -> float:
    edit_paragraph(sorted(base.docs.rglob("*.md"))[base.documents // 2], f"that it was edited {number}")
    return base.step("edit", "run").wall


def report(bases: list[Grown]) -> str:
    """Return the table: seconds and peak memory by step and size."""
    heading = ["", *(f"{base.documents:,} documents" for base in bases), f"{bases[-1].documents:,} / {bases[0].documents:,}"]
    rows = []
    for name, title in _STEPS.items():
        if all(name in base.costs for base in bases):
            costs = [base.costs[name] for base in bases]
            ratio = f"{costs[-1].wall / costs[0].wall:.1f}x"
            rows.append([title, *(f"{one.wall:.2f} s, {one.memory / 2**20:.0f} MB" for one in costs), ratio])
    chunks = [base.costs["nothing"].json["chunks"]["kept"] for base in bases]
    rows.insert(0, ["chunks", *(f"{count:,}" for count in chunks), ""])
    rows.append(["texts embedded twice after the kill", *(str(base.again) for base in bases), ""])
    return table(heading, rows)


if __name__ == "__main__":
    main()
