"""Sentences that introduce something, and the numbered paragraphs that they introduce: 下列人员：（一）……（二）…….

Laws, contracts and Word documents number their items by hand, so that they are paragraphs and no list. What introduces them
goes into the prefix of a child that begins with a later one, as it would be repeated in front of the items of a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.chunk.piece import Budget, Lead
from ingest.chunk.prefix import shortened
from ingest.chunk.sections import Placed
from ingest.chunk.sentences import sentence_ends
from ingest.chunk.units import measure

_MARK = re.compile(
    r"\s*(?:(?P<han_bracket>[（(][一二三四五六七八九十]{1,3}[）)])|(?P<bracket>[（(]\d{1,3}[）)])|(?P<half>\d{1,3}[）)])"
    r"|(?P<han>[一二三四五六七八九十]{1,3}、)|(?P<decimal>\d{1,3}(?:[、．]|\.(?!\d)))|(?P<ring>[①-⑳])|(?P<letter>[（(]?[a-z][）)]))\s*(?=\S)"
)
_BEGINS = frozenset("（(0123456789一二三四五六七八九十①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳abcdefghijklmnopqrstuvwxyz")
"""A cheap test before the expression: most paragraphs begin otherwise."""
_AS_FOLLOWS = re.compile(
    r"(?:如下|如下所示|见下表|下表所示|as follows|the following(?: [\w-]+){0,3}|(?:listed|shown|given) (?:below|here))\s*[。.]?$",
    re.IGNORECASE,
)
_TAIL = 60
"""Characters in which a lead-in says what it is."""
_WORTH = 8
"""With less room than this (four characters) an introduction is left out."""
_SHARE = 12
"""A sentence takes two thirds of a child at most and what is repeated a quarter: this part of it is left for an introduction."""


def leads_in(before: Placed, text: str) -> bool:
    """Whether a paragraph, or an answer, introduces what follows it."""
    if before.block.kind not in ("paragraph", "faq"):
        return False
    if text[before.end - 1] in ":：":
        return True
    return _AS_FOLLOWS.search(text, max(before.start, before.end - _TAIL), before.end) is not None


def last_sentence(placed: Placed, text: str) -> int:
    """Return where the last sentence of a paragraph begins."""
    ends = sentence_ends(text[placed.start : placed.end])
    return placed.start + (ends[-2] if len(ends) > 1 else 0)


def begins_item(placed: Placed) -> bool:
    """Whether a paragraph begins with the number of an item."""
    return placed.block.kind == "paragraph" and _MARK.match(placed.block.text) is not None


def introductions(blocks: Sequence[Placed], text: str, budget: Budget) -> dict[int, Lead]:
    """Return what introduces the paragraphs that are items, but for the first of each, by their indexes."""
    found: dict[int, Lead] = {}
    room = min(budget.columns, budget.most // _SHARE)
    if room < _WORTH:
        return found
    around: list[tuple[str, Lead]] = []
    before: Placed | None = None
    for index, placed in enumerate(blocks):
        kind = placed.block.kind
        if kind == "footnote":
            continue
        mark = _MARK.match(placed.block.text) if kind == "paragraph" and text[placed.start] in _BEGINS else None
        family = mark.lastgroup or "" if mark else ""
        if kind in ("paragraph", "heading") and not mark:
            around.clear()
        elif mark and family in (known for known, _ in around):
            while around[-1][0] != family:
                around.pop()
            found[index] = around[-1][1]
        elif mark and before is not None and leads_in(before, text):
            around.append((family, _told(before, text, room)))
        before = placed
    return found


def _told(introducing: Placed, text: str, room: int) -> Lead:
    """The last sentence of the paragraph, as it goes into a prefix."""
    told = shortened(" ".join(text[last_sentence(introducing, text) : introducing.end].split()), room)
    return Lead(told, measure(told))
