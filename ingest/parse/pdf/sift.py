"""What a reader of a page would see is kept; the rest is counted, with a sample, and dropped.

Dropped: hidden text (`visible`), and texts drawn twice at one place (bold by overprinting, a second text layer).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.parse.pdf.page import Item, Page, Side, as_shown
from ingest.parse.pdf.sheets import Sheets
from ingest.parse.pdf.visible import Surface

SAMPLE = 80
NEARLY = 1.0
"""Points; a text drawn again within two of them is the same text."""


def sift(page: Page, sheets: Sheets) -> None:
    """Take from a page what cannot be seen; it is counted in `page.hidden` by reason."""
    surface = Surface.of(sheets.page(page.number), page.width, page.height)
    for turn, side in page.sides.items():
        secrets: list[str] = []
        side.items = list(_seen(page, turn, side.items, surface, secrets))
        if secrets:
            side.offered = [replace(one, rows=tuple(_rid(row, secrets) for row in one.rows)) for one in side.offered]
    page.sides = {turn: side for turn, side in page.sides.items() if side.items or side.strokes} or {0: Side()}


def _seen(page: Page, turn: int, items: Iterable[Item], surface: Surface, secrets: list[str]) -> Iterable[Item]:
    places: set[tuple[str, int, int]] = set()
    for item in items:
        if _is_repeated(item, places):
            continue
        reason = surface.hides(as_shown(item, turn, page.width, page.height), item.size, item.colour)
        if not reason:
            yield item
            continue
        page.hidden[reason] += 1
        page.samples.setdefault(reason, item.text[:SAMPLE])
        page.dropped.append((turn, item, reason))
        secrets.append(item.text)


def _is_repeated(item: Item, places: set[tuple[str, int, int]]) -> bool:
    """Whether the same text was drawn at nearly the same place before."""
    x, y = round(item.x0 / NEARLY), round(item.y0 / NEARLY)
    if any((item.text, x + across, y + down) in places for across in (-1, 0, 1) for down in (-1, 0, 1)):
        return True
    places.add((item.text, x, y))
    return False


def _rid(row: Sequence[str], secrets: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a row without the texts that cannot be seen."""
    out = []
    for text in row:
        for secret in secrets:
            text = text.replace(secret, "")
        out.append(" ".join(text.split()))
    return tuple(out)
