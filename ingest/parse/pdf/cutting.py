"""Texts cut between their words: engines give neighbouring cells as one text when they stand close."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ingest.parse.pdf.page import Item

MORE = 1.5
"""Times a font's own blank that parts two texts."""


def least_gap(item: Item, gap: float) -> float:
    """Return the points that part two texts of an item's font, at least `gap` font sizes."""
    return max(gap, MORE * item.blank) * max(item.size, 1.0)


def usual_blanks(items: Sequence[Item]) -> dict[str, float]:
    """Return the usual width of a blank of each font that can be told, in font sizes."""
    widths: dict[str, list[float]] = {}
    for item in items:
        if len(item.words) > 1 and item.size > 0:
            gaps = (after[0] - before[1] for before, after in pairwise(item.words))
            widths.setdefault(item.font, []).extend(gap / item.size for gap in gaps)
    return {font: sorted(found)[len(found) // 5] for font, found in widths.items()}


def at_gaps(item: Item, gap: float) -> list[Item]:
    """Return the item cut wherever two of its words are further apart than `gap` font sizes, and than a blank."""
    if len(item.words) < 2:
        return [item]
    wide = least_gap(item, gap)
    cuts = [n for n, (before, after) in enumerate(pairwise(item.words), start=1) if after[0] - before[1] > wide]
    return list(_cut(item, cuts)) if cuts else [item]


def at_borders(item: Item, borders: Sequence[float]) -> list[Item]:
    """Return the item cut at each border that lies between two of its words, or (where an engine does not place words) near
    a blank."""
    inner = [border for border in borders if item.x0 + 1 < border < item.x1 - 1]
    if not inner or " " not in item.text:
        return [item]
    if item.words:
        middles = [(x0 + x1) / 2 for x0, x1 in item.words]
        cells = [sum(middle > border for border in inner) for middle in middles]
        return list(_cut(item, [n for n in range(1, len(cells)) if cells[n] != cells[n - 1]]))
    return _by_share(item, inner)


def _cut(item: Item, cuts: Sequence[int]) -> Iterator[Item]:
    """Yield the item in parts that begin at the words `cuts`."""
    texts = item.text.split(" ")
    for start, end in pairwise([0, *cuts, len(texts)]):
        words = item.words[start:end]
        last = end == len(texts)
        yield replace(
            item, text=" ".join(texts[start:end]), x0=words[0][0], x1=words[-1][1], words=words,
            space_after=item.space_after if last else True,
        )


def _by_share(item: Item, borders: Sequence[float]) -> list[Item]:
    parts = []
    rest = item
    for border in borders:
        share = (border - rest.x0) / (rest.x1 - rest.x0)
        blanks = [i for i, char in enumerate(rest.text) if char == " "]
        if not blanks or not 0 < share < 1:
            continue
        at = min(blanks, key=lambda i: abs(i / len(rest.text) - share))
        if abs(at / len(rest.text) - share) < 0.15:
            parts.append(replace(rest, text=rest.text[:at], x1=border - 1))
            rest = replace(rest, text=rest.text[at + 1 :], x0=border + 1)
    return [*parts, rest]
