"""What is shipped: exactly the four packages, whole and typed."""

from __future__ import annotations

import subprocess
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

PACKAGES = ("ingest", "entities", "indexes", "flows")


def test_the_wheel_holds_the_four_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert tops == {*PACKAGES, "concord_kb-0.1.0.dist-info"}


def test_every_package_is_marked_as_typed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert {f"{package}/py.typed" for package in PACKAGES} <= set(archive.namelist())


def test_no_file_of_a_package_is_left_behind(wheel: Path, committed: list[Path], root: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if name.split("/")[0] in PACKAGES}
    here = {path.relative_to(root).as_posix() for path in committed}
    assert {name for name in here if name.split("/")[0] in PACKAGES} <= shipped
    assert not [name for name in shipped if "__pycache__" in name or name.startswith(("tests", "fixtures"))]


def test_metadata_names_licence_python_and_readme(wheel: Path, project: dict[str, Any]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        read = Parser().parsestr(archive.read("concord_kb-0.1.0.dist-info/METADATA").decode())
        assert "concord_kb-0.1.0.dist-info/licenses/LICENSE" in archive.namelist()
    assert read["License-Expression"] == "Apache-2.0"
    assert read["Requires-Python"] == project["project"]["requires-python"]
    assert set(read.get_all("Provides-Extra") or ()) == set(project["project"]["optional-dependencies"])
    assert str(read.get_payload()).startswith("# Concord")


def test_the_command_explains_itself_where_only_the_core_is_installed(bare: Path) -> None:
    done = subprocess.run([str(bare / "ingest"), "--help"], capture_output=True, text=True, check=True)
    assert "Folders of documents become one knowledge base" in done.stdout
    assert all(command in done.stdout for command in ("run", "check", "verify", "parse", "search", "show", "doctor", "snapshots"))
    assert not done.stderr
