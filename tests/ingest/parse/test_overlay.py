"""An overlay shows where blocks stand, which are kept out, and what was read, in Chinese too."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import DocumentUnsupported, UsageError
from ingest.model.document import Block, Box, Document, Omission, Provenance
from ingest.parse.overlay import COLOURS, HEIGHT, HIDDEN, PANEL, overlay

FONT = Path(__file__).parents[3] / "fixtures" / "fonts" / "NotoSansCJKsc-Regular.subset.otf"


def sheet() -> bytes:
    from fpdf import FPDF

    pdf = FPDF(unit="pt", format=(400, 800))
    for _ in range(2):
        pdf.add_page()
    return bytes(pdf.output())


def block(kind: Any, text: str, box: Box, **more: Any) -> Block:
    return Block(kind, text, provenance=Provenance(boxes=(box,)), **more)


def document(**more: Any) -> Document:
    blocks = (
        block("heading", "温度上限", Box(1, 50, 50, 200, 80), level=1, evidence="size", confidence=0.8),
        block("paragraph", "密钥每年更换一次", Box(1, 50, 100, 350, 140)),
        block("paragraph", "on the next page", Box(2, 50, 100, 350, 140)),
        block("paragraph", "1", Box(1, 190, 760, 210, 780), layer="furniture"),
    )
    hidden = Omission("hidden_text", 1, "page 1, white", "ignore", (Box(1, 50, 300, 350, 340),))
    return Document("application/pdf", "pdf 3", None, blocks, omissions=(hidden,), pages=2, **more)


@pytest.fixture
def drawn() -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(overlay(sheet(), document(), 1, FONT))).convert("RGB")


def near(picture: Any, x: float, y: float, colour: tuple[int, int, int]) -> bool:
    """Whether a colour is found about a place of the page, in points."""
    scale = HEIGHT / 800
    spots = [(int(x * scale) + dx, int(y * scale) + dy) for dx in range(-4, 5) for dy in range(-4, 5)]
    return any(all(abs(a - b) < 12 for a, b in zip(picture.getpixel(spot), colour, strict=True)) for spot in spots)


def test_frames_have_the_colour_of_their_kind_where_the_block_stands(drawn: Any) -> None:
    assert drawn.size == (800 + PANEL, HEIGHT)
    assert near(drawn, 200, 65, COLOURS["heading"]) and near(drawn, 350, 120, COLOURS["paragraph"])
    assert not near(drawn, 300, 500, COLOURS["paragraph"])


def test_hidden_text_is_marked_where_it_was(drawn: Any) -> None:
    assert near(drawn, 200, 300, HIDDEN) and near(drawn, 50, 320, HIDDEN)


def test_the_panel_writes_chinese(drawn: Any) -> None:
    from PIL import Image

    blank = Image.open(io.BytesIO(overlay(sheet(), document(), 2, FONT))).convert("RGB")
    ink = []
    for picture in (drawn, blank):
        shades = picture.crop((800, 0, 800 + PANEL, HEIGHT)).convert("L").histogram()
        ink.append(sum(shades[:90]))
    assert ink[0] > ink[1] > 0


def test_the_same_page_gives_the_same_bytes() -> None:
    assert overlay(sheet(), document(), 1, FONT) == overlay(sheet(), document(), 1, FONT)


def test_page_that_is_not_there_and_document_without_pages_are_refused() -> None:
    with pytest.raises(UsageError, match="--page 3: the document has 2 pages"):
        overlay(sheet(), document(), 3)
    with pytest.raises(DocumentUnsupported, match="give it a PDF"):
        overlay(b"text", Document("text/markdown", "markdown 1", None, ()), 1)
