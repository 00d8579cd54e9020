"""Headings of a document that has no heading styles: lines that stand out by number, size or weight.

Asked only where styles and outline levels say nothing. A heading made by hand is short, ends no sentence, and has something
below it; its level is that of its number, else the rank of its size among such lines.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from ingest.model.document import Block
from ingest.parse.numbering import RANKS, numbered
from ingest.parse.office.word_story import Look

LONGEST = 60
LARGER = 1.12
"""Times the size of the body text, from which a line is set as a heading (as in PDF)."""
MOST_SHARE = 0.4
"""Where more than this share of the paragraphs stand out, standing out says nothing."""

_ENDS_A_SENTENCE = re.compile(r"[.。；;，,！!：:…、]$")
_BY_HAND = {"part": 1, "chapter": 1, "section": 2, "article": 3, "han": 1, "han_bracket": 2}


def with_headings(blocks: list[Block], looks: list[Look]) -> list[Block]:
    """Return `blocks` with lines that look like headings made into such, or as they are where there are headings."""
    if any(block.kind == "heading" and block.layer == "body" for block in blocks):
        return list(blocks)
    made = list(blocks)
    body = _body_size(looks)
    last = max((at for at, block in enumerate(blocks) if block.layer == "body"), default=-1)
    short = [look for look in looks if look.block != last and _is_short(blocks[look.block].text)]
    large = [look for look in short if look.size >= LARGER * body and numbered(blocks[look.block].text) is None]
    if len(large) > MOST_SHARE * len(looks):
        large = []
    ranks = {size: rank for rank, size in enumerate(sorted({look.size for look in large}, reverse=True), start=1)}
    for look in large:
        made[look.block] = _heading(made[look.block], ranks[look.size], "size", 0.6)
    for look in short:
        block = made[look.block]
        found = numbered(block.text)
        if found is not None and (look.bold or look.size >= LARGER * body):
            level = _BY_HAND.get(found.family) or RANKS.index(found.family) - RANKS.index("decimal1") + 1
            made[look.block] = _heading(block, level + len(ranks), "numbering", 0.7)
    return made


def _body_size(looks: list[Look]) -> int:
    sizes: Counter[int] = Counter()
    for look in looks:
        sizes[look.size] += look.letters
    return max(sizes, key=lambda size: (sizes[size], -size), default=21)


def _is_short(text: str) -> bool:
    return len(text) <= LONGEST and "\n" not in text and not _ENDS_A_SENTENCE.search(text)


def _heading(block: Block, level: int, evidence: str, confidence: float) -> Block:
    return replace(block, kind="heading", level=min(level, 6), evidence=evidence, confidence=confidence)
