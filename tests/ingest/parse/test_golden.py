"""Whole documents parse to what was once read and approved.

After a wanted change: CONCORD_REWRITE_GOLDEN=1 pytest tests/ingest/parse/test_golden.py, then read the diff.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.model.canonical import plain
from ingest.model.document import Document
from ingest.parse.route import parse
from ingest.settings import ParsePart

GOLDEN = Path(__file__).parent / "golden"
REWRITE = os.environ.get("CONCORD_REWRITE_GOLDEN") == "1"
INPUTS = sorted(path.name for path in GOLDEN.iterdir() if path.suffix != ".json")


def as_text(document: Document) -> str:
    """The document without what depends on installed versions."""
    value = plain(replace(document, parser=""))
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@pytest.mark.parametrize("name", INPUTS)
def test_document_equals_its_golden_file(name: str) -> None:
    made = as_text(parse((GOLDEN / name).read_bytes(), name, ParsePart()))
    expected = GOLDEN / f"{name}.json"
    if REWRITE:
        expected.write_text(made, encoding="utf-8")
    assert made == expected.read_text(encoding="utf-8")


def test_golden_files_are_never_rewritten_where_they_judge() -> None:
    assert not (REWRITE and os.environ.get("CI")), "CONCORD_REWRITE_GOLDEN must not be set in CI: it would approve anything"


def test_every_golden_file_has_its_input() -> None:
    assert {path.name.removesuffix(".json") for path in GOLDEN.glob("*.json")} == set(INPUTS)
