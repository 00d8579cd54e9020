"""Reports as they lie on the disk, and pages as a browser takes them apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import html


@pytest.fixture
def told(base: Any) -> Callable[..., Any]:
    """The JSON of the last run, or of the one that published a generation."""

    def read(generation: int | None = None, *, of: Any = base) -> Any:
        folder = of.kb if generation is None else of.kb / "generations" / str(generation)
        return json.loads((folder / "report.json").read_bytes())

    return read


@pytest.fixture(scope="session")
def corpus() -> Path:
    return Path(__file__).parents[3] / "fixtures" / "corpus"


@pytest.fixture(scope="session")
def taken_apart() -> Callable[[Path | str], html.HtmlElement]:
    """A page as a parser of HTML understands it."""

    def parse(page: Path | str) -> html.HtmlElement:
        text = page.read_text(encoding="utf-8") if isinstance(page, Path) else page
        return html.document_fromstring(text)

    return parse
