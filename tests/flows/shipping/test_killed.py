"""Killed while it ships: an archive is there whole or not at all, and so is a knowledge base that was made of one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import KnowledgeBaseMissing

PROJECT = Path(__file__).parents[3]
STEPS = (
    "lease taken", "catalog opened", "recovered", "staging begun", "facts about to be staged", "facts staged", "build proven",
    "build moved", "build moved:3", "generation written", "generation moved", "head about to move", "head moving", "head moved",
)
"""All that an import takes."""


LIMITED = """
import resource, signal
import flows.shipping
from ingest.cli.main import main

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
write = flows.shipping.write_archive

def limited(*arguments):
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
    return write(*arguments)

flows.shipping.write_archive = limited
main()
"""
"""An `ingest` for which files cannot grow beyond 9,000 bytes once it writes an archive."""


def start(base: Any, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    settings = {"INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", "from ingest.cli.main import main; main()", "snapshots", *arguments, "--kb", str(base.kb)],
        cwd=base.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **settings, **environment},
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, err = process.communicate(timeout=120)
    return process.returncode, err.decode()


def whole_or_not_there(base: Any, shipped: Any) -> bool:
    """Whether the imported generation is published; raises unless it then is as exported, and nothing is where it is not."""
    try:
        head = base.head()
    except KnowledgeBaseMissing:
        head = 0
    if head == 0:
        with pytest.raises(KnowledgeBaseMissing):
            base.search("ERR_1042")
        return False
    assert (head, base.search("ERR_1042").snapshot, base.verify()) == (2, shipped.exported.snapshot, [])
    return True


@pytest.mark.parametrize("step", [
    pytest.param(step, marks=[pytest.mark.slow] * (step not in ("build moved:3", "head moving")))
    for step in STEPS
])
def test_an_import_that_is_killed_published_nothing_and_the_next_one_recovers(step: str, shipped: Any, base: Any) -> None:
    code, _ = ended(start(base, "import", str(shipped.file), INGEST_DEBUG__STOP_AT=step))
    assert code == -signal.SIGKILL
    assert whole_or_not_there(base, shipped) == (step == "head moved")
    if step != "head moved":
        assert ended(start(base, "import", str(shipped.file)))[0] == 0
        assert whole_or_not_there(base, shipped)
        assert not any((base.kb / "staging").rglob("*"))
    base.write("new.md", "# New\n\nThe QUOKKA.\n")
    assert base.run().generation == 3
    assert not any((base.kb / "staging").rglob("*"))


def test_a_run_recovers_from_an_import_that_was_killed(shipped: Any, base: Any) -> None:
    ended(start(base, "import", str(shipped.file), INGEST_DEBUG__STOP_AT="generation moved"))
    base.write("one.md", "# One\n\nThe QUOKKA is alone.\n")
    report = base.run()
    assert (report.generation, report.sources["added"]) == (1, 1)
    assert base.verify() == [] and base.found("ERR_1042") == []
    assert [path.name for path in (base.kb / "generations").iterdir()] == ["1"]


@pytest.mark.slow
def test_an_import_that_is_killed_at_random_moments_leaves_nothing_half(shipped: Any, base: Any) -> None:
    chance = random.Random(5)  # noqa: S311  # no secret
    published = 0
    for _ in range(12):
        process = start(base, "import", str(shipped.file))
        time.sleep(chance.uniform(0.2, 2.5))
        process.kill()
        ended(process)
        if whole_or_not_there(base, shipped):
            published += 1
            break
    if not published:
        assert ended(start(base, "import", str(shipped.file)))[0] == 0
    assert whole_or_not_there(base, shipped)


@pytest.mark.parametrize("times", [2, pytest.param(15, marks=pytest.mark.slow)])
def test_an_export_that_is_killed_leaves_the_archive_before_and_the_next_one_takes_over(
    times: int, shipped: Any, tmp_path: Path
) -> None:
    chance, file = random.Random(3), tmp_path / "kb.tar.zst"  # noqa: S311  # no secret
    file.write_bytes(b"the one before")
    for _ in range(times):
        process = start(shipped.base, "export", str(file), "--with-cache")
        time.sleep(chance.uniform(0.1, 1.2))
        process.kill()
        ended(process)
        assert file.read_bytes() in (b"the one before", shipped.file.read_bytes())
    assert ended(start(shipped.base, "export", str(file), "--with-cache"))[0] == 0
    assert file.read_bytes() == shipped.file.read_bytes()
    assert not file.with_name(f"{file.name}.partial").exists()


def test_two_exports_to_one_file_do_not_mix(shipped: Any, tmp_path: Path) -> None:
    file = tmp_path / "kb.tar.zst"
    both = [start(shipped.base, "export", str(file), "--with-cache") for _ in range(2)]
    codes = sorted(ended(process)[0] for process in both)
    assert codes in ([0, 0], [0, 7])
    assert file.read_bytes() == shipped.file.read_bytes()


def test_an_import_that_is_interrupted_cleans_up_behind_itself(shipped: Any, base: Any) -> None:
    code, err = ended(start(
        base, "import", str(shipped.file), INGEST_DEBUG__STOP_AT="build proven", INGEST_DEBUG__STOP_HOW="raise"
    ))
    assert code == 1 and "StoppedAtStep" in err
    assert not base.kb.exists()


def test_an_export_for_which_the_disk_is_full_says_so_and_leaves_nothing(shipped: Any, tmp_path: Path) -> None:
    file = tmp_path / "kb.tar.zst"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "snapshots", "export", str(file), "--kb", str(shipped.base.kb)], capture_output=True,
        text=True, check=False, env={**os.environ, "PYTHONPATH": str(PROJECT)},
    )
    assert done.returncode == 1 and "StorageFailed" in done.stderr and "free space" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.glob("kb*")) == []
