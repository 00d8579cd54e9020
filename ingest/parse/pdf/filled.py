"""What people put onto a page: values of form fields, boxes that are ticked, text boxes, remarks.

The engine keeps them apart from the page's text. What shows on the page (values, ticks, text boxes) becomes text there; a remark
that opens when it is clicked is no part of the page, and is told among what was left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ingest.parse.pdf.page import Item, Note
from ingest.parse.pdf.text import cleaned

SIZE = 10.0
"""Points; what is filled in is set to fit, in a size that the engine does not tell."""

_TEXT_FIELDS = ("text", "textfield", "combobox", "listbox")
_BOXES = ("checkbox", "radiobutton", "radio")
_TICKED, _OPEN = "☑", "☐"
_NO_REMARKS = ("link", "widget", "popup", "freetext")


def form_items(raw: Any) -> Iterator[Item]:
    """Yield the values of the form fields of the engine's page `raw` that it did not give as text, and its boxes."""
    for form in raw.form_fields or ():
        if form.rect is None:
            continue
        x0, y0, x1, y1 = _box(form.rect)
        if form.type in _BOXES:
            yield Item(_TICKED if form.checked else _OPEN, x0, y0, x1, y1, size=min(y1 - y0, SIZE))
        elif form.type in _TEXT_FIELDS and not any(_inside(item, x0, y0, x1, y1) for item in raw.text_items):
            yield from _lines(form.value or "", x0, y0, x1, y1)


def note_items(notes: Iterable[Any]) -> Iterator[Item]:
    """Yield the lines of text boxes (free text annotations)."""
    for note in notes:
        if note.subtype == "freetext" and note.rect is not None:
            yield from _lines(note.contents or "", *_box(note.rect))


def remark(note: Any) -> Note | None:
    """Return an annotation with words that do not show on the page, else None."""
    contents = cleaned(note.contents or "")
    if note.subtype in _NO_REMARKS or not contents:
        return None
    return Note(note.subtype, contents, _box(note.rect) if note.rect is not None else (0.0, 0.0, 0.0, 0.0))


def _lines(value: str, x0: float, y0: float, x1: float, y1: float) -> Iterator[Item]:
    """Yield the lines of a value, from the top of its box; a single one stands in the middle."""
    lines = [text for line in value.splitlines() if (text := cleaned(line))]
    height = (y1 - y0) / max(len(lines), 1)
    size = min(height, SIZE)
    for at, text in enumerate(lines):
        top = y0 + (height - size) / 2 if len(lines) == 1 else y0 + at * min(height, 1.2 * SIZE)
        yield Item(text, x0, top, min(x1, x0 + 0.6 * size * len(text)), top + size, size=size)


def _box(rect: Any) -> tuple[float, float, float, float]:
    return rect.x, rect.y, rect.x + rect.width, rect.y + rect.height


def _inside(item: Any, x0: float, y0: float, x1: float, y1: float) -> bool:
    return bool(x0 <= item.x + item.width / 2 <= x1 and y0 <= item.y + item.height / 2 <= y1)
