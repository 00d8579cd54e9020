"""PowerPoint: slides in order, titles as headings, what is not shown left out and counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pptx
import pytest
import yaml
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Cm

from ingest.errors import DocumentEmpty
from ingest.model.document import Document, Span
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
    assert found.spans == (Span(0, 1, 1, 2),)


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


def omitted(document: Document) -> list[tuple[str, int, str | None, str | None]]:
    return [(o.kind, o.count, o.where, o.sample) for o in document.omissions]


def boxes(deck: Any, *texts: tuple[float, float, float, float, str]) -> Any:
    """A slide with text boxes at (left, top, width, height) in centimetres."""
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for x, y, width, height, text in texts:
        slide.shapes.add_textbox(Cm(x), Cm(y), Cm(width), Cm(height)).text_frame.text = text
    return slide


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.layer == "body"]


def test_columns_are_read_one_after_the_other(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    boxes(
        deck,
        (13, 4, 10, 12, "the whole right side of this slide, from top to bottom, in one box of text"),
        (1, 4, 10, 3, "left, the first of three boxes that stand below one another"),
        (1, 8, 10, 3, "left, the second of three boxes that stand below one another"),
        (1, 12, 10, 3, "left, the third of three boxes that stand below one another"),
    )
    assert [text[:12] for text in texts(parsed(saved(deck)))] == ["left, the fi", "left, the se", "left, the th", "the whole ri"]


def test_a_heading_over_a_column_stays_with_it(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[4])
    for place, text in zip(slide.placeholders, ("比较", "优点", "快，便宜", "缺点", "不稳定"), strict=False):
        place.text_frame.text = text
    assert texts(parsed(saved(deck))) == ["比较", "优点", "快，便宜", "缺点", "不稳定"]


def test_shapes_in_groups_are_read_by_their_places(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    group = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_group_shape()
    for y, text in ((9, "below"), (3, "above")):
        group.shapes.add_textbox(Cm(2), Cm(y), Cm(5), Cm(1)).text_frame.text = text
    assert texts(parsed(saved(deck))) == ["above", "below"]


def test_what_lies_beside_the_slide_or_was_hidden_is_recorded(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = boxes(deck, (2, 2, 5, 1, "seen"), (-9, 2, 5, 1, "an old draft"), (2, 6, 5, 1, "switched off"))
    slide.shapes[2]._element.nvSpPr.cNvPr.set("hidden", "1")
    found = parsed(saved(deck))
    assert texts(found) == ["seen"]
    assert omitted(found) == [("hidden_shape", 1, "slide 1", "switched off"), ("off_slide", 1, "slide 1", "an old draft")]


def test_what_is_written_on_the_layout_is_furniture_once(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    layout = deck.slide_layouts[5]
    for text in ("One", "Two"):
        deck.slides.add_slide(layout).shapes.title.text = text
    shape = boxes(deck, (1, 1, 5, 1, "Yunmai 内部资料")).shapes[0]._element
    layout.shapes._spTree.append(shape)
    found = parsed(saved(deck))
    assert texts(found) == ["One", "Two"]
    assert [(b.layer, b.text) for b in found.blocks if b.layer != "body"] == [("furniture", "Yunmai 内部资料")]


def test_bullets_are_those_that_are_seen(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    frame = slide.placeholders[1].text_frame
    frame.text = "numbered"
    frame.add_paragraph().text = "again"
    frame.add_paragraph().text = "plain"
    marks = ('<a:buAutoNum type="ea1ChsPeriod"/>', '<a:buAutoNum type="ea1ChsPeriod"/>', "<a:buNone/>")
    namespace = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    for paragraph, mark in zip(frame.paragraphs, marks, strict=True):
        paragraph._p.get_or_add_pPr().append(parse_xml(mark.replace("/>", f" {namespace}/>")))
    assert [(b.kind, b.text) for b in parsed(saved(deck)).blocks] == [("list", "一. numbered\n二. again"), ("paragraph", "plain")]


def test_a_field_shows_the_number_of_its_slide(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    boxes(deck, (1, 1, 5, 1, "first slide"))
    paragraph = boxes(deck, (1, 1, 5, 1, "page ")).shapes[0].text_frame.paragraphs[0]._p
    namespace = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    paragraph.append(parse_xml(f'<a:fld {namespace} id="{{0}}" type="slidenum"><a:t>‹#›</a:t></a:fld>'))
    assert texts(parsed(saved(deck))) == ["first slide", "page 2"]


def test_pictures_are_counted_and_their_descriptions_read(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    picture = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005fe02fe0def46b8"
        "0000000049454e44ae426082"
    )
    import io

    for _ in range(2):
        shape = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_picture(io.BytesIO(picture), Cm(1), Cm(1))
        shape._element.nvPicPr.cNvPr.set("descr", "架构图：三个网关\n\nDescription automatically generated")
    found = parsed(saved(deck))
    assert [(b.kind, b.text) for b in found.blocks] == [("caption", "架构图：三个网关")]
    assert [where for kind, _, where, _ in omitted(found) if kind == "image"] == ["slide 1", "slide 2"]


def test_scattered_series_keep_their_own_x(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    data = XyChartData()
    for name, points in (("A", ((1, 10), (2, 20.5))), ("B", ((3, 30),))):
        series = data.add_series(name)
        for x, y in points:
            series.add_data_point(x, y)
    chart = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_chart(
        XL_CHART_TYPE.XY_SCATTER, Cm(1), Cm(1), Cm(10), Cm(8), data
    ).chart
    chart.has_title, chart.value_axis.has_title = True, True
    chart.chart_title.text_frame.text, chart.value_axis.axis_title.text_frame.text = "Load", "requests / s"
    found = parsed(saved(deck))
    assert [b.text for b in found.blocks] == ["Load (requests / s)", " | x | y\nA | 1 | 10\nA | 2 | 20.5\nB | 3 | 30"]


def test_categories_of_two_levels_are_joined(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    data = CategoryChartData(number_format="0.0%")
    for year in ("2025", "2026"):
        category = data.add_category(year)
        for half in ("H1", "H2"):
            category.add_sub_category(half)
    data.add_series("margin", (0.1, 0.125, 0.2, 0.25))
    deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(1), Cm(10), Cm(8), data
    )
    (found,) = [block.table for block in parsed(saved(deck)).blocks if block.table]
    assert found.rows[1:] == (("2025 / H1", "10.0%"), ("2025 / H2", "12.5%"), ("2026 / H1", "20.0%"), ("2026 / H2", "25.0%"))


def test_marked_questions_on_a_slide_are_pairs(saved: Callable[[Any], bytes]) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "常见问题"
    slide.placeholders[1].text_frame.text = "问：能退吗？"
    for text in ("答：能。", "Q: Card?", "A: Yes."):
        slide.placeholders[1].text_frame.add_paragraph().text = text
    assert body(parsed(saved(deck)))[1:] == [("faq", "能退吗？\n能。", "slide 1"), ("faq", "Card?\nYes.", "slide 1")]
