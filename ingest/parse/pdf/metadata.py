"""What a PDF says of itself: its information dictionary, its language and its outline (bookmarks)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ingest.parse.pdf.headings import numbered_end
from ingest.parse.pdf.text import cleaned

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

_KEYS = {
    "Title": "title", "Author": "author", "Subject": "subject", "Keywords": "keywords",
    "CreationDate": "created", "ModDate": "modified",
}
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d'?\d\d)?")
_NO_TITLE = re.compile(
    r"untitled|无标题|未命名|microsoft (word|powerpoint|excel) - |powerpoint presentation|"
    r"\S+\.(docx?|pptx?|xlsx?|tex|dvi|pdf|indd|html?|qxd|p65)$",
    re.IGNORECASE,
)


def embedded(pdf: PdfDocument) -> dict[str, Any]:
    """Return title, author, subject, keywords, created, modified and authoring_language; absent ones are left out.

    Dates become ISO 8601. A title that a program made of a file name is none.
    """
    found: dict[str, Any] = {}
    for key, name in _KEYS.items():
        value = cleaned(pdf.get_metadata_value(key))
        if value and name in ("created", "modified"):
            value = _iso(value)
        if value and not (name == "title" and _NO_TITLE.match(value)):
            found[name] = value
    if language := _language(pdf):
        found["authoring_language"] = language
    return found


def outline(pdf: PdfDocument) -> dict[tuple[str, int], int]:
    """Return (title without spaces in lower case, page from 1) -> level from 1, for titles with and without their number."""
    found: dict[tuple[str, int], int] = {}
    for bookmark in pdf.get_toc(max_depth=6):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination is not None else None
        title = "".join(cleaned(bookmark.get_title()).split()).lower()
        if page is not None and title:
            found.setdefault((title, page + 1), min(bookmark.level + 1, 6))
            found.setdefault((title[numbered_end(title) :] or title, page + 1), min(bookmark.level + 1, 6))
    return found


def _language(pdf: PdfDocument) -> str:
    import ctypes

    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    size = pdfium.FPDFCatalog_GetLanguage(pdf, None, 0)
    if not 2 < size < 200:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFCatalog_GetLanguage(pdf, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace").strip()


def _iso(date: str) -> str:
    """Return a PDF date as ISO 8601, as precise as it was written; an empty string for what is none."""
    match = _DATE.match(date)
    if match is None:
        return ""
    year, month, day, hour, minute, second, zone = match.groups()
    day_part = "-".join(part for part in (year, month, day) if part)
    if not (day and hour):
        return day_part
    offset = "" if zone is None else "Z" if zone == "Z" else f"{zone[:3]}:{zone[-2:]}"
    return f"{day_part}T{hour}:{minute or '00'}:{second or '00'}{offset}"
