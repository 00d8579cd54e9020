"""How much of its section comes with each piece of evidence: within a budget of tokens, the whole of it if it fits.

The texts come first: as many, from the best on, as the budget holds. What it holds besides goes to sections in the same order.
One that does not fit whole is cut around the text that was found, between blocks, else between sentences, but never inside a line
of a table, a code fence or the text itself. Tokens are estimated, at no cost: a Han character, kana or hangul is one, four other
characters are one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+")
_LETTERS_A_TOKEN = 4
_KNOWN = 1024
"""Texts whose tokens are remembered: each piece of an answer is weighed more than once."""
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_SENTENCE_END = re.compile(r"[。！？；…][”’」』）]*|[.!?][\"'”’)]*(?=\s)")
_TABLE_LINE = re.compile(r"^\s*\|")


@lru_cache(_KNOWN)
def estimated(text: str) -> int:
    """Return about how many tokens a model makes of a text."""
    wide = 0 if text.isascii() else sum(map(len, _WIDE.findall(text)))
    return wide + -(-(len(text) - wide) // _LETTERS_A_TOKEN)


def fitting(texts: Sequence[str], tokens: int) -> int:
    """Return how many texts, from the first, the budget holds; the first always counts."""
    left = tokens
    for number, text in enumerate(texts):
        left -= estimated(text)
        if left < 0 and number:
            return number
    return len(texts)


def contexts(pieces: Sequence[tuple[str, str]], tokens: int) -> list[str]:
    """Return for each (text, section) what of the section is given: all, some around the text, or nothing where the budget does
    not hold the text twice. `tokens` is for texts and sections together, and is kept but where texts alone exceed it."""
    left = tokens - sum(estimated(text) for text, _ in pieces)
    given = []
    for text, section in pieces:
        context = around(section, text, left)
        context = context if estimated(context) <= left else ""
        left -= estimated(context)
        given.append(context)
    return given


def around(section: str, text: str, tokens: int) -> str:
    """Return the section if it takes at most `tokens`, else what of it fits around `text`, and `text` at least."""
    if estimated(section) <= tokens:
        return section
    # A text may begin with what is repeated from before it (a sentence, a table's header): it is looked for line by line.
    start, end = _found(section, text)
    if start < 0 or estimated(section[start:end]) > tokens:  # once the budget is spent, no cut need be looked for
        return text
    cuts = _cuts(section)
    first, last = bisect_right(cuts, start) - 1, bisect_left(cuts, end)
    if estimated(section[cuts[first] : cuts[last]]) > tokens:
        return text
    while True:
        ways = [(first, last + 1)] if last + 1 < len(cuts) else []
        ways += [(first - 1, last)] if first else []
        ways = [way for way in ways if estimated(section[cuts[way[0]] : cuts[way[1]]]) <= tokens]
        if not ways:
            return section[cuts[first] : cuts[last]].strip("\n")
        first, last = min(ways, key=lambda way: (cuts[way[1]] - cuts[way[0]], way))


def _found(section: str, text: str) -> tuple[int, int]:
    at = section.find(text)
    while at < 0 and text:
        end = _SENTENCE_END.search(text)
        line = text.find("\n")
        skipped = min((place for place in (end.end() if end else -1, line + 1 if line >= 0 else -1) if place > 0), default=0)
        if not skipped:
            return -1, -1
        text = text[skipped:].lstrip()
        at = section.find(text) if text else -1
    return at, at + len(text)


def _cuts(section: str) -> list[int]:
    """Where a section may be cut, ascending: its ends, ends of lines outside code fences, ends of sentences outside tables."""
    cuts = {0, len(section)}
    closing: str | None = None
    at = 0
    for line in section.splitlines(keepends=True):
        fence = _FENCE.match(line)
        if fence and closing is None:
            closing = fence.group(1)
        elif fence and closing is not None and fence.group(1).startswith(closing):
            closing = None
        if closing is None:
            cuts.add(at + len(line))
            if not _TABLE_LINE.match(line) and not fence:
                cuts.update(at + end.end() for end in _SENTENCE_END.finditer(line))
        at += len(line)
    return sorted(cuts)
