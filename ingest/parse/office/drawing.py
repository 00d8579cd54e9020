"""Text of DrawingML, which slides, charts, diagrams and the drawings of sheets have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.parse.office.equations import M, equation
from ingest.parse.office.symbols import drawn

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_A14 = "{http://schemas.microsoft.com/office/drawing/2010/main}"
_EMPTY_WORDS = frozenset({"picture", "image", "photo", "chart", "shape", "icon", "图片", "图像", "圖片", "図", "graphic"})
_BY_MACHINE = ("description automatically generated", "自动生成的说明", "已自动產生描述", "ai-generated content", "ai 生成的内容")


def paragraph_text(paragraph: Any, slide_number: int | None = None) -> str:
    """Text of an `a:p`, line breaks kept, white space folded. `slide_number` stands in for a field that shows it."""
    lines = (" ".join(line.split()) for line in "".join(_pieces(paragraph, slide_number)).replace("\v", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def _pieces(parent: Any, slide_number: int | None) -> Iterator[str]:
    for child in parent:
        if child.tag == f"{A}r":
            symbol = child.find(f"{A}rPr/{A}sym")
            latin = child.find(f"{A}rPr/{A}latin")
            font = next((f.get("typeface") for f in (symbol, latin) if f is not None), None)
            yield drawn(child.findtext(f"{A}t") or "", font)
        elif child.tag == f"{A}fld":
            numbered = slide_number is not None and (child.get("type") or "").lower() == "slidenum"
            yield str(slide_number) if numbered else child.findtext(f"{A}t") or ""
        elif child.tag == f"{A}br":
            yield "\n"
        elif child.tag in (f"{M}oMath", f"{M}oMathPara"):
            yield equation(child)
        elif child.tag == f"{_A14}m":
            yield from _pieces(child, slide_number)
        elif child.tag == f"{MC}AlternateContent":
            for choice in child[:1]:
                yield from _pieces(choice, slide_number)


def shape_text(body: Any | None) -> str:
    """All paragraphs below an element, one a line."""
    if body is None:
        return ""
    return "\n".join(text for paragraph in body.iter(f"{A}p") if (text := paragraph_text(paragraph)))


def described(element: Any | None) -> str:
    """What the author wrote about a picture for those who do not see it; what a machine guessed or a file is called is nothing.

    `element` is the `cNvPr` or `docPr` of the picture.
    """
    text = "" if element is None else element.get("descr") or ""
    lines = [line.strip() for line in text.splitlines()]
    kept = " ".join(line for line in lines if line and not any(mark in line.lower() for mark in _BY_MACHINE))
    named = len(kept.split()) == 1 and ("." in kept or "\\" in kept or "/" in kept)  # image1.png, C:\pictures\logo.jpg
    return "" if named or kept.lower() in _EMPTY_WORDS or is_decoration(element) else " ".join(kept.split())


def is_decoration(element: Any | None) -> bool:
    """Whether the author marked a picture as saying nothing."""
    marks = () if element is None else element.iter()
    return any(str(mark.tag).endswith("}decorative") and mark.get("val") in ("1", "true") for mark in marks)
