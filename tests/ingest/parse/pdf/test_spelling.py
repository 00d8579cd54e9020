"""What the engine changes or loses is as PDFium reads it."""

from __future__ import annotations

from typing import Any

from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart


def text_of(pdf: Any, drawn: list[Any]) -> str:
    return reader.parse(pdf.build([drawn]), "file.pdf", ParsePart(), PDF).text


def test_quotation_marks_and_dashes_stay_as_written(pdf: Any) -> None:
    line = "点击“安全—密钥服务”，it’s done – really"
    assert text_of(pdf, [pdf.Text(50, 100, line)]) == line


def test_characters_beyond_the_first_plane_stay(pdf: Any) -> None:
    assert text_of(pdf, [pdf.Text(50, 100, "吉野家的\ue000字与其他")]) == "吉野家的𠮷字与其他"


def test_a_number_alone_is_not_lost(pdf: Any) -> None:
    drawn = [*pdf.lines(50, 100, [f"A line of running text, number {n}" for n in range(5)]), pdf.Text(290, 400, "11")]
    assert text_of(pdf, drawn).endswith("11")
