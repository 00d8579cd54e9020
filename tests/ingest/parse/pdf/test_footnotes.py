"""Footnotes interrupt nobody, and who cites them is told."""

from __future__ import annotations

from typing import Any

from ingest.model.document import Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart


def parsed(pdf: Any, *pages: list[Any]) -> Document:
    return reader.parse(pdf.build(list(pages)), "file.pdf", ParsePart(), PDF)


def page(pdf: Any, first: list[str], *, note: str = "") -> list[Any]:
    drawn: list[Any] = pdf.lines(50, 100, first)
    return drawn + ([pdf.Text(50, 760, note, 7)] if note else [])


LINES = [
    "The gateway counts requests in windows of one second, as described before,4",
    "and it refuses those that are more than the quota allows to be sent by",
]


def test_a_sentence_goes_on_over_a_footnote(pdf: Any) -> None:
    document = parsed(pdf, page(pdf, LINES, note="4 See the manual of the gateway."), page(pdf, ["one client in that second."]))
    assert "allows to be sent by one client in that second." in document.text
    assert [block.text for block in document.blocks if block.kind == "footnote"] == ["4 See the manual of the gateway."]


def test_the_text_that_cites_a_footnote_links_to_it(pdf: Any) -> None:
    document = parsed(pdf, page(pdf, LINES, note="4 See the manual of the gateway."))
    (link,) = document.links
    (note,) = [block for block in document.blocks if block.kind == "footnote"]
    assert (link.text, link.target) == ("4", f"#{note.provenance.locator}")
    assert "as described before,4" in document.blocks[link.block].text


def test_a_footnote_that_nobody_cites_stays_where_it_stood(pdf: Any) -> None:
    document = parsed(pdf, page(pdf, LINES, note="* Corresponding author."), page(pdf, ["One more page."]))
    texts = [block.text for block in document.blocks]
    assert texts.index("* Corresponding author.") < texts.index("One more page.")
    assert not document.links
