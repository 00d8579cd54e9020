"""What a workbook's cell styles say: the number format, and whether a cell stands out or cannot be seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.parse.office.number_format import BUILTIN

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@dataclass(frozen=True, slots=True)
class Style:
    """`stands_out`: bold or on a coloured ground. `white`: white letters on no ground of their own."""

    code: str = "General"
    stands_out: bool = False
    white: bool = False


PLAIN = Style()


def read_styles(root: Any | None) -> list[Style]:
    """Return the styles by the number that cells refer to."""
    if root is None:
        return []
    own = {int(f.get("numFmtId") or 0): f.get("formatCode") or "General" for f in root.iterfind(f"{S}numFmts/{S}numFmt")}
    fonts = [(_is_on(font.find(f"{S}b")), _is_white(font.find(f"{S}color"))) for font in root.iterfind(f"{S}fonts/{S}font")]
    fills = [_has_ground(fill) for fill in root.iterfind(f"{S}fills/{S}fill")]
    return list(_styles(root, own, fonts, fills))


def _styles(root: Any, own: dict[int, str], fonts: list[tuple[bool, bool]], fills: list[bool]) -> Iterator[Style]:
    for xf in root.iterfind(f"{S}cellXfs/{S}xf"):
        identifier, font, fill = (int(xf.get(name) or 0) for name in ("numFmtId", "fontId", "fillId"))
        bold, white = fonts[font] if 0 <= font < len(fonts) else (False, False)
        ground = 0 <= fill < len(fills) and fills[fill]
        code = own.get(identifier) or BUILTIN.get(identifier, "General")
        yield Style(code, bold or ground, white and not ground)


def _is_on(element: Any | None) -> bool:
    return element is not None and element.get("val") not in ("0", "false")


def _is_white(colour: Any | None) -> bool:
    if colour is None or colour.get("tint"):
        return False
    written = (colour.get("rgb") or "").upper() in ("FFFFFFFF", "00FFFFFF")
    return written or colour.get("theme") == "0" or colour.get("indexed") in ("1", "9")


def _has_ground(fill: Any) -> bool:
    pattern = fill.find(f"{S}patternFill")
    if pattern is None:
        return fill.find(f"{S}gradientFill") is not None
    if pattern.get("patternType") in (None, "none"):
        return False
    return not (pattern.get("patternType") == "solid" and _is_white(pattern.find(f"{S}fgColor")))
