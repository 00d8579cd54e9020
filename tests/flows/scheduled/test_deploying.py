"""From nothing to a nightly run, as docs/scheduling.md says it: a server, a pool, a deployment, a worker, all real."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ingest.cli.main import app
from ingest.errors import UsageError
from ingest.store.layout import Layout
from ingest.store.lease import lease

ROOT = Path(__file__).parents[3]


class Project:
    """A folder with documents, and the commands of a user in it."""

    def __init__(self, server: Any, folder: Path, commands: tuple[str, str]) -> None:
        self.server, self.folder = server, folder
        self._prefect, self._ingest = commands
        (folder / "docs").mkdir()
        self.write("gateway.md", "# 网关\n\n网关默认监听 9443 端口。\n")

    def write(self, name: str, text: str) -> None:
        (self.folder / "docs" / name).write_text(text, encoding="utf-8")

    def ingest(self, *arguments: str, accept: tuple[int, ...] = (0,)) -> Any:
        return json.loads(self.server.run(self._ingest, *arguments, "--json", cwd=self.folder, accept=accept))

    def prefect(self, *arguments: str) -> str:
        said: str = self.server.run(self._prefect, "--no-prompt", *arguments, cwd=self.folder)
        return said

    def asked(self, path: str, **what: Any) -> Any:
        return self.server.ask(path, what or None)

    def runs(self, flow: str = "concord-ingest") -> list[dict[str, Any]]:
        """Its runs that are over or under way, the first first; those that are only planned left out."""
        found = self.asked("/flow_runs/filter", flows={"name": {"any_": [flow]}}, sort="EXPECTED_START_TIME_ASC")
        return [run for run in found if run["state"]["type"] != "SCHEDULED"]

    def states(self, flow: str = "concord-ingest") -> list[str]:
        """How its runs stand; one that failed ends the test at once."""
        found = [run["state"] for run in self.runs(flow)]
        assert not [state for state in found if state["type"] in ("FAILED", "CRASHED")], found
        return [state["type"] for state in found]

    def planned(self, flow: str = "concord-ingest") -> list[dict[str, Any]]:
        return [
            run for run in self.asked("/flow_runs/filter", flows={"name": {"any_": [flow]}})
            if run["state"]["type"] == "SCHEDULED" and run["auto_scheduled"]
        ]


@pytest.fixture
def project(server: Any, tmp_path: Path, commands: tuple[str, str]) -> Project:
    made = Project(server, tmp_path, commands)
    for kind in ("deployments", "flow_runs"):
        for left in made.asked(f"/{kind}/filter"):
            server.delete(f"/{kind}/{left['id']}")
    return made


def test_five_commands_lead_to_a_nightly_run(project: Project, waited: Callable[..., Any]) -> None:
    """The commands of the page, in its order: the server is the session's own; then pool, deployment, worker and a first run."""
    project.prefect("work-pool", "create", "concord", "--type", "process", "--overwrite")
    deployed = project.ingest("deploy", "docs", "--cron", "0 2 * * *", "--timezone", "Asia/Shanghai", "--pool", "concord")
    assert deployed == {"deployment": "concord-ingest/nightly", "pool": "concord"}
    first = waited(project.planned)[0]
    assert first["expected_start_time"][11:16] == "18:00"  # two at night there
    with project.server.worker("concord", project.folder / "worker.log"), ExitStack() as held:
        # The first run waits for our lease, which makes it last as long as the test wants.
        (project.folder / ".kb").mkdir()
        held.enter_context(lease(Layout(project.folder / ".kb")))
        project.prefect("deployment", "run", "concord-ingest/nightly", "--param", "pause_seconds=1", "--param", "retries=60")
        waited(lambda: project.states() == ["RUNNING"])
        project.prefect("deployment", "run", "concord-ingest/nightly")
        waited(lambda: project.states() == ["RUNNING", "CANCELLED"])
        held.close()
        waited(lambda: project.states() == ["COMPLETED", "CANCELLED"])
    found = project.ingest("search", "9443", "--mode", "bm25")
    assert [item["uri"] for item in found["evidence"]] == ["docs/gateway.md"]
    assert "Downloading flow code" not in (project.folder / "worker.log").read_text()


@pytest.mark.slow
def test_a_check_that_finds_it_stale_starts_a_run(project: Project, waited: Callable[..., Any]) -> None:
    """The automation of --on-stale, created and seen to trigger."""
    project.ingest("run", "docs")
    project.ingest("deploy", "--pool", "concord", "--on-stale")
    project.ingest("deploy", "--flow", "check", "--name", "hourly", "--pool", "concord")
    project.write("new.md", "# New\n\nServed since May.\n")
    with project.server.worker("concord", project.folder / "worker.log"):
        project.prefect("deployment", "run", "concord-check/hourly")
        waited(lambda: project.states() == ["COMPLETED"])
    assert project.ingest("check")["status"] == "fresh"
    (run,) = project.runs()
    assert run["created_by"]["type"] == "AUTOMATION"


@pytest.mark.slow
def test_deployments_of_the_file_run(project: Project, waited: Callable[..., Any]) -> None:
    """prefect.yaml as it is committed, deployed from another folder."""
    project.prefect("work-pool", "create", "concord", "--type", "process", "--overwrite")
    project.ingest("run", "docs")
    project.prefect("deploy", "--all", "--prefect-file", str(ROOT / "prefect.yaml"))
    with project.server.worker("concord", project.folder / "worker.log"):
        for name in ("concord-ingest/nightly", "concord-verify/weekly"):
            project.prefect("deployment", "run", name)
        waited(lambda: project.states() == ["COMPLETED"])
        waited(lambda: project.states("concord-verify") == ["COMPLETED"])


@pytest.mark.slow
def test_a_deployment_is_served_without_a_pool(project: Project, serving: Any, waited: Callable[..., Any]) -> None:
    with serving("deploy", "docs", "--name", "here", cwd=project.folder) as said:
        assert waited(said) == "concord-ingest/here\n"
        project.prefect("deployment", "run", "concord-ingest/here")
        waited(lambda: project.states() == ["COMPLETED"])
    assert project.ingest("search", "9443", "--mode", "bm25")["evidence"]


def refused(*arguments: str) -> str:
    """What the command says where it is given in this process, and refuses."""
    ended = CliRunner().invoke(app, ["deploy", *arguments])
    assert isinstance(ended.exception, UsageError), ended
    return str(ended.exception)


def test_a_wrong_line_of_cron_is_refused(prefect: Any) -> None:
    assert "does not take the deployment" in refused("docs", "--cron", "at two", "--pool", "concord")


@pytest.mark.parametrize(("url", "remedy"), [("", "prefect server start"), ("http://127.0.0.1:9/api", "http://127.0.0.1:9/api")])
def test_a_server_that_is_not_there_is_named(prefect: Any, url: str, remedy: str) -> None:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings({PREFECT_API_URL: url or None}):
        assert remedy in refused("docs", "--pool", "concord")


@pytest.mark.parametrize("arguments", [("docs", "--flow", "verify"), ("--param", "deep")])
def test_what_a_flow_does_not_take_is_refused(arguments: tuple[str, ...]) -> None:
    assert refused(*arguments)


def test_a_parameter_that_the_flow_does_not_have_is_refused(prefect: Any) -> None:
    assert "has no parameter 'colour'" in refused("docs", "--pool", "concord", "--param", "colour=blue")
    assert "needs --param questions=" in refused("--flow", "eval", "--pool", "concord")
