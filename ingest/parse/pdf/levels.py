"""The level of each heading, from all of them together.

Levels that the document names (tags, bookmarks, printed contents) stand. For the rest sizes are ranked first, then numbers
correct them, because 2.1 is below 2 whatever the type says: a number's family sets the level, style ranks inside it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from ingest.parse.numbering import RANKS, numbered
from ingest.parse.pdf.page import Paragraph

MANY = 10
"""Headings from which a style that only one of them has is an exception."""

Style = tuple[float, bool]


def _style(paragraph: Paragraph) -> Style:
    return round(paragraph.size * 2) / 2, all(line.bold for line in paragraph.lines)


def _family(paragraph: Paragraph) -> str:
    found = numbered(paragraph.text)
    return found.family if found is not None else ""


def set_levels(found: Sequence[Paragraph]) -> None:
    """Give each heading without a level of its own one: rank its style, let its number's family overrule, keep to 1 to 6."""
    open_ones = [paragraph for paragraph in found if not paragraph.level]
    named = [paragraph for paragraph in found if paragraph.level]
    if not open_ones:
        return
    if named:
        _set_beside(open_ones, named)
        return
    level_of = _ranked(open_ones)
    families: dict[str, list[int]] = defaultdict(list)
    for paragraph in open_ones:
        if family := _family(paragraph):
            families[family].append(level_of[_style(paragraph)])
    settled: dict[str, int] = {}
    above = 0
    for family in (family for family in RANKS if family in families):
        usual = sorted(families[family])[len(families[family]) // 2]
        settled[family] = above = max(usual, above + 1)
    by_style: dict[Style, int] = {}
    for paragraph in open_ones:
        if family := _family(paragraph):
            style = _style(paragraph)
            by_style[style] = min(by_style.get(style, 9), settled[family])
    for paragraph in open_ones:
        family, style = _family(paragraph), _style(paragraph)
        paragraph.level = min(settled[family] if family else by_style.get(style, level_of[style]), 6)


def _set_beside(open_ones: Sequence[Paragraph], named: Sequence[Paragraph]) -> None:
    """Give headings the level of those named ones that look alike, or one below the next larger."""
    level_of: dict[Style, int] = {}
    for paragraph in named:
        style = _style(paragraph)
        level_of[style] = min(level_of.get(style, 6), paragraph.level)
    for paragraph in open_ones:
        style = _style(paragraph)
        larger = [level for other, level in level_of.items() if other > style]
        paragraph.level = level_of.get(style) or min(max(larger, default=0) + 1, 6)


def _ranked(open_ones: Sequence[Paragraph]) -> dict[Style, int]:
    """Level of each style by its size and weight. A style seen once among many (on a cover) takes the level of the next smaller
    one, so that it does not push the others down; the largest stays what it is, the title."""
    counts = Counter(_style(paragraph) for paragraph in open_ones)
    usual = [style for style in counts if counts[style] > 1 or style == max(counts) or len(open_ones) < MANY]
    ranks = _merged(sorted(usual, reverse=True))
    for style in counts.keys() - ranks.keys():
        ranks[style] = min((ranks[other] for other in usual if other < style), default=max(ranks[other] for other in usual))
    return ranks


def _merged(styles: Sequence[Style]) -> dict[Style, int]:
    """Rank styles from the largest down; sizes half a point apart, of one weight, are one style seen twice."""
    ranks: dict[Style, int] = {}
    before: Style | None = None
    rank = 0
    for style in styles:
        if before is None or before[0] - style[0] > 0.5 or before[1] != style[1]:
            rank += 1
        ranks[style] = rank
        before = style
    return ranks
