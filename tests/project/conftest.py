"""The checkout as a whole: what is committed, what it declares, and an environment that has nothing but the core."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PACKAGES = ("ingest", "entities", "indexes", "flows")


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def committed() -> list[Path]:
    """Every file that is committed or about to be, absolute."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def core(project: dict[str, Any]) -> dict[str, Distribution]:
    """Distributions that come with `pip install concord-kb` without extras: the declared ones and what they need, by name."""
    found: dict[str, Distribution] = {}
    wanted = [(line, "") for line in project["project"]["dependencies"]]
    seen = set()
    while wanted:
        line, extra = wanted.pop()
        requirement = Requirement(line)
        if (line, extra) in seen or not (requirement.marker is None or requirement.marker.evaluate({"extra": extra})):
            continue
        seen.add((line, extra))
        dist = found.setdefault(normal(requirement.name), distribution(requirement.name))
        wanted.extend((needed, asked) for needed in dist.requires or () for asked in ("", *requirement.extras))
    return found


def normal(name: str) -> str:
    """The name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as a release would be, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def bare(wheel: Path, core: dict[str, Distribution], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment that holds the wheel and the core's distributions, linked from here, and no extra."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    for dist in core.values():
        for name in {file.parts[0] for file in dist.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (site / name).exists():
                (site / name).symlink_to(Path(str(dist.locate_file(name))))
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    return folder / "bin"
