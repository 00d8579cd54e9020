"""Named steps: each is announced where it is taken, told where it is asked for, and stops a process in three ways."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import SettingsInvalid, StoppedAtStep
from ingest.settings import load
from ingest.steps import STEPS, parsed, reached, stopping

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "failure.md"


def announced() -> Counter[str]:
    """Every name with which the product calls `reached`, and how many calls there are."""
    found: Counter[str] = Counter()
    for package in ("ingest", "entities", "indexes", "flows"):
        for file in (PROJECT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reached":
                    (argument,) = node.args
                    assert isinstance(argument, ast.Constant), f"{file}:{node.lineno}: a name, so that it can be searched for"
                    found[argument.value] += 1
    return found


def test_every_step_of_the_list_is_announced_and_no_other() -> None:
    assert set(announced()) == set(STEPS)


def test_the_page_has_the_list() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = dict(line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("| `"))
    told = {name.strip("`"): what for name, what in rows.items()}
    assert {name: what for name, what in told.items() if name in STEPS} == STEPS
    assert list(filter(STEPS.__contains__, told)) == list(STEPS)


def test_nothing_happens_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    reached("head moved")
    with stopping("", "kill", trace=False):
        reached("head moved")
    assert capsys.readouterr() == ("", "")


def test_steps_are_told_with_their_time(capsys: pytest.CaptureFixture[str]) -> None:
    with stopping("", "kill", trace=True):
        for step in ("build moved", "head moved", "build moved"):
            reached(step)
    reached("head moved")
    told = [line.partition(" after ")[0] for line in capsys.readouterr().err.splitlines()]
    assert told == ["step build moved:1", "step head moved:1", "step build moved:2"]


def test_step_is_failed_at_the_time_that_is_asked_for() -> None:
    with stopping("build moved:2", "raise", trace=False):
        reached("build moved")
        reached("head moved")
        with pytest.raises(StoppedAtStep, match="build moved:2") as raised:
            reached("build moved")
        reached("build moved")
    assert (raised.value.exit_code, raised.value.retryable) == (1, True)


@pytest.mark.parametrize(
    ("at", "named"), [
        ("head about to mov", "head about to move"), ("nonsense", "doctor --steps"), ("head moved:0", "head moved:3"),
        ("head moved:x", "head moved:3"), (":3", "doctor --steps"),
    ],
)
def test_step_that_is_misspelt_is_a_wrong_setting(at: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        parsed(at)
    with pytest.raises(SettingsInvalid, match=named) as raised:
        load(environ={"INGEST_DEBUG__STOP_AT": at})
    assert raised.value.exit_code == 2


def test_setting_shapes_no_content() -> None:
    plain, stopped = load(environ={}), load(environ={"INGEST_DEBUG__STOP_AT": "head moved", "INGEST_DEBUG__TRACE": "true"})
    assert stopped.shape_digests() == plain.shape_digests()


@pytest.fixture
def stopped(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start `ingest run` in a process of its own that stops before the head moves."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n")

    def begin(how: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", "from ingest.cli.main import main; main()", "run", "docs"], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "INGEST_EMBED__ENGINE": "hash",
                 "INGEST_DEBUG__STOP_AT": "head about to move", "INGEST_DEBUG__STOP_HOW": how},
        )

    return begin


def test_process_is_killed_at_a_step(stopped: Any, tmp_path: Path) -> None:
    with stopped("kill") as process:
        process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / ".kb/generations/1/manifest.json").exists(), "that is what one wanted to see"


def test_process_is_paused_at_a_step_and_goes_on(stopped: Any, tmp_path: Path) -> None:
    with stopped("pause") as process:
        while "paused" not in (line := process.stderr.readline()):
            assert line, "it ended without a pause"
        assert line == f"paused at head about to move:1; go on with: kill -CONT {process.pid}\n"
        assert (tmp_path / ".kb/generations/1/manifest.json").exists()
        while Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2][0] != "T":
            time.sleep(0.01)  # it has told, and is about to stop
        process.send_signal(signal.SIGCONT)
        said, _ = process.communicate(timeout=120)
    assert (process.returncode, "published generation 1" in said) == (0, True)


def test_run_is_failed_at_a_step_and_the_next_one_is_not(base: Any) -> None:
    base.write("a.md")
    base.set("debug", stop_at="head moving", stop_how="raise")
    with pytest.raises(StoppedAtStep):
        base.run()
    base.set("debug", stop_at="")
    assert base.run().generation == 1
    assert base.verify() == []
