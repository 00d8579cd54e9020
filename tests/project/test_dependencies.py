"""What the project declares to need is what it imports, under licences that its own allows."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

PACKAGES = ("ingest", "entities", "indexes", "flows")
OWN = "concord-kb"
COMPLETING = {"lxml-html-clean"}
"""Declared although it is not ours to import: trafilatura fails without it, and older installers leave it out."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def imported(root: Path) -> set[str]:
    """Distributions that the four packages import, inside functions too."""
    owners = packages_distributions()
    found: set[str] = set()
    for package in PACKAGES:
        for file in (root / package).rglob("*.py"):
            for module in modules(ast.parse(file.read_bytes())):
                top = module.partition(".")[0]
                if top not in sys.stdlib_module_names and top not in PACKAGES:
                    found.update(map(normal, owner(module, owners.get(top, [f"nothing that is installed: {top} in {file}"]))))
    return found


def modules(tree: ast.AST) -> Iterator[str]:
    """The names that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def owner(module: str, owners: list[str]) -> list[str]:
    """Those of some distributions that bring a module: several share a name at the top (`opentelemetry`)."""
    if len(set(owners)) == 1:
        return owners
    path = module.replace(".", "/")
    files = {each: {str(file) for file in distribution(each).files or ()} for each in set(owners)}
    return [each for each, held in files.items() if f"{path}.py" in held or f"{path}/__init__.py" in held] or owners


def declared(project: dict[str, Any]) -> list[Requirement]:
    extras = project["project"]["optional-dependencies"]
    listed = [*project["project"]["dependencies"], *(line for extra in extras.values() for line in extra)]
    return [requirement for requirement in map(Requirement, listed) if normal(requirement.name) != OWN]


def test_every_import_is_declared_and_every_declaration_imported(project: dict[str, Any], imported: set[str]) -> None:
    assert imported | COMPLETING == {normal(requirement.name) for requirement in declared(project)}


def test_every_requirement_says_from_which_version(project: dict[str, Any]) -> None:
    for requirement in declared(project):
        assert {specifier.operator for specifier in requirement.specifier} & {">=", "=="}, requirement


def test_extra_all_brings_every_other_but_what_is_under_a_strong_copyleft_licence(project: dict[str, Any]) -> None:
    extras = project["project"]["optional-dependencies"]
    (every,) = map(Requirement, extras["all"])
    assert normal(every.name) == OWN
    assert every.extras == set(extras) - {"all", "pymupdf"}


@pytest.fixture(scope="module")
def pins(root: Path) -> dict[str, str]:
    """constraints.txt: name -> version."""
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line)] == []
    return {normal(name): version for name, _, version in (line.partition("==") for line in lines)}


def test_whatever_is_declared_is_pinned_within_its_bounds(project: dict[str, Any], pins: dict[str, str]) -> None:
    groups = project["dependency-groups"]
    for requirement in [*declared(project), *map(Requirement, [*groups["dev"], *groups["speech"]])]:
        assert Version(pins[normal(requirement.name)]) in requirement.specifier, requirement


def test_everything_that_the_core_brings_is_pinned(core: dict[str, Distribution], pins: dict[str, str]) -> None:
    assert core.keys() <= pins.keys()


def test_peers_of_the_benchmarks_are_not_in_the_environment_of_the_project(project: dict[str, Any], pins: dict[str, str]) -> None:
    peers = [line for group in ("peers", "haiku") for line in project["dependency-groups"][group]]
    engines = {"pymupdf", "pymupdf-layout"}
    """Of ours, too, by an extra."""
    assert not ({normal(Requirement(line).name) for line in peers} - engines) & pins.keys()


def test_the_core_needs_nothing_under_a_strong_copyleft_licence(core: dict[str, Distribution]) -> None:
    bound = {name for name, dist in core.items() if strong_copyleft(licence(dist))}
    assert bound == set()
    assert "pymupdf" not in core


def licence(dist: Distribution) -> str:
    """What a distribution says of its licence: the expression, else the old field and classifiers."""
    metadata = dist.metadata
    if metadata.get("License-Expression"):
        return str(metadata["License-Expression"])
    classifiers = [line for line in metadata.get_all("Classifier") or () if line.startswith("License ::")]
    return " OR ".join([(metadata.get("License") or "").partition("\n")[0], *classifiers])


def strong_copyleft(said: str) -> bool:
    """Whether every choice that a licence leaves is GPL or AGPL (the lesser GPL does not reach those who import)."""
    choices = [choice for choice in re.split(r"\bOR\b", said) if choice.strip()]
    bound = [re.search(r"(?<!L)\b(A?GPL|GNU (Affero )?General Public)", choice) is not None for choice in choices]
    return bool(bound) and all(bound)


@pytest.mark.parametrize(("said", "bound"), [
    ("AGPL-3.0-only", True), ("Dual Licensed - GNU Affero General Public License or commercial", True),
    ("MPL-1.1 OR GPL-2.0-only OR LGPL-2.1-or-later", False), ("LGPL-2.1-or-later", False), ("Apache-2.0", False), ("", False),
])
def test_strong_copyleft_is_recognised(said: str, bound: bool) -> None:
    assert strong_copyleft(said) is bound
