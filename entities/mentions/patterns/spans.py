"""All patterns over one text, with spans of the text as written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from entities.folding import WIDTH
from entities.mentions.patterns.organisations_en import organisations_en
from entities.mentions.patterns.organisations_zh import organisations_zh
from entities.mentions.patterns.products import products, versions_behind
from entities.mentions.patterns.standards import standards
from entities.mentions.patterns.words import longest_first
from entities.mentions.span import Span

VERSION = "1"
"""Of all patterns and their words."""


def patterns(text: str) -> list[Span]:
    """Return what patterns propose; spans may overlap."""
    folded = WIDTH(text)
    found: list[Span] = []
    for rule in (standards, organisations_zh, organisations_en, products):
        found.extend(rule(folded.text))
    return [_placed(span, folded.span) for span in found]


def organisations(text: str) -> list[Span]:
    """Return organisations by their form alone: what a known name may be no more than a part of."""
    folded = WIDTH(text)
    return [_placed(span, folded.span) for rule in (organisations_zh, organisations_en) for span in rule(folded.text)]


def is_short(name: str) -> bool:
    """Whether a name is two to four Han characters: short enough to be the beginning of many a longer one."""
    return re.fullmatch(r"[\u3400-\u9fff]{2,4}", name) is not None


def named_on(text: str, end: int) -> int:
    """Where a name that seems to end at `end` ends once words that firms are named by (环保, 科技) follow it directly."""
    match = _trades().match(text, end)
    return end if match is None else match.end()


@cache
def _trades() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(longest_first('trades'))})+")


def behind(text: str, products: Iterable[tuple[int, int]]) -> list[Span]:
    """Return the versions behind known products, given by their spans."""
    folded = WIDTH(text)
    ends = [folded.place(end) for _, end in products]
    return [_placed(span, folded.span) for span in versions_behind(folded.text, ends)]


def _placed(span: Span, place: Callable[[int, int], tuple[int, int]]) -> Span:
    start, end = place(span.start, span.end)
    return span._replace(start=start, end=end)
