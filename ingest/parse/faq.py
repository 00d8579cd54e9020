"""Questions and their answers, where an author marked them: `Q: ... A: ...`, `问：... 答：...`.

Only the marks of an author count, never a question mark. The marks themselves are dropped: the block's kind says it.
"""

from __future__ import annotations

import re

_MARK_END = r"[^\S\n]{0,3}[:：.．、][^\S\n]*(?=\S)"
_COUNT = r"[^\S\n]{0,3}\d{0,4}"
_HAN_COUNT = r"[^\S\n]{0,3}[\d一二三四五六七八九十]{0,4}"
_ASK = re.compile(rf"(?:(?:q|question|faq){_COUNT}|(?:问题|問題|问|問){_HAN_COUNT}){_MARK_END}", re.IGNORECASE)
_REPLY = re.compile(rf"(?:(?:a|answer){_COUNT}|(?:回答|答案|解答|答){_HAN_COUNT}){_MARK_END}", re.IGNORECASE)
_MAY_START = frozenset("QqAaFf问問回答解")


def may_start(text: str) -> bool:
    """A cheap test before the expressions below: most paragraphs start otherwise."""
    return text[:1] in _MAY_START


def question_in(text: str) -> str | None:
    """Return the question if `text` is one marked question and nothing else."""
    match = _ASK.match(text)
    return text[match.end() :].strip() if match and "\n" not in text.strip() else None


def answer_in(text: str) -> str | None:
    """Return the answer if `text` is a marked answer."""
    match = _REPLY.match(text)
    return text[match.end() :].strip() if match else None


def pairs_in(text: str) -> list[tuple[str, str]] | None:
    """Return the (question, answer) pairs of a paragraph whose lines are marked by turns; None unless every pair is whole."""
    if not _ASK.match(text):
        return None
    pairs: list[tuple[list[str], list[str]]] = []
    for line in text.split("\n"):
        if match := _ASK.match(line):
            pairs.append(([line[match.end() :]], []))
        elif match := _REPLY.match(line):
            pairs[-1][1].append(line[match.end() :])
        else:
            question, answer = pairs[-1]
            (answer or question).append(line)
    if not all(answer for _, answer in pairs):
        return None
    return [(" ".join(map(str.strip, q)), "\n".join(map(str.strip, a))) for q, a in pairs]
