"""docker-compose.yml and Dockerfile, read: no container engine is needed, so none proves that they run.

What matters is held here: every service is watched, belongs to nobody, keeps what it writes in a volume, is reached from this
machine only, and gets its secrets from outside; every command and every setting exists.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SECRETS = re.compile("PASSWORD|KEY|TOKEN|SECRET")
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}")


def filled(text: str, values: dict[str, str] | None = None) -> str:
    """What Compose makes of a text with variables: their value, or the default behind `:-`."""
    return _VARIABLE.sub(lambda found: (values or {}).get(found[1], found[2] or ""), text)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return made


SERVICES = ("postgres", "qdrant", "prefect", "worker", "mcp")


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, compose: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = compose["services"][request.param]
    return found


def test_the_five_services_are_there(compose: dict[str, Any]) -> None:
    assert tuple(compose["services"]) == SERVICES


def test_every_service_is_watched(service: dict[str, Any]) -> None:
    watched = service["healthcheck"]
    assert watched["test"][0] == "CMD" and len(watched["test"]) > 1
    assert {"interval", "timeout", "retries", "start_period"} <= watched.keys()


def test_every_service_belongs_to_nobody_and_gains_nothing(service: dict[str, Any]) -> None:
    user, _, group = service["user"].partition(":")
    assert int(user) > 0 and int(group) > 0
    assert "no-new-privileges:true" in service["security_opt"]
    assert "privileged" not in service and "cap_add" not in service


def test_every_image_is_named_by_its_version(service: dict[str, Any]) -> None:
    image = filled(service["image"])
    _, colon, tag = image.rpartition(":")
    assert colon and "/" not in tag and tag != "latest" and re.search(r"\d+\.\d+", tag), image


def test_ports_are_those_of_this_machine_only(service: dict[str, Any]) -> None:
    for port in service.get("ports", ()):
        assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port), port


def test_what_is_kept_is_in_declared_volumes(compose: dict[str, Any]) -> None:
    named = {
        volume.partition(":")[0] for service in compose["services"].values() for volume in service["volumes"]
        if not volume.startswith((".", "/", "$"))
    }
    assert named == set(compose["volumes"])


def test_documents_are_mounted_for_reading_only(compose: dict[str, Any]) -> None:
    bound = [volume for service in compose["services"].values() for volume in service["volumes"] if volume.startswith((".", "$"))]
    assert bound and all(volume.endswith(":ro") for volume in bound)


def test_secrets_come_from_the_environment_and_are_asked_for(service: dict[str, Any]) -> None:
    for name, value in service.get("environment", {}).items():
        if SECRETS.search(name):
            assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", value), name
        assert not re.search(r"://[^/\s]*:[^/\s]*@", str(value)), "an address has no password in it"


def test_whoever_is_waited_for_is_healthy_first(compose: dict[str, Any]) -> None:
    services = compose["services"]
    for service in services.values():
        for other, how in service.get("depends_on", {}).items():
            assert other in services and how == {"condition": "service_healthy"}
    assert set(services["worker"]["depends_on"]) == {"postgres", "qdrant", "prefect"}


def test_settings_in_the_environment_are_settings(compose: dict[str, Any]) -> None:
    from ingest.settings import Settings, load

    environment = compose["services"]["worker"]["environment"]
    environ = {name: filled(str(value), {}) for name, value in environment.items() if name.startswith("INGEST_")}
    settings = load(None, None, environ)
    assert settings.index.backend == "qdrant" and settings.index.qdrant_url == "http://qdrant:6333"
    assert settings.catalog == "postgresql://concord@postgres:5432/concord"
    assert settings.index.qdrant_key_env in environ
    for name in environ.keys() - {settings.index.qdrant_key_env}:
        part, _, field = name.removeprefix("INGEST_").lower().partition("__")
        assert part in Settings.model_fields
        assert not field or field in type(getattr(settings, part)).model_fields, name


def test_worker_and_server_of_answers_agree_on_the_knowledge_base(compose: dict[str, Any]) -> None:
    worker, mcp = compose["services"]["worker"], compose["services"]["mcp"]
    shared = {name: value for name, value in mcp["environment"].items() if name.startswith(("INGEST_", "PG"))}
    assert shared and shared.items() <= worker["environment"].items()
    assert {"kb:/var/lib/concord/kb", "models:/var/lib/concord/models"} <= {*worker["volumes"]} & {*mcp["volumes"]}


def test_the_command_of_the_server_of_answers_is_one(compose: dict[str, Any]) -> None:
    from typer.testing import CliRunner

    from ingest.cli.main import app

    command = compose["services"]["mcp"]["command"]
    assert command[:3] == ["ingest", "serve", "mcp"]
    known = CliRunner().invoke(app, ["serve", "mcp", "--help"]).stdout
    assert all(word in known for word in command[3:] if word.startswith("--"))


def test_the_image_runs_as_the_user_of_the_services(compose: dict[str, Any]) -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("USER ")] == [f"USER {compose['services']['worker']['user']}"]
    bases = [line for line in lines if line.startswith("FROM ")]
    assert all("${PYTHON}" in line for line in bases)
    (base,) = (line for line in lines if line.startswith("ARG PYTHON="))
    assert re.fullmatch(r"ARG PYTHON=python:3\.\d+\.\d+-slim-\w+", base)


def test_the_image_is_made_of_what_is_not_ignored() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")}
    copied = {
        word for line in lines if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    }
    assert copied == allowed and all((ROOT / name).exists() for name in copied)


def test_folders_of_volumes_are_made_for_the_user(compose: dict[str, Any]) -> None:
    made = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for name in ("prefect", "worker", "mcp"):
        for volume in compose["services"][name]["volumes"]:
            target = filled(volume).split(":")[1]
            assert re.search(rf"mkdir -p .*{re.escape(target)}\b", made), target
