"""What people put onto a page is read where it shows; what opens on a click is told as left out."""

from __future__ import annotations

from typing import Any

from ingest.model.document import Document, Omission
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart

HEIGHT = 842


def rect(x0: float, y0: float, x1: float, y1: float) -> str:
    return f"/Rect [{x0} {HEIGHT - y1} {x1} {HEIGHT - y0}]"


def parsed(pdf: Any, *annotations: str) -> Document:
    drawn = [pdf.Text(50, 100, "Name:"), pdf.Text(70, 140, "I agree"), pdf.Text(50, 300, "Signed in two copies.")]
    return reader.parse(pdf.build([drawn], annotations=annotations), "form.pdf", ParsePart(), PDF)


def test_the_value_of_a_field_stands_beside_its_label(pdf: Any) -> None:
    field = f"/Subtype /Widget /FT /Tx /T (name) /V (Zhou Yu) /DA (/Helv 10 Tf) {rect(90, 90, 250, 104)}"
    assert "Name: Zhou Yu" in parsed(pdf, field).text


def test_a_box_shows_whether_it_is_ticked(pdf: Any) -> None:
    box = f"/Subtype /Widget /FT /Btn /T (agree) /AP << /N << /Yes null /Off null >> >> {rect(50, 130, 62, 142)}"
    assert "☑ I agree" in parsed(pdf, f"{box} /V /Yes /AS /Yes").text
    assert "☐ I agree" in parsed(pdf, f"{box} /V /Off /AS /Off").text


def test_a_text_box_is_text_and_a_remark_is_told(pdf: Any) -> None:
    box = f"/Subtype /FreeText /Contents (Approved by the board) /DA (/Helv 10 Tf) {rect(50, 200, 250, 220)}"
    note = f"/Subtype /Text /Contents (Is this still true?) {rect(400, 100, 420, 120)}"
    document = parsed(pdf, box, note)
    assert "Approved by the board" in document.text and "still true" not in document.text
    assert document.omissions == (Omission("annotation", 1, "page 1, text", "Is this still true?"),)
