"""What goes while a run is under way: Prefect's server, the worker. What was finished is never done again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.slow

FLOW = "import sys; from flows.scheduled.ingesting import ingest_flow; ingest_flow([sys.argv[1]], kb=sys.argv[2])"
DOCUMENTS = 40


@pytest.fixture
def own_server(tmp_path: Path, make_server: Callable[[Path], Any]) -> Iterator[Any]:
    """A server that the test may stop."""
    server = make_server(tmp_path)
    server.start()
    yield server
    if server.process is not None:
        server.stop()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number}.md").write_text(f"# 笔记 {number}\n\nNote {number} about ERR_{1000 + number}.\n", encoding="utf-8")
    return folder


def paused(at: str) -> dict[str, str]:
    """Settings by which a run stops at a step until it is told to go on; batches are small, so that some are done before it."""
    return {"INGEST_DEBUG__STOP_AT": at, "INGEST_DEBUG__STOP_HOW": "pause", "INGEST_EMBED__BATCH": "10"}


def stopped(process: psutil.Process) -> bool:
    return process.is_running() and process.status() == psutil.STATUS_STOPPED


def test_the_server_stops_and_the_run_goes_on(own_server: Any, docs: Path, tmp_path: Path, waited: Any, ingest: Any) -> None:
    command = [sys.executable, "-c", FLOW, str(docs), str(tmp_path / "kb")]
    with (tmp_path / "flow.log").open("wb") as log:
        run = subprocess.Popen(
            command, cwd=tmp_path, stdout=log, stderr=log,
            env={**own_server.environment, **paused("vectors kept:2"), "PREFECT_CLIENT_MAX_RETRIES": "1"},
        )
    try:
        waited(lambda: stopped(psutil.Process(run.pid)))
        own_server.stop()
        run.send_signal(signal.SIGCONT)
        run.wait(240)
    finally:
        run.kill()
        run.wait()
    assert ingest("check", "--kb", "kb", accept=(0,))["status"] == "fresh", (tmp_path / "flow.log").read_text()
    again = ingest("run", "docs", "--kb", "kb")
    assert (again["published"], again["embedded"]) == (False, 0)


def test_a_worker_is_killed_and_the_next_run_takes_up_what_was_done(
    own_server: Any, docs: Path, tmp_path: Path, waited: Any, ingest: Any
) -> None:
    ingest("deploy", "docs", "--kb", "kb", "--pool", "concord")
    runs = {"flows": {"name": {"any_": ["concord-ingest"]}}}
    own_server.environment.update(paused("vectors kept:2"))
    with own_server.worker("concord", tmp_path / "worker.log") as worker:
        deployment = own_server.ask("/deployments/filter")[0]["id"]
        own_server.ask(f"/deployments/{deployment}/create_flow_run", {"state": {"type": "SCHEDULED"}})
        run = waited(lambda: next(
            (child for child in psutil.Process(worker.pid).children(recursive=True) if stopped(child)), None
        ))
        worker.kill()
        run.kill()
        waited(lambda: not run.is_running() or run.status() == psutil.STATUS_ZOMBIE)
    assert own_server.ask("/flow_runs/filter", runs)[0]["state"]["type"] == "RUNNING"
    for name in paused(""):
        del own_server.environment[name]
    again = ingest("run", "docs", "--kb", "kb")
    assert again["published"] and again["embedded"] == DOCUMENTS - 20
    assert ingest("verify", "--kb", "kb")["clean"]


@pytest.fixture
def ingest(own_server: Any, tmp_path: Path, commands: tuple[str, str]) -> Callable[..., Any]:
    """A command of the product in the test's folder, and what it printed."""

    def run(*arguments: str, accept: tuple[int, ...] = (0,)) -> Any:
        return json.loads(own_server.run(commands[1], *arguments, "--json", cwd=tmp_path, accept=accept))

    return run
