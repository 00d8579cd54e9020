"""Fragments of a zone become its lines, from top to bottom; tables told by alignment alone are found among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ingest.parse.pdf.fragments import Fragment, share_line
from ingest.parse.pdf.page import Area, Item, Line
from ingest.parse.pdf.text import side_by_side
from ingest.parse.pdf.unruled import unruled


def elements_of(fragments: Sequence[Fragment]) -> list[Line | Area]:
    """Return the lines and tables of a zone, from top to bottom."""
    rows: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda f: (f.middle, f.x0)):
        row = rows[-1] if rows else None
        if row is not None and fragment.area is None and row[0].area is None and any(share_line(f, fragment) for f in row):
            row.append(fragment)
        else:
            rows.append([fragment])
    out: list[Line | Area] = []
    for found in unruled([sorted(row, key=lambda f: f.x0) for row in rows]):
        if isinstance(found, Area):
            out.append(found)
        else:
            out.append(found[0].area or _line([item for f in found for item in f.items]))
    return out


def _line(items: list[Item]) -> Line:
    weights: Counter[float] = Counter()
    for item in items:
        weights[item.size] += len(item.text)
    total = sum(weights.values())
    tagged = Counter({item.tagged: 0 for item in items})
    fonts: Counter[str] = Counter()
    for item in items:
        tagged[item.tagged] += len(item.text)
        fonts[item.font] += len(item.text)
    return Line(
        text=side_by_side(items),
        x0=min(item.x0 for item in items),
        y0=min(item.y0 for item in items),
        x1=max(item.x1 for item in items),
        y1=max(item.y1 for item in items),
        size=max(weights, key=lambda size: (weights[size], size)),
        bold=sum(len(item.text) for item in items if item.bold) >= 0.8 * total,
        mono=sum(len(item.text) for item in items if item.mono) >= 0.9 * total,
        tagged=tagged.most_common(1)[0][0],
        italic=sum(len(item.text) for item in items if item.italic) >= 0.8 * total,
        font=fonts.most_common(1)[0][0],
    )
