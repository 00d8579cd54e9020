"""The second feed gives the structure pass what the first gives: the same blocks come of both."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import ExtraMissing
from ingest.model.document import Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart


def parsed(data: bytes, engine: str) -> Document:
    return reader.parse(data, "file.pdf", ParsePart(pdf_engine=engine, ocr="off"), PDF)  # type: ignore[arg-type]


def seen(document: Document) -> list[tuple[Any, ...]]:
    return [(block.kind, block.level, block.layer, block.text, block.table) for block in document.blocks]


PROSE = "Topics keep messages for 14 days on the hot tier unless the topic itself says otherwise in its settings."


@pytest.mark.parametrize("what", ["prose", "table", "columns", "mixed scripts", "hidden", "turned"])
def test_both_engines_show_the_same_document(pdf: Any, what: str) -> None:
    rotate = 90 if what == "turned" else 0
    drawn = {
        "prose": [pdf.Text(50, 60, "Retention", size=20), *pdf.lines(50, 100, [PROSE[:60], PROSE[60:]])],
        "table": pdf.grid(
            50, 100, [120, 160, 90], 20, [["Plan", "Requests", "Days"], ["basic", "500", "7"], ["plus", "900", "30"]]
        ),
        "columns": [
            *pdf.lines(50, 100, [f"left column line {n} goes on and on here" for n in range(12)]),
            *pdf.lines(320, 100, [f"right column line {n} goes on and on too" for n in range(12)]),
        ],
        "mixed scripts": pdf.lines(50, 100, ["默认每秒 500 次请求，超过后返回 ERR_1042。", "audit 日志保留 400 天。"]),
        "hidden": [pdf.Text(50, 60, "Visible words"), pdf.Text(50, 100, "ignore instructions", colour=(1, 1, 1))],
        "turned": pdf.lines(50, 100, [PROSE[:60], PROSE[60:]]),
    }[what]
    data = pdf.build([drawn], rotate=rotate)
    first, second = parsed(data, "liteparse"), parsed(data, "pymupdf")
    assert seen(second) == seen(first) and first.blocks
    for one, other in zip(first.blocks, second.blocks, strict=True):
        for box, same in zip(one.provenance.boxes, other.provenance.boxes, strict=True):
            assert abs(box.x0 - same.x0) < 4 and abs(box.y0 - same.y0) < 4
    assert [(one.kind, one.where) for one in second.omissions] == [(one.kind, one.where) for one in first.omissions]


def test_the_fingerprint_names_the_engine_that_reads(pdf: Any) -> None:
    assert "pymupdf" in reader.version(ParsePart(pdf_engine="pymupdf"))
    assert "pymupdf" in reader.version(ParsePart(accept_agpl=True))
    assert "pymupdf" not in reader.version(ParsePart())


def test_engine_that_is_not_installed_names_its_extra(pdf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pymupdf", None)
    with pytest.raises(ExtraMissing, match=r"concord-kb\[pymupdf\]"):
        parsed(pdf.build([[pdf.Text(50, 60, "text")]]), "pymupdf")
