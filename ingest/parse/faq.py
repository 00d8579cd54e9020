"""Questions and their answers, where an author marked them: `Q: ... A: ...`, `问：... 答：...`, `【问】... 【答】...`.

Only the marks of an author count, never a question mark. The marks themselves are dropped: the block's kind says it.
"""

from __future__ import annotations

import re

_MARK_END = r"[^\S\n]{0,3}[:：.．、][^\S\n]*(?=\S)"
_COUNT = r"[^\S\n]{0,3}\d{0,4}"
_HAN_COUNT = r"[^\S\n]{0,3}[\d一二三四五六七八九十]{0,4}"


def _marked(latin: str, han: str) -> re.Pattern[str]:
    """`Q:`, `问 3：`, or in brackets: `【问】`."""
    mark = rf"(?:(?:{latin}){_COUNT}|(?:{han}){_HAN_COUNT})"
    return re.compile(rf"(?:{mark}{_MARK_END}|[【\[〔]{mark}[】\]〕](?:{_MARK_END}|[^\S\n]*(?=\S)))", re.IGNORECASE)


_ASK = _marked("q|question|faq", "问题|問題|问|問|質問|질문|문")
_REPLY = _marked("a|answer", "回答|答案|解答|答|답변|답")
_RUN_ON = re.compile(rf"(?<=[?？])[^\S\n]*(?={_REPLY.pattern})", re.IGNORECASE)
"""Where the answer follows its question on the same line."""
_SECOND_CHOICE = re.compile(r"\s*(?:[-*] )?B[.．、)）]", re.MULTILINE)
_MAY_START = frozenset("QqAaFf问問回答解質질문답【[〔")


def may_start(text: str) -> bool:
    """A cheap test before the expressions below: most paragraphs start otherwise."""
    return text[:1] in _MAY_START


def is_marked(text: str) -> bool:
    """Whether a line begins a question or an answer beyond doubt: a colon or brackets, since `A. Smith` may be a name."""
    found = (_ASK.match(text) or _REPLY.match(text)) if may_start(text) else None
    return found is not None and found.group().rstrip()[-1:] in ":：】]〕"


def is_second_choice(text: str) -> bool:
    """Whether a line or paragraph is the second of several to choose from, so that `A. ...` before it was the first."""
    return _SECOND_CHOICE.match(text) is not None


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
    text = _RUN_ON.sub("\n", text)
    pairs: list[tuple[list[str], list[str]]] = []
    for line in text.split("\n"):
        if match := _ASK.match(line):
            pairs.append(([line[match.end() :]], []))
        elif match := _REPLY.match(line):
            pairs[-1][1].append(line[match.end() :])
        else:
            question, answer = pairs[-1]
            if len(answer) == 1 and is_second_choice(line):
                return None
            (answer or question).append(line)
    if not all(answer for _, answer in pairs):
        return None
    return [(" ".join(map(str.strip, q)), "\n".join(map(str.strip, a))) for q, a in pairs]
