"""Pages that are pictures are read like any other; pages with text are not, and what stands hidden or garbled is told."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import DocumentEmpty
from ingest.model.document import Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.parse.ocr import engine
from ingest.parse.ocr.lines import Read
from ingest.parse.pdf.scans import even
from ingest.parse.trail import Course, following
from ingest.settings import ParsePart

FONT = Path(__file__).parents[4] / "fixtures" / "fonts" / "NotoSansCJKsc-Regular.subset.otf"
LINES = ["温度上限", "密钥每年更换一次，由两人持有", "KMS 3.2 then"]


class Told:
    """Stands in for an engine: every picture has these lines, 100 pixels apart."""

    name = "rapidocr"

    def __init__(self, *lines: tuple[str, float]) -> None:
        self._lines = lines
        self.pictures: list[tuple[int, ...]] = []

    def read(self, picture: Any) -> list[Read]:
        self.pictures.append(picture.shape)
        return [
            Read(text, 200, 200 + 100 * at, 200 + 20 * len(text), 240 + 100 * at, sure)
            for at, (text, sure) in enumerate(self._lines)
        ]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    reads = Told(("Topics keep messages for 14 days.", 0.98), ("smudge", 0.3), ("Audit logs are kept for 400 days.", 0.9))
    monkeypatch.setattr(engine, "reader", lambda *_: reads)
    return reads


def scan(*sheets: Any) -> bytes:
    """A PDF of nothing but pictures, 200 dots an inch."""
    file = io.BytesIO()
    sheets[0].save(file, "PDF", resolution=200, save_all=True, append_images=sheets[1:])
    return file.getvalue()


def sheet(*lines: str, turn: int = 0) -> Any:
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (900, 620), 255)
    canvas = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        size = 60 if number == 0 else 32
        canvas.text((100, 80 + 130 * number), line, fill=0, font=ImageFont.truetype(str(FONT), size))
    return page.rotate(-turn, expand=True)


def parsed(data: bytes, **settings: Any) -> Document:
    return reader.parse(data, "file.pdf", ParsePart(**{"ocr": "rapidocr", **settings}), PDF)


def squashed(document: Document) -> str:
    return "".join(document.text.split())


def test_a_scan_becomes_blocks_with_places_engine_and_confidence() -> None:
    document = parsed(scan(sheet(*LINES)))
    assert squashed(document) == "".join("".join(LINES).split())
    assert document.blocks[0].kind == "heading" and document.blocks[0].evidence == "size, rapidocr"
    assert all(block.evidence and block.evidence.endswith("rapidocr") for block in document.blocks)
    assert all(0.5 < block.confidence <= 1 for block in document.blocks)
    (box,) = document.blocks[0].provenance.boxes
    assert (box.page, round(box.x0 / 36), round(box.y0 / 36)) == (1, 1, 1)  # 100 and about 90 pixels at 200 an inch


def test_a_sheet_that_lies_on_its_side_is_read_and_placed_where_it_stands() -> None:
    document = parsed(scan(sheet(*LINES, turn=90)))
    assert squashed(document) == "".join("".join(LINES).split())
    (box,) = document.blocks[0].provenance.boxes
    assert box.y1 - box.y0 > 1.5 * (box.x1 - box.x0) and box.x0 > 100  # the title runs down along the right edge


def test_without_an_engine_a_scan_is_an_error_with_a_remedy(told: Told) -> None:
    with pytest.raises(DocumentEmpty, match=r"concord-kb\[ocr\]"):
        parsed(scan(sheet(*LINES)), ocr="off")
    assert told.pictures == []


def test_pages_with_text_and_white_pages_are_not_looked_at(told: Told, pdf: Any) -> None:
    document = parsed(pdf.build([[pdf.Text(50, 60, "Retention")], []]))
    assert (document.text, told.pictures) == ("Retention", [])
    assert [(one.kind, one.where) for one in document.omissions] == [("page_without_text", "page 2")]


def test_what_the_engine_doubts_is_left_out_and_told(told: Told) -> None:
    document = parsed(scan(sheet(*LINES)))
    assert "smudge" not in document.text
    (omission,) = document.omissions
    assert (omission.kind, omission.count, omission.where, omission.sample) == ("doubtful_ocr", 1, "page 1, rapidocr", "smudge")


def with_text(drawn: list[Any], pdf: Any, picture: Any) -> bytes:
    """A page that shows a picture from edge to edge, and texts on it."""
    import pypdfium2

    below = pypdfium2.PdfDocument(pdf.build([drawn]))
    page = below[0]
    bitmap = pypdfium2.PdfBitmap.from_pil(picture.convert("RGB"))
    image = pypdfium2.PdfImage.new(below)
    image.set_bitmap(bitmap)
    image.set_matrix(pypdfium2.PdfMatrix().scale(*page.get_size()))
    page.insert_obj(image)
    page.gen_content()
    file = io.BytesIO()
    below.save(file)
    return file.getvalue() + b"\n"


WORDS = "Every node keeps its own journal of the messages that it took and of those that it gave on to others."


def test_a_text_that_is_hidden_on_a_picture_gives_way_to_what_the_picture_says(told: Told, pdf: Any) -> None:
    data = with_text([pdf.Text(50, 100, WORDS, colour=(1, 1, 1))], pdf, sheet("温度"))
    document = parsed(data)
    assert document.text.startswith("Topics keep messages") and "journal" not in document.text
    assert ("hidden_text_layer", "page 1, rapidocr instead") in [(one.kind, one.where) for one in document.omissions]


def test_a_text_that_is_hidden_on_a_picture_is_trusted_where_nothing_reads_pictures(pdf: Any) -> None:
    data = with_text([pdf.Text(50, 100, WORDS, colour=(1, 1, 1))], pdf, sheet("温度"))
    document = parsed(data, ocr="off")
    assert (document.text, document.omissions) == (WORDS, ())


def test_a_page_number_on_a_picture_stays_beside_what_is_read(told: Told, pdf: Any) -> None:
    document = parsed(with_text([pdf.Text(290, 700, "A-17")], pdf, sheet("温度")))
    assert "A-17" in document.text and "Topics keep messages for 14 days." in document.text


def test_nonsense_gives_way_to_what_the_picture_says_and_is_told(told: Told, pdf: Any) -> None:
    nonsense = "ÄãºÃÊÀ½ç£¬ÕâÊÇÒ»¸ö²âÊÔÎÄ¼þ¡£ÇëÔÄ¶ÁÒÔÏÂÄÚÈÝ"
    document = parsed(pdf.build([[pdf.Text(50, 100, nonsense), pdf.Text(50, 130, nonsense)]]))
    assert document.text.startswith("Topics keep messages") and "Ä" not in document.text
    assert ("garbled_text", 2) in [(one.kind, one.count) for one in document.omissions]


def test_what_an_earlier_reader_recognised_is_not_recognised_again(told: Told, tmp_path: Path) -> None:
    data = scan(sheet(*LINES), sheet(*LINES))
    with following(Course(str(tmp_path / "trail"))):
        first = parsed(data)
        assert len(told.pictures) == 2
        assert parsed(data) == first
    assert len(told.pictures) == 2


def test_large_sheets_are_drawn_within_bounds(told: Told) -> None:
    from PIL import Image, ImageDraw

    poster = Image.new("L", (2000, 3000), 255)
    ImageDraw.Draw(poster).rectangle((100, 100, 900, 900), fill=0)
    file = io.BytesIO()
    poster.save(file, "PDF", resolution=20)
    parsed(file.getvalue())
    assert max(told.pictures[0]) <= 3500


def test_sizes_of_lines_that_look_one_are_one() -> None:
    assert even([11.8, 12.2, 13.5, 10.4, 20.0, 20.9], [40, 40, 9, 12, 6, 6]) == [11.75] * 4 + [20.5] * 2
    assert even([], []) == []
