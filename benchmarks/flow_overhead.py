"""What a run costs more as a flow than as a command: 1,000 documents, a Prefect server running on loopback.

Three ways, in turn, each from nothing: `ingest run`; a process that calls the flow; a worker that takes the run of a deployment,
from asking for it to its end. Then the same with nothing to do. Seconds are the medians; what a flow adds is the import of
Prefect, what its tasks tell the server, and, with a worker, the wait for its next look and a process that is started for the run.
CPU seconds are those of the process and its children, so not of the server; neighbours on the machine disturb them less.

    python -m benchmarks.flow_overhead [--documents 1000] [--times 3]
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from benchmarks.corpus import write_corpus
from benchmarks.measure import cost, table
from fixtures.processes import end, free_port

BIN = Path(sys.executable).parent
FLOW = "import sys; from flows.scheduled.ingesting import ingest_flow; ingest_flow([sys.argv[1]], kb=sys.argv[2])"
POOL, NAME = "measured", "measured"
MOST_SECONDS = 15.0
"""What a flow may cost more than the command, with a server running."""
Spent = tuple[float, float | None]
"""Wall and CPU seconds."""
OVER = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="concord-flow-") as temporary:
        folder = Path(temporary)
        write_corpus(folder / "docs", options.documents)
        write_corpus(folder / "few", 10)
        with serving(folder) as server:
            measured = Measured(folder, server)
            seconds = [measured.once(folder / "docs") for _ in range(options.times)]
            tasks = {name: measured.tasks(folder / name) for name in ("few", "docs")}
    medians = {way: statistics.median(each[way] for each in seconds) for way in seconds[0]}
    rows = [
        [
            way, f"{medians[way]:.2f}", f"{medians[way] - medians['ingest run']:+.2f}", cpu_of(medians, way),
            f"{medians[f'{way}, again']:.2f}", cpu_of(medians, f"{way}, again"),
        ]
        for way in ("ingest run", "flow", "worker")
    ]
    print(table(["", f"{options.documents} documents, s", "more than the command", "CPU s", "nothing to do, s", "CPU s"], rows))
    print(f"\ntask runs: {tasks['few']} for 10 documents, {tasks['docs']} for {options.documents}")
    if medians["flow"] - medians["ingest run"] > MOST_SECONDS or tasks["few"] != tasks["docs"]:
        sys.exit(f"a flow costs more than {MOST_SECONDS:.0f} s, or its tasks grow")


def cpu_of(medians: dict[str, float], way: str) -> str:
    return f"{medians[f'{way}, CPU']:.2f}" if f"{way}, CPU" in medians else ""


class Measured:
    """The three ways, over a server."""

    def __init__(self, folder: Path, server: Server) -> None:
        self._folder, self._server = folder, server
        self._bases = 0

    def once(self, docs: Path) -> dict[str, float]:
        """Return the seconds of each way, from nothing and again."""
        seconds: dict[str, float] = {}
        for way in (self.command, self.flow, self.worker):
            kb = self._kb()
            run = way(docs, kb)
            name = "ingest run" if way == self.command else way.__name__
            for name_of_run in (name, f"{name}, again"):
                wall, cpu = run()
                seconds[name_of_run] = wall
                if cpu is not None:
                    seconds[f"{name_of_run}, CPU"] = cpu
            print(f"{name}: {seconds[name]:.1f} s, again {seconds[f'{name}, again']:.1f} s", file=sys.stderr, flush=True)
            shutil.rmtree(kb)
        return seconds

    def command(self, docs: Path, kb: Path) -> Callable[[], Spent]:
        command = [str(BIN / "ingest"), "run", str(docs), "--kb", str(kb)]
        return lambda: self._spent(command)

    def flow(self, docs: Path, kb: Path) -> Callable[[], Spent]:
        command = [sys.executable, "-c", FLOW, str(docs), str(kb)]
        return lambda: self._spent(command)

    def worker(self, docs: Path, kb: Path) -> Callable[[], Spent]:
        deploy = [str(BIN / "ingest"), "deploy", str(docs), "--kb", str(kb), "--name", NAME, "--pool", POOL]
        cost(deploy, self._server.environment, folder=self._folder)

        def run() -> Spent:
            started = time.perf_counter()
            deployment = self._server.ask(f"/deployments/name/concord-ingest/{NAME}")["id"]
            asked = self._server.ask(f"/deployments/{deployment}/create_flow_run", {"state": {"type": "SCHEDULED"}})["id"]
            while (state := self._server.ask(f"/flow_runs/{asked}")["state"]["type"]) not in OVER:
                time.sleep(0.1)
            if state != "COMPLETED":
                sys.exit(f"the run of the worker ended as {state}")
            return time.perf_counter() - started, None

        return run

    def _spent(self, command: list[str]) -> Spent:
        spent = cost(command, self._server.environment, folder=self._folder)
        return spent.wall, spent.cpu

    def tasks(self, docs: Path) -> int:
        """Return how many task runs a flow over `docs` has, once the server has heard of the last."""
        kb = self._kb()
        before = self._server.count_tasks()
        self.flow(docs, kb)()
        time.sleep(10)
        shutil.rmtree(kb)
        return self._server.count_tasks() - before

    def _kb(self) -> Path:
        self._bases += 1
        return self._folder / f"kb{self._bases}"


class Server:
    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/api"
        self.environment = {
            "PREFECT_HOME": str(folder / "prefect"), "PREFECT_API_URL": self.url, "DO_NOT_TRACK": "1",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "PREFECT_LOGGING_LEVEL": "WARNING", "INGEST_EMBED__ENGINE": "hash",
        }

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """GET, or POST where there is something to send; again while the server is too busy to answer."""
        while True:
            answer = httpx.request("GET" if body is None else "POST", self.url + path, json=body, timeout=60)
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(0.2)
        answer.raise_for_status()
        return answer.json()

    def count_tasks(self) -> int:
        return int(self.ask("/task_runs/count", {}))

    def answers(self) -> bool:
        try:
            return bool(self.ask("/health"))
        except httpx.HTTPError:
            return False


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Run a server and a worker of its pool, the worker ended first."""
    server = Server(folder)
    with running(server, folder, "server", "start", "--host", "127.0.0.1", "--port", str(server.port), "--no-ui"):
        while not server.answers():
            time.sleep(0.2)
        with running(server, folder, "worker", "start", "--pool", POOL, "--type", "process"):
            yield server


@contextmanager
def running(server: Server, folder: Path, *arguments: str) -> Iterator[None]:
    with (folder / f"{arguments[0]}.log").open("wb") as log:
        process = subprocess.Popen(
            [str(BIN / "prefect"), *arguments], cwd=folder, env={**os.environ, **server.environment}, stdout=log, stderr=log,
            start_new_session=True,
        )
    try:
        yield
    finally:
        end(process)


if __name__ == "__main__":
    main()
