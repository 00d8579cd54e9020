"""docs/architecture.md has a heading for every folder, and the rules of layout hold where import-linter cannot look."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("ingest", "entities", "indexes", "flows")
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
_HEADING = re.compile(r"^## (.+\?) \(([a-z0-9_/]+)\)$", re.MULTILINE)


def folders(committed: list[Path], root: Path) -> set[str]:
    """Every folder of the four packages that holds a module."""
    modules = [path.relative_to(root) for path in committed if path.suffix == ".py"]
    return {path.parent.as_posix() for path in modules if path.parts[0] in PACKAGES}


def test_every_folder_has_its_heading_and_every_heading_its_folder(committed: list[Path], root: Path) -> None:
    headings = [folder for _, folder in _HEADING.findall(PAGE.read_text(encoding="utf-8"))]
    assert len(headings) == len(set(headings))
    assert set(headings) == folders(committed, root)


def test_every_folder_says_what_it_must_not_know() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for match in _HEADING.finditer(text):
        section = text[match.end() :].partition("\n## ")[0]
        assert re.search(r"\bmust not\b", section, re.IGNORECASE), match[2]


def test_files_that_the_page_names_exist(root: Path, committed: list[Path]) -> None:
    names = {path.name for path in committed}
    for name in re.findall(r"`([\w/]+\.py)`", PAGE.read_text(encoding="utf-8")):
        assert Path(name).name in names, name


def test_every_module_has_its_layer(project: dict[str, Any], committed: list[Path], root: Path) -> None:
    contract = next(one for one in project["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    layers = {name for layer in contract["layers"] for name in re.split(r"\s*[|:]\s*", layer)}
    unplaced = set()
    for path in committed:
        relative = path.relative_to(root).with_suffix("")
        module = ".".join(relative.parts).removesuffix(".__init__")
        placed = any(module == layer or module.startswith(f"{layer}.") for layer in layers)
        if path.suffix == ".py" and relative.parts[0] in PACKAGES and module not in PACKAGES and not placed:
            unplaced.add(module)
    assert unplaced == set()


def test_the_nouns_need_nothing_but_the_standard_library(root: Path) -> None:
    for file in (root / "ingest" / "model").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.partition(".")[0] in sys.stdlib_module_names or name.startswith("ingest.model"), f"{file}: {name}"


def test_top_packages_import_nothing(root: Path) -> None:
    for package in PACKAGES:
        assert not (root / package / "__init__.py").read_bytes().strip(), package
