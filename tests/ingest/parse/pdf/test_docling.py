"""What docling lacks is said with its remedy; what it exports is mapped, from a document that docling-core 2.104.0 wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import ModelUnavailable
from ingest.model.document import Box, Span
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.parse.pdf import docling
from ingest.parse.pdf.docling_document import Mapped, mapped
from ingest.settings import ParsePart

HANDBOOK = Path(__file__).parent / "docling" / "handbook.json"
ASKED = ParsePart(pdf_engine="docling")


@pytest.fixture(scope="module")
def handbook() -> Mapped:
    return mapped(json.loads(HANDBOOK.read_text(encoding="utf-8")))


def test_blocks_stand_in_the_order_of_reading_with_furniture_behind(handbook: Mapped) -> None:
    kinds = [(block.kind, block.level) for block in handbook.blocks if block.layer == "body"]
    assert kinds == [
        ("heading", 1), ("heading", 2), ("paragraph", 0), ("heading", 3), ("paragraph", 0), ("list", 0), ("caption", 0),
        ("table", 0), ("code", 0), ("formula", 0), ("caption", 0), ("paragraph", 0), ("footnote", 0),
    ]
    assert [block.text for block in handbook.blocks[len(kinds) :]] == ["Operations handbook", "2"]
    assert (handbook.title, handbook.pages) == ("Operations handbook 运维手册", 2)


def test_boxes_are_counted_from_the_top_of_the_page(handbook: Mapped) -> None:
    assert handbook.blocks[0].provenance.boxes == (Box(1, 50.0, 62.0, 400.0, 92.0),)


def test_lists_keep_their_numbers_and_depth_and_code_its_lines(handbook: Mapped) -> None:
    texts = [block.text for block in handbook.blocks]
    assert "1. Open the console\n  - as administrator\n2. Choose Limits" in texts
    assert "ingest run\n  --rehash" in texts and "☑ Freeze is announced" in texts


def test_tables_keep_header_and_spans(handbook: Mapped) -> None:
    (table,) = [block.table for block in handbook.blocks if block.table is not None]
    assert table.rows == (("Plan", "Requests", "Requests"), ("基础版", "second", "500"), ("基础版", "day", "1,000,000"))
    assert (table.header_rows, table.spans) == (1, (Span(0, 1, 1, 2), Span(1, 0, 2, 1)))


def test_pictures_are_told_as_left_out(handbook: Mapped) -> None:
    assert [(one.kind, one.where) for one in handbook.omissions] == [("picture", "page 2")]


def test_without_its_packages_docling_says_what_to_install(pdf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docling, "find_spec", lambda package: None)
    with pytest.raises(ModelUnavailable, match="pip install docling"):
        reader.parse(pdf.build([[pdf.Text(50, 60, "text")]]), "file.pdf", ASKED, PDF)


def test_without_its_weights_docling_says_where_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docling, "find_spec", lambda package: object())
    assert "docling-tools models download" in docling.missing(ASKED)
    assert "is not a folder" in docling.missing(ASKED.model_copy(update={"docling_models": str(tmp_path / "absent")}))
    assert docling.missing(ASKED.model_copy(update={"docling_models": str(tmp_path)})) == ""


def test_other_weights_are_another_fingerprint(tmp_path: Path) -> None:
    settings = ASKED.model_copy(update={"docling_models": str(tmp_path)})
    before = reader.version(settings)
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert reader.version(settings) != before
    assert reader.version(ASKED).split("; ")[-2] == "weights=missing"
