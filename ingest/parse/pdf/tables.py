"""The tables of a page, most certain first: drawn with lines, between rules, as an engine offers them where it is credible.

What one kind took is not looked at by the next. Tables told by nothing but the alignment of their texts are found later, inside
the columns of the page (`order`), since columns of prose are aligned too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingest.model.document import Table
from ingest.parse.pdf.grid import grids
from ingest.parse.pdf.page import Area, Item, Offered, Side
from ingest.parse.pdf.regions import enclosed
from ingest.parse.pdf.strokes import TOO_MANY, TOO_MANY_JOINED, Stroke, joined
from ingest.parse.pdf.text import is_caption

EDGE, MOST_OF, ALL_OF = 0.06, 0.85, 0.98
"""Share of the page within which its border stands, and of its length from which a line is one, there and anywhere."""
BLEED = 0.02
"""Share of the page within which a line is the edge of its ground."""
_CELL_LETTERS = 120
"""A mean above this is prose set in columns."""


def tables(side: Side, width: float, height: float) -> list[Area]:
    """Return the tables of a side of a page of this size; no item is in two of them."""
    found: list[Area] = []
    free = side.items
    if len(side.strokes) <= TOO_MANY:
        strokes = _without_border(joined(side.strokes), width, height)
        strokes = strokes if len(strokes) <= TOO_MANY_JOINED else []
        used = set()
        for area, group in grids(strokes, free):
            found.append(area)
            used.update(group)
        free = _rest(free, found)
        found += enclosed([stroke for stroke in strokes if stroke not in used], free)
    for offer in side.offered:
        free = _rest(side.items, found)
        credible = None if any(_overlap(offer, area) for area in found) else _credible(offer, free)
        if credible is not None:
            found.append(credible)
    return found


def _without_border(strokes: list[Stroke], width: float, height: float) -> list[Stroke]:
    """Leave out the lines along the edges of the page, and from one to the other: they frame it, whatever it holds."""
    kept = []
    for one in strokes:
        along, across = (width, height) if one.horizontal else (height, width)
        at_edge = one.at < EDGE * across or one.at > (1 - EDGE) * across
        bleeds = one.at < BLEED * across or one.at > (1 - BLEED) * across
        if not bleeds and one.end - one.start < (MOST_OF if at_edge else ALL_OF) * along:
            kept.append(one)
    return kept


def within(item: Item, area: Area | Offered) -> bool:
    """Whether an item's middle lies in a table's area, a point of tolerance around it."""
    x = (item.x0 + item.x1) / 2
    return area.x0 - 1 <= x <= area.x1 + 1 and area.y0 - 1 <= item.middle <= area.y1 + 1


def _rest(items: Sequence[Item], found: Sequence[Area]) -> list[Item]:
    taken = {id(item) for area in found for item in area.owned}
    return [item for item in items if id(item) not in taken] if taken else list(items)


def _overlap(one: Offered, other: Area) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1


def _credible(offer: Offered, free: Sequence[Item]) -> Area | None:
    """Take what an engine offers if it has short texts that fill its columns, and (nearly) all the text of its part of the page.

    Engines take a caption that stands close for the header."""
    rows, y0 = list(offer.rows), offer.y0
    if is_caption(" ".join(text for text in rows[0] if text)):
        below = offer.tops[1] if len(offer.tops) > 1 else None
        rows, y0 = rows[1:], (below if below is not None else y0) - 1
    if len(rows) < 2 + (not offer.headed) or len(rows[0]) < 2:
        return None
    area = Area(offer.x0, y0, offer.x1, offer.y1, Table(tuple(rows), 1))
    area.owned = [item for item in free if within(item, area)]
    filled = [text for row in rows for text in row if text]
    inside = sum(len(item.text.replace(" ", "")) for item in area.owned)
    told = sum(len(text.replace(" ", "")) for text in filled)
    if not filled or not 0.9 * inside <= told <= 1.2 * inside + 5 or len(filled) < 0.5 * len(rows) * len(rows[0]):
        return None
    return area if sum(map(len, filled)) / len(filled) < _CELL_LETTERS else None
