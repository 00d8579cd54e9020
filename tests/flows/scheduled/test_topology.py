"""The services of docker-compose.yml as processes of this machine: their own commands, their own environment, other addresses.

PostgreSQL is real, Prefect, the worker and the server of answers too; for Qdrant stands the shim over its engine. What a
container engine adds (images, users, volumes, networks) is not tried here, nor anywhere that has none.
"""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
QDRANT_KEY = "qdrant-Quokka"


class Topology:
    """The compose file, with addresses of loopback in the places of its services' names."""

    def __init__(self, folder: Path, addresses: dict[str, str], secrets: dict[str, str]) -> None:
        self._services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
        self._addresses, self._secrets = addresses, secrets
        self.folder = folder

    def environment(self, service: str) -> dict[str, str]:
        said = {name: self._filled(str(value)) for name, value in self._services[service]["environment"].items()}
        image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
        places = dict(re.findall(r"(INGEST_\w+)=/var/lib/concord/(\w+)", image))
        return said | {name: str(self.folder / place) for name, place in places.items()}

    def command(self, service: str, **options: str) -> list[str]:
        """The service's command, found where this Python is, some of its options with other values."""
        program, *words = self._services[service]["command"]
        for option, value in options.items():
            words[words.index(f"--{option}") + 1] = value
        return [str(Path(sys.executable).with_name(program)), *words]

    def _filled(self, text: str) -> str:
        text = re.sub(r"\$\{(\w+)[^}]*\}", lambda found: self._secrets[found[1]], text)
        for name, address in self._addresses.items():
            text = text.replace(name, address)
        return text


@pytest.fixture
def shim(tmp_path: Path, free: Callable[[], int], waited: Any) -> Iterator[int]:
    """The stand-in for Qdrant's server; yields its port."""
    port = free()
    command = [sys.executable, str(ROOT / "tests" / "qdrant_shim.py"), str(tmp_path / "qdrant"), str(port), QDRANT_KEY]
    with process(command, {}, tmp_path / "qdrant.log"):
        waited(lambda: status(port, "/collections", {"api-key": QDRANT_KEY}))
        yield port


@pytest.fixture
def topology(tmp_path: Path, postgres: Any, shim: int, server: Any) -> Topology:
    password = re.fullmatch(r".+://\w+:(.+)@.*", postgres.url())[1]  # type: ignore[index]
    return Topology(tmp_path, {
        "postgresql://concord@postgres:5432/concord": postgres.url().replace(f":{password}@", "@"),
        "http://qdrant:6333": f"http://127.0.0.1:{shim}", "http://prefect:4200/api": server.url,
    }, {"POSTGRES_PASSWORD": password, "QDRANT_API_KEY": QDRANT_KEY})


def test_what_the_worker_publishes_the_server_of_answers_gives(
    topology: Topology, server: Any, commands: tuple[str, str], free: Callable[[], int], waited: Any
) -> None:
    (topology.folder / "docs").mkdir()
    (topology.folder / "docs" / "gateway.md").write_text("# 网关\n\n网关默认监听 9443 端口。\n", encoding="utf-8")
    environment = {**server.environment, **topology.environment("worker")}

    def ingest(*arguments: str) -> Any:
        return json.loads(server.run(commands[1], *arguments, "--json", cwd=topology.folder, **topology.environment("worker")))

    with ExitStack() as running:
        health = free()
        running.enter_context(process(
            topology.command("worker"), {**environment, "PREFECT_WORKER_WEBSERVER_PORT": str(health)},
            topology.folder / "worker.log",
        ))
        waited(lambda: status(health, "/health") == 200)
        assert ingest("deploy", "docs", "--name", "composed", "--pool", "concord")["deployment"] == "concord-ingest/composed"
        id = server.ask("/deployments/filter", {"deployments": {"name": {"any_": ["composed"]}}})[0]["id"]
        run = server.ask(f"/deployments/{id}/create_flow_run", {"state": {"type": "SCHEDULED"}})["id"]
        wanted = {"flow_runs": {"id": {"any_": [run]}}}
        state = waited(lambda: (
            found := server.ask("/flow_runs/filter", wanted)[0]["state"]
        )["type"] in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED") and found)
        assert state["type"] == "COMPLETED", state
        assert not (topology.folder / "kb" / "catalog.db").exists()  # it is in PostgreSQL
        token = ingest("serve", "token", "agent")["token"]
        port = free()
        running.enter_context(process(
            topology.command("mcp", host="127.0.0.1", port=str(port)), {**server.environment, **topology.environment("mcp")},
            topology.folder / "mcp.log",
        ))
        waited(lambda: status(port, "/health") == 200)
        assert waited(lambda: status(port, "/ready", {"authorization": f"Bearer {token}"}) == 200)
        assert [item["uri"] for item in ingest("search", "9443", "--mode", "bm25")["evidence"]] == ["docs/gateway.md"]
        server.delete(f"/deployments/{id}")


@contextmanager
def process(command: list[str], environment: dict[str, str], log: Path) -> Iterator[None]:
    with log.open("wb") as file:
        started = subprocess.Popen(command, env=environment or None, cwd=log.parent, stdout=file, stderr=file)
    try:
        yield
    finally:
        started.terminate()
        try:
            started.wait(60)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def status(port: int, path: str, headers: dict[str, str] | None = None) -> int:
    """The status of an answer, 0 where there is none."""
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        asked.request("GET", path, headers=headers or {})
        return asked.getresponse().status
    except OSError:
        return 0
    finally:
        asked.close()
