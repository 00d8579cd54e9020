"""The action for GitHub, run as a runner would: its scripts in bash, its inputs as variables, against a real knowledge base."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from ingest.cli.main import app

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@pytest.fixture(scope="module")
def action(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    return loaded


def step(action: dict[str, Any], name: str) -> dict[str, Any]:
    return next(step for step in action["runs"]["steps"] if step["name"] == name)


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    outputs: dict[str, str]
    summary: str


@pytest.fixture
def run(action: dict[str, Any], tmp_path: Path) -> Callable[..., Ran]:
    """Run one step in `tmp_path`, the workspace. Inputs that are not given have their defaults."""

    def call(which: str = "Check", /, *, path: Path | None = None, **given: str) -> Ran:
        inputs = {name: entry["default"] for name, entry in action["inputs"].items()}
        assert {key.replace("_", "-") for key in given} <= set(inputs)
        inputs.update({key.replace("_", "-"): value for key, value in given.items()})

        def filled(text: str) -> str:
            return EXPRESSION.sub(lambda match: inputs[match[1].removeprefix("inputs.")], text)

        taken = step(action, which)
        runner = tmp_path.parent / f"{tmp_path.name}-runner"
        runner.mkdir(exist_ok=True)
        files = {name: runner / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("")
        (runner / "script.sh").write_text(taken["run"], encoding="utf-8")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("INGEST_", "GITHUB_"))},
            "PATH": f"{path or Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "INGEST_EMBED__ENGINE": "hash",
            "INGEST_EXECUTE__EXECUTOR": "inline", "GITHUB_WORKSPACE": str(tmp_path), "RUNNER_TEMP": str(runner),
            "GITHUB_ACTION_PATH": str(Path(__file__).parents[2]), **{name: str(file) for name, file in files.items()},
            **{name: filled(value) for name, value in taken["env"].items()},
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(runner / "script.sh")], env=environment, check=False,
            cwd=tmp_path / filled(taken.get("working-directory", ".")), capture_output=True,
        )
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        summary = (files["GITHUB_STEP_SUMMARY"] if which == "Check" else files["GITHUB_PATH"]).read_text()
        return Ran(done.returncode, done.stdout.decode() + done.stderr.decode(), outputs, summary)

    return call


def ingest(*arguments: str) -> None:
    """Run a command in this process."""
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code in (0, 4), done.output


@pytest.fixture
def workspace(tmp_path: Path, unflushed: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with documents and a knowledge base; the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INGEST_EMBED__ENGINE", "hash")
    monkeypatch.setenv("INGEST_EXECUTE__EXECUTOR", "inline")
    docs = tmp_path / "文档"
    docs.mkdir()
    (docs / "手册.md").write_text("# 云脉网关手册\n\n云脉网关最多承载两万个连接。\n", encoding="utf-8")
    (docs / "limits.md").write_text("# Limits\n\nText of limits.\n")
    ingest("run", "文档")
    return tmp_path


def test_fresh_knowledge_base_passes(workspace: Path, run: Callable[..., Ran]) -> None:
    ran = run()
    assert (ran.code, ran.outputs) == (0, {"status": "fresh", "generation": "1"}), ran.out
    assert ran.summary.startswith("## Concord: fresh")


def test_changed_document_fails_and_is_annotated(workspace: Path, run: Callable[..., Ran]) -> None:
    (workspace / "文档" / "手册.md").write_text("# 手册\n\n改过了。\n", encoding="utf-8")
    ran = run(paths="文档")
    assert (ran.code, ran.outputs["status"]) == (3, "stale")
    assert "::error file=文档/手册.md,title=Concord%3A changed::" in ran.out
    assert run(paths="文档/limits.md\n").code == 0
    assert run(paths="文档/limits.md\r\n\n文档/手册.md\r\n").code == 3, "one a line, however they end"


def test_archive_is_imported_and_compared(workspace: Path, run: Callable[..., Ran]) -> None:
    ingest("snapshots", "export", "kb.tar.zst")
    (workspace / ".kb").rename(workspace.parent / f"{workspace.name}-away")
    ran = run(paths="文档", kb_archive="kb.tar.zst")
    assert (ran.code, ran.outputs) == (0, {"status": "fresh", "generation": "1"}), ran.out
    (workspace / "文档").rename(workspace / "handbook")
    (workspace / "handbook" / "new.md").write_text("# New\n\nNew.\n")
    ran = run(paths="handbook", kb_archive="kb.tar.zst", name="文档")
    assert ran.code == 3 and re.findall(r"(?m)^::error file=(.*?),", ran.out) == ["handbook/new.md"]


def test_archive_that_does_not_hold_is_could_not_tell(workspace: Path, run: Callable[..., Ran]) -> None:
    ingest("snapshots", "export", "kb.tar.zst")
    data = bytearray((workspace / "kb.tar.zst").read_bytes())
    data[len(data) // 2] ^= 1
    (workspace / "kb.tar.zst").write_bytes(data)
    ran = run(paths="文档", kb_archive="kb.tar.zst")
    assert (ran.code, ran.outputs) == (6, {"status": "unknown", "generation": "0"}) and "::error title=" in ran.out


def test_what_cannot_be_reached_is_could_not_tell(workspace: Path, run: Callable[..., Ran]) -> None:
    assert run(kb="nowhere").outputs == {"status": "unknown", "generation": "0"}
    (workspace / "文档").rename(workspace / "away")
    ran = run()
    assert (ran.code, ran.outputs["status"]) == (6, "unknown")


def test_age_strictness_settings_and_folder_are_passed_on(workspace: Path, run: Callable[..., Ran]) -> None:
    assert run(max_age="soon").code == 2
    (workspace / "文档" / "empty.md").touch()
    ingest("run")
    assert (run().code, run(strict="true").code, run(strict="yes").code) == (0, 3, 2)
    (workspace / "below").mkdir()
    (workspace / "below" / "other.toml").write_text("[chunk]\nchild_max = 120\n")
    ran = run(working_directory="below", kb="../.kb", config="other.toml", max_age="1w")
    assert ran.code == 3 and "file=below/other.toml" in ran.out


EVIL = ["$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "'; touch pwned; '", "a\n$(touch pwned)", "-h", "--help", "*"]


@pytest.mark.parametrize("value", EVIL)
@pytest.mark.parametrize("name", ["paths", "name", "kb", "kb_archive", "config", "max_age", "strict"])
def test_no_input_is_ever_a_command(tmp_path: Path, run: Callable[..., Ran], name: str, value: str) -> None:
    stub = tmp_path / "bin"
    stub.mkdir()
    (stub / "ingest").write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    (stub / "ingest").chmod(0o755)
    ran = run(path=stub, **{name: value})
    assert not [*tmp_path.rglob("pwned"), *tmp_path.parent.glob(f"{tmp_path.name}-runner/pwned")]
    if name == "strict":
        assert ran.code == 2
    else:
        given = value.splitlines() if name == "paths" else [value]
        assert all(f"<{part}>" in ran.out for part in given), ran.out
        assert name != "paths" or ran.out.index("<-->") < ran.out.index(f"<{given[0]}>")


@pytest.mark.parametrize(("install", "installed"), [
    ("", ["-c", "{action}/constraints.txt", "{action}[e5]"]), ("concord-kb[e5]==0.1.0", ["concord-kb[e5]==0.1.0"]),
    ("$(touch pwned)", ["$(touch pwned)"]),
])
def test_installation_makes_an_environment_of_its_own(
    tmp_path: Path, root: Path, run: Callable[..., Ran], install: str, installed: list[str]
) -> None:
    """With an interpreter that only tells what it was asked for: a test has no network."""
    python = tmp_path / "python9"
    python.write_text(
        '#!/bin/sh\nprintf "<%s>" "$@"\n[ "$2" = venv ] && mkdir -p "$3/bin" && cp "$0" "$3/bin/python"\nexit 0\n'
    )
    python.chmod(0o755)
    ran = run("Install Concord", install=install, python=str(python))
    assert ran.code == 0, ran.out
    runner = tmp_path.parent / f"{tmp_path.name}-runner"
    wanted = [part.replace("{action}", str(root)) for part in installed]
    assert ran.out == "".join(
        f"<{part}>" for part in ["-m", "venv", str(runner / "concord"), "-m", "pip", "install", "--quiet", *wanted]
    )
    assert ran.summary == f"{runner}/concord/bin\n" and not list(tmp_path.rglob("pwned"))
    assert (root / "constraints.txt").is_file()


def test_scripts_hold_no_expression_and_every_expression_is_an_input(action: dict[str, Any]) -> None:
    for taken in action["runs"]["steps"]:
        assert taken["shell"] == "bash" and EXPRESSION.search(taken["run"]) is None
        for text in (*taken["env"].values(), taken.get("working-directory", "")):
            for expression in EXPRESSION.findall(text):
                assert expression.removeprefix("inputs.") in action["inputs"]
    used = "".join(str(taken) for taken in action["runs"]["steps"])
    assert [name for name in action["inputs"] if f"inputs.{name}" not in used] == []
    assert set(action["outputs"]) == {"status", "generation"}
    assert all(entry["default"] is not None and entry["description"] for entry in action["inputs"].values())


# The page that says how to set it up


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "stale-gate.md").read_text(encoding="utf-8")


def test_workflow_of_the_page_uses_inputs_and_outputs_that_exist(page: str, action: dict[str, Any]) -> None:
    workflow = yaml.safe_load(next(block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "jobs:" in block))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    (gate,) = [step for step in steps if step.get("uses", "").startswith("OWNER/concord@")]
    assert set(gate["with"]) <= set(action["inputs"])
    assert all(isinstance(value, str) for value in gate["with"].values())
    outputs = re.findall(rf"steps\.{gate['id']}\.outputs\.([\w-]+)", page)
    assert set(outputs) == set(action["outputs"])
    assert workflow[True].keys() == {"pull_request", "schedule"}, "`on` is true to YAML 1.1"
    assert steps.index(gate) > [step.get("uses", "").partition("@")[0] for step in steps].index("actions/checkout")


def test_seed_of_the_page_is_a_seed(page: str, tmp_path: Path) -> None:
    from entities.registry import load_seeds

    seed = next(block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "exclusive" in block)
    (tmp_path / "seed.yaml").write_text(seed)
    assert load_seeds([tmp_path / "seed.yaml"]).exclusive == ("maintainedUntil", "worksFor")


def test_page_names_every_kind_of_warning_and_every_exit_code(page: str) -> None:
    from ingest.model.report import CheckReport, Remark

    told = (Remark.__doc__ or "").partition("Of a problem")[0]
    kinds = re.findall(r"\w+", re.sub(r"\(.*?\)", "", told.partition("of a warning:")[2], flags=re.DOTALL))
    cells = re.findall(r"^\| (`.*?`) \|", page.partition("## Warnings")[2], re.MULTILINE)
    assert sorted(kinds) == sorted(re.findall(r"`(\w+)`", " ".join(cells)))
    for status in ("fresh", "stale", "unknown"):
        code = CheckReport(1, status, (), (), (), "").exit_code
        assert f"| {code} | `{status}` |" in page


def test_commands_of_the_page_run(page: str, workspace: Path) -> None:
    (workspace / ".kb").rename(workspace / "old")
    (workspace / "文档").rename(workspace / "docs")
    ingest("run", "docs")
    commands = re.findall(r"^\$ ingest (.*)$", page, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        ingest(*command.split())
