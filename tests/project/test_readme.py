"""The README's session is run and its output compared; its tables and examples are held to the code.

After a wanted change: `CONCORD_REWRITE_GOLDEN=1 pytest tests/project/test_readme.py`, then read the diff.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest import errors
from ingest.settings import SourcesPart, load
from ingest.sources.metadata import read

README = Path(__file__).parents[2] / "README.md"
REWRITE = os.environ.get("CONCORD_REWRITE_GOLDEN") == "1"

_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_PROGRESS = re.compile(r"^[a-z]+: \d+( of \d+)? \w+(, about \d+ s left)?\n", re.MULTILINE)
_CLOCK = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_MASKS = (
    (r"snapshot [0-9a-f]{12}", "snapshot ID"),
    (rf"(last confirmed|as of) {_CLOCK}", r"\1 CLOCK"),
    (r"(seconds:.*)", lambda match: re.sub(r"\d+\.\d+", "N", match[1])),
)


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def masked(output: str) -> str:
    """What is the same on every machine and in every year."""
    for pattern, mask in _MASKS:
        output = re.sub(pattern, mask, output, flags=re.MULTILINE)  # type: ignore[arg-type,call-overload]
    return output


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with the output that is written below it."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def said(command: str, folder: Path) -> str:
    """What a command prints into a terminal, without progress, which is drawn over there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INGEST_")}
    environment = {**kept, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    lines = _PROGRESS.sub("", done.stdout.decode()).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines).rstrip("\n") + ("\n" if lines else "")


def test_the_session_prints_what_the_readme_says(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "fixtures" / "corpus", tmp_path / "fixtures" / "corpus")
    for name in ("ingest.toml", "registry.yaml"):
        shutil.copy(root / "fixtures" / name, tmp_path / "fixtures" / name)
    text = README.read_text(encoding="utf-8")
    shown, found = "", ""
    for console in _CONSOLE.findall(text):
        outputs = [(command, output, said(command, tmp_path)) for command, output in commands(console)]
        shown += "".join(f"$ {command}\n{masked(output)}" for command, output, _ in outputs)
        found += "".join(f"$ {command}\n{masked(output)}" for command, _, output in outputs)
        text = text.replace(console, "".join(f"$ {command}\n{output}" for command, _, output in outputs))
    if REWRITE:
        README.write_text(text, encoding="utf-8")
    else:
        assert shown == found


def test_nothing_is_being_rewritten() -> None:
    assert not REWRITE


def test_every_exit_code_is_in_the_table(root: Path) -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d) \|", README.read_text(encoding="utf-8"), re.MULTILINE)}
    tree = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ConcordError)}
    assert codes == tree | {0, 3}, "0 is success, 3 the answer of `check`; the rest is the tree of ingest.errors"


def test_the_settings_are_settings(tmp_path: Path) -> None:
    (tmp_path / "ingest.toml").write_text(block("toml"), encoding="utf-8")
    settings = load(tmp_path / "ingest.toml", environ={})
    written: dict[str, Any] = tomllib.loads(block("toml"))
    for part, values in written.items():
        if isinstance(values, dict):
            assert getattr(settings, part).model_dump(mode="json", include=set(values)) == values
    assert load(tmp_path / "ingest.toml", environ={"INGEST_EMBED__ENGINE": "hash"}).embed.engine == "hash"


def test_the_front_matter_is_read_as_explained() -> None:
    declared = read(block("markdown").encode(), None, name="gateway.md", settings=SourcesPart())
    assert (declared.family, declared.version, declared.valid_from) == ("gateway-manual", "2.0", "2025-07-01T00:00:00Z")
    assert (declared.access.roles, declared.access.level) == (("sre", "support"), 2)


def test_the_extras_are_those_that_exist(project: dict[str, Any]) -> None:
    table = re.findall(r"^\| `(\w+)` \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted([*table, "all"]) == sorted(project["project"]["optional-dependencies"])


@pytest.mark.parametrize("output", [
    "published generation 1 (snapshot bd9759b8df2f)\n  seconds: plan 0.70, embed 9.71\n",
    "stale: generation 1, last confirmed 2026-11-29T23:00:41Z\n",
])
def test_masks_hide_times_and_ids_only(output: str) -> None:
    later = output.replace("bd97", "0a0a").replace("23:0", "11:5").replace("0.70", "12.31")
    assert masked(output) == masked(later)
    assert masked(output) != masked(later.replace("generation 1", "generation 2"))
    assert "2025-07-01T00:00:00Z" in masked("[2025-07-01T00:00:00Z to …]")
