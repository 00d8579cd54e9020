"""A Prefect server of the tests' own, on loopback, with its home in a temporary folder, ended with the session."""

from __future__ import annotations

import http
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fixtures.processes import end, free_port

PREFECT = str(Path(sys.executable).with_name("prefect"))
INGEST = str(Path(sys.executable).with_name("ingest"))
_WAIT_SECONDS = 180


@dataclass
class Server:
    """A server at `url` and the environment that leads to it."""

    home: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    def start(self) -> None:
        self.home.mkdir(exist_ok=True)
        log = (self.home / "server.log").open("ab")
        command = [PREFECT, "server", "start", "--host", "127.0.0.1", "--port", str(self.port), "--no-ui"]
        self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        log.close()
        until(self.answers)

    def answers(self) -> bool:
        assert self.process is None or self.process.poll() is None, (self.home / "server.log").read_text()
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
        try:
            asked.request("GET", "/api/health")
            return asked.getresponse().status == 200
        except (http.client.HTTPException, OSError):
            return False
        finally:
            asked.close()

    def stop(self) -> None:
        assert self.process is not None
        end(self.process)
        self.process = None

    def run(self, *command: str, cwd: Path, accept: tuple[int, ...] = (0,), **environment: str) -> str:
        done = subprocess.run(
            command, cwd=cwd, env={**self.environment, "PWD": str(cwd), **environment}, capture_output=True, text=True,
            encoding="utf-8", check=False, timeout=_WAIT_SECONDS,
        )
        assert done.returncode in accept, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def ask(self, path: str, what: dict[str, Any] | None = None) -> Any:
        """Return what the server answers to a POST."""
        return json.loads(self._asked("POST", path, json.dumps(what or {})))

    def delete(self, path: str) -> None:
        self._asked("DELETE", path, None)

    def _asked(self, method: str, path: str, body: str | None) -> bytes:
        """Ask until it is not too busy to answer: its database is one file."""

        def once() -> tuple[int, bytes] | None:
            asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                asked.request(method, f"/api{path}", body, {"content-type": "application/json"})
                answer = asked.getresponse()
                return None if answer.status == http.HTTPStatus.SERVICE_UNAVAILABLE else (answer.status, answer.read())
            finally:
                asked.close()

        status, said = until(once)
        assert status < 300, said
        return bytes(said)

    @contextmanager
    def worker(self, pool: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
        """Run a worker of `pool`, and end it before the server."""
        with log.open("ab") as file:
            command = [PREFECT, "worker", "start", "--pool", pool, "--type", "process"]
            process = subprocess.Popen(command, env=self.environment, stdout=file, stderr=file, start_new_session=True)
        try:
            yield process
        finally:
            end(process)


def until(true: Any, seconds: float = _WAIT_SECONDS) -> Any:
    """Wait until `true()` is, and return it."""
    over = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < over, "waited in vain"
        time.sleep(0.2)
    return found


def new_server(folder: Path) -> Server:
    server = Server(folder / "prefect", free_port())
    server.environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "INGEST_"))},
        "PREFECT_HOME": str(server.home), "PREFECT_API_URL": server.url, "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1", "PYTHONUTF8": "1", "PREFECT_WORKER_QUERY_SECONDS": "1", "PREFECT_RUNNER_POLL_FREQUENCY": "2",
        "INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    return server


@pytest.fixture(scope="session")
def make_server() -> Callable[[Path], Server]:
    """Make a server with its home in a folder, not started."""
    return new_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the session."""
    server = new_server(tmp_path_factory.mktemp("scheduled"))
    server.start()
    try:
        yield server
    finally:
        if "prefect" in sys.modules:  # its log lines of this process are sent in the background; nobody would take them any more
            from prefect.logging.handlers import APILogWorker

            APILogWorker.drain_all(timeout=10)
        server.stop()


@pytest.fixture
def prefect(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """This process as one that works for the server."""
    for name in ("PREFECT_HOME", "PREFECT_SERVER_ANALYTICS_ENABLED", "DO_NOT_TRACK", "INGEST_EMBED__ENGINE"):
        monkeypatch.setenv(name, server.environment[name])
    monkeypatch.setenv("INGEST_EXECUTE__EXECUTOR", "inline")
    from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

    with temporary_settings({PREFECT_API_URL: server.url, PREFECT_HOME: server.home}):
        yield server


@pytest.fixture
def waited() -> Any:
    """Wait until something is true: the server hears of tasks, logs and events a moment later."""
    return until


@pytest.fixture
def flow_run(prefect: Any) -> Callable[..., Any]:
    """Run a flow here, and return what it returned and its run as the server has it."""

    def run(flow: Any, *arguments: Any, **named: Any) -> tuple[Any, Any]:
        state = flow(*arguments, **named, return_state=True)
        return state, Run(state.state_details.flow_run_id)

    return run


class Run:
    """One flow run, asked of the server."""

    def __init__(self, id: Any) -> None:
        from prefect.client.orchestration import get_client
        from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId, LogFilter, LogFilterFlowRunId

        self._client = get_client(sync_client=True)
        self._id = id
        self._run_filter = FlowRunFilter(id=FlowRunFilterId(any_=[id]))
        self._log_filter = LogFilter(flow_run_id=LogFilterFlowRunId(any_=[id]))

    def tasks(self) -> dict[str, int]:
        """Its task runs by name, with how often each was tried, once the server has heard of all."""
        return {run.name: run.run_count for run in self._client.read_task_runs(flow_run_filter=self._run_filter)}

    def artifacts(self) -> dict[str, Any]:
        from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId

        wanted = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[self._id]))
        return {one.key: one for one in self._client.read_artifacts(artifact_filter=wanted)}

    def logs(self) -> list[str]:
        return [log.message for log in self._client.read_logs(log_filter=self._log_filter)]

    def events(self, name: str) -> list[dict[str, Any]]:
        answer = self._client._client.post("/events/filter", json={"filter": {"event": {"name": [name]}}})
        return [
            event for event in answer.json()["events"]
            if any(str(self._id) in related["prefect.resource.id"] for related in event["related"])
        ]


@pytest.fixture
def commands() -> tuple[str, str]:
    """The commands `prefect` and `ingest`."""
    return PREFECT, INGEST


@pytest.fixture
def serving(server: Server) -> Callable[..., Any]:
    """Run a command of the product until the end of the context, which is given what it said so far."""

    @contextmanager
    def run(*arguments: str, cwd: Path) -> Iterator[Callable[[], str]]:
        out, err = cwd / "out.txt", cwd / "err.txt"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [INGEST, *arguments], cwd=cwd, env=server.environment, stdout=stdout, stderr=stderr, start_new_session=True
            )
        try:
            yield out.read_text
        finally:
            end(process)

    return run


@pytest.fixture
def free() -> Callable[[], int]:
    """Pick a port that nobody listens at."""
    return free_port
