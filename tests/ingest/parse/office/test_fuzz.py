"""Damaged Office files of any kind leave by the error tree or are read; nothing else comes out, and never slowly."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from datetime import date
from typing import Any

import docx
import pptx
import pytest
import xlsxwriter
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from ingest.errors import DocumentError
from ingest.parse import office
from ingest.settings import ParsePart

VALUES = (
    "", "0", "-1", "99999999999999999999", "1e400", "nan", "NaN", "A0", "ZZZZ1", "A1:B1:C1", "x" * 300, "true", "\u2028",
    "9" * 5000,
)


@pytest.fixture(scope="module")
def originals() -> dict[str, bytes]:
    letter = docx.Document()
    letter.add_heading("总则", 1)
    for text in ("第一项", "第二项"):
        letter.add_paragraph(text, style="List Number")
    table = letter.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(1, 1)).text = "merged"
    run = letter.add_paragraph().add_run("text")
    letter.add_comment(run, text="why?")
    letter.sections[0].header.paragraphs[0].text = "header"

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Title"
    slide.placeholders[1].text_frame.text = "a\nb"
    slide.shapes.add_table(2, 2, Cm(1), Cm(8), Cm(5), Cm(2)).table.cell(0, 0).text = "cell"
    data = CategoryChartData()
    data.categories = ["x", "y"]
    data.add_series("s", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Cm(1), Cm(12), Cm(5), Cm(5), data)
    slide.notes_slide.notes_text_frame.text = "notes"

    book_bytes = io.BytesIO()
    with xlsxwriter.Workbook(book_bytes, {"in_memory": True}) as book:
        sheet = book.add_worksheet("S")
        sheet.merge_range(0, 0, 0, 2, "title")
        sheet.add_table(2, 0, 4, 1, {"columns": [{"header": "k"}, {"header": "v"}], "data": [["x", 1], ["y", 2]]})
        sheet.write_datetime(6, 0, date(2026, 1, 5), book.add_format({"num_format": "yyyy-mm-dd", "bold": True}))
        sheet.write_comment(6, 0, "note")
        sheet.insert_textbox(8, 0, "box")
        sheet.set_column(4, 4, None, None, {"hidden": True})
    return {"docx": _saved(letter), "pptx": _saved(deck), "xlsx": book_bytes.getvalue()}


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def mutated(data: bytes, seed: int) -> bytes:
    """A copy with one to four kinds of damage: to the tree of a part, to its bytes, to the container."""
    chance = random.Random(seed)  # noqa: S311, the same damage each time is what is wanted
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {info.filename: archive.read(info) for info in archive.infolist()}
    written = [name for name in parts if name.endswith((".xml", ".rels", ".vml")) and "theme" not in name]
    for _ in range(chance.randint(1, 4)):
        name = chance.choice(written)
        way: Callable[[bytes, random.Random], bytes] = chance.choice((_tree, _tree, _tree, _bytes))
        parts[name] = way(parts[name], chance)
    if chance.random() < 0.1:
        del parts[chance.choice(written)]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    whole = out.getvalue()
    if chance.random() < 0.1:
        at = chance.randrange(len(whole))
        whole = whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
    return whole


def _tree(part: bytes, chance: random.Random) -> bytes:
    try:
        root = etree.fromstring(part)
    except etree.XMLSyntaxError:
        return part
    for _ in range(chance.randint(1, 6)):
        elements = [e for e in root.iter() if isinstance(e.tag, str)]
        element, other = chance.choice(elements), chance.choice(elements)
        kind = chance.randrange(6)
        parent = element.getparent()
        if kind == 0 and element.attrib:
            element.set(chance.choice(list(element.attrib)), chance.choice(VALUES))
        elif kind == 1 and element.attrib:
            del element.attrib[chance.choice(list(element.attrib))]
        elif kind == 2 and parent is not None:
            parent.remove(element)
        elif kind == 3 and element not in other.iterancestors() and element is not other and parent is not None:
            other.append(element)
        elif kind == 4 and len(elements) < 5000:
            other.append(etree.fromstring(etree.tostring(element)))
        else:
            element.text = chance.choice(VALUES)
    return etree.tostring(root)


def _bytes(part: bytes, chance: random.Random) -> bytes:
    at, end = sorted(chance.randrange(len(part) + 1) for _ in range(2))
    return chance.choice((part[:at] + part[end:], part[:end] + part[at:], part[:at], part[:at] + b"\xff" + part[at + 1 :]))


def check(data: bytes, kind: str, seed: int) -> None:
    damaged = mutated(data, seed)
    try:
        document = office.parse(damaged, f"file.{kind}", ParsePart(), "")
    except DocumentError:
        return
    text = document.text
    for block in document.blocks:
        assert block.text.strip()
        if block.provenance.span:
            assert text[slice(*block.provenance.span)] == block.text
    assert office.parse(damaged, f"file.{kind}", ParsePart(), "") == document


@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx"])
def test_damage_never_escapes_the_error_tree(originals: dict[str, bytes], kind: str) -> None:
    for seed in range(50):
        check(originals[kind], kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx"])
def test_much_damage_never_escapes_the_error_tree(originals: dict[str, bytes], kind: str) -> None:
    for seed in range(50, 1050):
        check(originals[kind], kind, seed)
