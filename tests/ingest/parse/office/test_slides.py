"""PowerPoint: slides in order, titles as headings, what is not shown left out and counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pptx
import pytest
import yaml
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from ingest.errors import DocumentEmpty
from ingest.model.document import Document
from ingest.parse import office
from ingest.parse.detect import PPTX
from ingest.settings import ParsePart

ROOT = Path(__file__).parents[4] / "fixtures"


def parsed(data: bytes) -> Document:
    return office.parse(data, "file.pptx", ParsePart(), PPTX)


def body(document: Document) -> list[tuple[str, str, str | None]]:
    return [(block.kind, block.text, block.provenance.locator) for block in document.blocks if block.layer == "body"]


def test_the_deck_of_the_corpus_has_every_title_note_and_cell() -> None:
    source = yaml.safe_load((ROOT / "binary/partners.pptx.yaml").read_text(encoding="utf-8"))
    document = parsed((ROOT / "corpus" / source["path"]).read_bytes())
    assert document.title == source["title"]
    assert document.pages == len([block for block in document.blocks if block.kind == "heading"])
    assert [block.level for block in document.blocks if block.kind == "heading"] == [2] * (document.pages or 0)
    assert any((block.provenance.locator or "").endswith(" notes") for block in document.blocks)
    assert [block.table.rows[0][0] for block in document.blocks if block.table] == ["Tier"]


def test_titles_come_first_and_shapes_from_top_to_bottom(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    for x, y, text in ((12, 12, "right below"), (2, 12, "left below"), (2, 6, "above")):
        slide.shapes.add_textbox(Cm(x), Cm(y), Cm(5), Cm(1)).text_frame.text = text
    slide.shapes.title.text = "标题"
    assert body(parsed(saved(deck))) == [
        ("heading", "标题", "slide 1"),
        ("paragraph", "above", "slide 1"),
        ("paragraph", "left below", "slide 1"),
        ("paragraph", "right below", "slide 1"),
    ]


def test_bulleted_text_is_a_list_with_depth(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Why"
    frame = slide.placeholders[1].text_frame
    frame.text = "网关"
    for text, level in (("流量控制", 1), ("总线", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    assert body(parsed(saved(deck)))[1][:2] == ("list", "- 网关\n  - 流量控制\n- 总线")


def test_tables_repeat_merged_cells(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(2, 3, Cm(1), Cm(1), Cm(15), Cm(3)).table
    for column, text in enumerate(("Tier", "Margin", "")):
        table.cell(0, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    for column, text in enumerate(("Gold", "25 %", "30 %")):
        table.cell(1, column).text = text
    (found,) = [block.table for block in parsed(saved(deck)).blocks if block.table]
    assert found.rows == (("Tier", "Margin", "Margin"), ("Gold", "25 %", "30 %")) and found.header_rows == 1


def test_a_chart_is_the_table_of_its_values(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    data = CategoryChartData()
    data.categories = ["2024", "2025"]
    data.add_series("营收", (120, 150))
    deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(1), Cm(10), Cm(8), data
    )
    (found,) = [block.table for block in parsed(saved(deck)).blocks if block.table]
    assert found.rows == (("", "营收"), ("2024", "120"), ("2025", "150"))


def test_notes_follow_their_slide_under_their_own_locator(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    for text in ("One", "Two"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = text
        slide.notes_slide.notes_text_frame.text = f"say {text}"
    assert body(parsed(saved(deck))) == [
        ("heading", "One", "slide 1"),
        ("paragraph", "say One", "slide 1 notes"),
        ("heading", "Two", "slide 2"),
        ("paragraph", "say Two", "slide 2 notes"),
    ]


def test_hidden_slides_are_left_out_and_recorded(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    for text in ("shown", "hidden"):
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = text
    deck.slides[1]._element.set("show", "0")
    found = parsed(saved(deck))
    assert found.text == "shown"
    assert [(o.kind, o.where) for o in found.omissions] == [("hidden_slide", "slide 2")]


def test_a_slide_without_a_title_is_headed_by_its_first_line(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for y, text in ((1, "发展历程"), (5, "2015 年，公司在深圳成立。")):
        slide.shapes.add_textbox(Cm(1), Cm(y), Cm(10), Cm(1)).text_frame.text = text
    (heading, _) = parsed(saved(deck)).blocks
    assert (heading.kind, heading.text, heading.evidence) == ("heading", "发展历程", "first line") and heading.confidence < 0.7


def test_links_of_runs_are_kept(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    run = slide.shapes.add_textbox(Cm(1), Cm(1), Cm(10), Cm(1)).text_frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "the guide", "https://example.org/guide"
    found = parsed(saved(deck))
    assert [(link.block, link.text, link.target) for link in found.links] == [(0, "the guide", "https://example.org/guide")]


def test_a_deck_without_text_is_empty(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    with pytest.raises(DocumentEmpty, match="1 slides"):
        parsed(saved(deck))
