"""What inline, processes and Ray make of the same documents on one machine: seconds of wall and CPU time, and memory.

10,000 made documents of two sections, Chinese and English, as Markdown, HTML (every fourth) and Word (every twentieth), are
ingested by each executor with the hash embedder, so that what is measured is everything around the model; and a thousand with
the default model, 2,000 chunks. All give the same snapshot, or the benchmark fails. Beside the wall time there are CPU seconds,
of the whole process tree and of the process that writes, which is the part that more workers do not shorten: on a machine that
others use, too, they are the better figures. Memory is the proportional set size of the tree. No documents (0) leave one out.

    python -m benchmarks.scale_out [--documents 10000] [--sample 1000] [--executors inline,processes,ray] [--workers 2]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.corpus import DOCUMENTS_A_FOLDER, Writer
from benchmarks.measure import Peak, memory_of_tree, table

SECTIONS = 2
HTML_EVERY, WORD_EVERY = 4, 20
HASHED = {"INGEST_EMBED__ENGINE": "hash"}
_STAGES = ("plan", "parse", "chunk", "entities", "embed", "index", "prove", "publish")
_SAMPLED_EVERY = 0.5
"""Seconds. Adding up the memory of the dozen processes of Ray takes a twentieth of that."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--sample", type=int, default=1000, help="documents to ingest with the default model")
    parser.add_argument("--executors", default="inline,processes,ray")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--one", nargs=3, metavar=("DOCS", "KB", "EXECUTOR"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        _one(Path(options.one[0]), Path(options.one[1]), options.one[2], options.workers)
        return
    executors = options.executors.split(",")
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as temporary:
        home = Path(temporary)
        print(_started(options.workers), flush=True)
        for documents, environment, model in ((options.documents, HASHED, "hash"), (options.sample, {}, "default model")):
            if not documents:
                continue
            docs = home / f"docs-{documents}"
            write_documents(docs, documents)
            ran = {
                name: measured(docs, home / f"{documents}-{name}", name, options.workers, environment) for name in executors
            }
            assert len({one.report["snapshot"] for one in ran.values()}) == 1, "not the same snapshot"
            chunks = ran[executors[0]].report["chunks"]["added"]
            print(f"\n{documents:,} documents, {chunks:,} chunks, {model}\n\n{_table(ran, documents)}")
            print(f"\nCPU seconds of the process that writes, by stage\n\n{_by_stage(ran)}", flush=True)


def write_documents(folder: Path, count: int) -> None:
    """Write `count` documents of one seed below `folder`."""
    writer = Writer()
    for number in range(count):
        text = writer.document(number, SECTIONS)
        place = folder / f"part{number // DOCUMENTS_A_FOLDER:03d}"
        place.mkdir(parents=True, exist_ok=True)
        name = f"document{number:05d}"
        if number % WORD_EVERY == 0:
            _word(place / f"{name}.docx", text)
        elif number % HTML_EVERY == 0:
            (place / f"{name}.html").write_text(_html(text), encoding="utf-8")
        else:
            (place / f"{name}.md").write_text(text, encoding="utf-8")


def _html(text: str) -> str:
    body = []
    for line in filter(None, text.split("\n")):
        level = len(line) - len(line.lstrip("#"))
        body.append(f"<h{level}>{line[level + 1:]}</h{level}>" if level else f"<p>{line}</p>")
    title = text.partition("\n")[0].removeprefix("# ")
    return f"<!doctype html><html><head><title>{title}</title></head><body><main>{''.join(body)}</main></body></html>"


def _word(path: Path, text: str) -> None:
    from docx import Document

    document = Document()
    for line in filter(None, text.split("\n")):
        level = len(line) - len(line.lstrip("#"))
        if level:
            document.add_heading(line[level + 1 :], level)
        else:
            document.add_paragraph(line)
    document.save(str(path))


@dataclass(slots=True)
class Ran:
    """One run. `driver`: CPU seconds of the process that writes; `cpu`: of it and all below it; `memory`: bytes at the peak."""

    wall: float
    cpu: float
    driver: float
    memory: int
    report: dict[str, Any]
    stages: dict[str, float]


def measured(docs: Path, kb: Path, executor: str, workers: int, environment: Mapping[str, str]) -> Ran:
    """Ingest a folder into a new knowledge base in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale_out", "--one", str(docs), str(kb), executor, "--workers", str(workers)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environment})
    sampled = _Sampled(process.pid)
    printed = process.communicate()[0]
    wall = time.perf_counter() - started
    sampled.stop()
    if process.returncode:
        raise RuntimeError(f"{executor} ended with {process.returncode}")
    told = json.loads(printed.splitlines()[-1])
    ran = Ran(wall, sampled.cpu, told["driver"], sampled.memory, told["report"], told["stages"])
    print(f"{executor}: {wall:.0f} s, {ran.cpu:.0f} CPU s", file=sys.stderr, flush=True)
    return ran


def _one(docs: Path, kb: Path, executor: str, workers: int) -> None:
    """Run in this process, its clock of stages counting its CPU seconds, and print what it did."""
    time.perf_counter = time.process_time
    from flows.pipeline import Options, run
    from ingest.model.canonical import plain
    from ingest.progress import Silent
    from ingest.settings import load

    settings = load(None, {"kb": str(kb), "execute": {"executor": executor, "workers": workers}})
    report = run(settings, Options((docs,)), Silent())
    print(json.dumps({"report": plain(report), "stages": report.seconds, "driver": time.process_time()}))


class _Sampled(Peak):
    """Adds up the CPU seconds of a tree, too, also of processes that nobody waits for, as Ray's are."""

    def __init__(self, pid: int) -> None:
        self._cpu: dict[tuple[int, float], float] = {}
        super().__init__(pid, _SAMPLED_EVERY)

    @property
    def cpu(self) -> float:
        return sum(self._cpu.values())

    def look(self) -> None:
        super().look()
        with suppress(psutil.NoSuchProcess):
            root = psutil.Process(self._pid)
            for process in (root, *root.children(recursive=True)):
                self._look(process)

    def _look(self, process: psutil.Process) -> None:
        """Its CPU seconds, with those of forks that it has waited for and that are too short to be seen."""
        try:
            used = process.cpu_times()
            waited = used.children_user + used.children_system if "ingest.worker" in " ".join(process.cmdline()) else 0.0
            self._cpu[process.pid, process.create_time()] = used.user + used.system + waited
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return


def _started(workers: int) -> str:
    """What Ray costs before it has done anything."""
    script = (
        "import time; began = time.perf_counter(); from ingest.execute.cluster import connected; "
        f"connected('', {workers}); print(time.perf_counter() - began, flush=True); time.sleep(3)"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    seconds = float(process.stdout.readline())
    time.sleep(2)
    memory = memory_of_tree(process.pid)
    process.wait()
    return f"Ray with {workers} places: started in {seconds:.1f} s, {memory / 2**20:.0f} MB of {os.cpu_count()} cores' machine"


def _table(ran: Mapping[str, Ran], documents: int) -> str:
    first = next(iter(ran.values()))
    heading = ["", "wall", "documents/s", "speed-up", "CPU", "of it the writer's", "memory"]
    return table(heading, [
        [
            name, f"{one.wall:.0f} s", f"{documents / one.wall:.0f}", f"{first.wall / one.wall:.2f}x", f"{one.cpu:.0f} s",
            f"{one.driver:.0f} s ({one.driver / one.cpu:.0%})", f"{one.memory / 2**20:.0f} MB",
        ]
        for name, one in ran.items()
    ])


def _by_stage(ran: Mapping[str, Ran]) -> str:
    return table(["", *_STAGES], [[name, *(f"{one.stages[stage]:.1f}" for stage in _STAGES)] for name, one in ran.items()])


if __name__ == "__main__":
    main()
