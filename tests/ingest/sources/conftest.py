"""Roots made of a few lines of text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.model.source import Root

Tree = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files (path -> content) below a folder `docs` and return it."""

    def write(files: dict[str, str | bytes]) -> Path:
        base = tmp_path / "docs"
        base.mkdir(exist_ok=True)
        for path, content in files.items():
            file = base / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return base

    return write


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root("docs", str(tmp_path / "docs"))
