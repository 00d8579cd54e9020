"""A text as what stands in it one after the other: Han characters and words, the names among them, and what two texts share.

    units("云脉网关的 TLS 证书")  ->  云 脉 网 关 的 tls 证 书
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.chunk.words import words

HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_WORD = re.compile(rf"[^\W_{HAN}]+(?:[.\-_/'’&+][^\W_{HAN}]+)*")
UNIT = re.compile(rf"[{HAN}]|{_WORD.pattern}")
_ASCII_UNIT = re.compile(r"[a-z0-9]+(?:[.\-_/'&+][a-z0-9]+)*")
"""The same of a text in ASCII and lower case: without classes of Unicode it is found in three fifths of the time."""
ISOLATED = re.compile(rf"[{HAN}]")
HAN_RUN = re.compile(rf"[{HAN}]+")
NUMBER = re.compile(r"[vV]?\d+(?:[.\-:/]\d+)*")
_CAPITAL = re.compile(r"[A-Z][\w'’&+-]*")
_SENTENCE = re.compile(r"(?:^|[.?!:;]\s+|[\"“(]\s*)$")
ASKING_HAN = frozenset("的了在是给和与把被买用有对为从到向于能可要会怎请问哪几多少什么谁何吗呢吧多久长大高")
PLAIN_WORDS = words("""
    a an the of to in on at for from with by and or is are was were be been do does did can could will would should must may what
    which who whom whose when where why how many much long often far i you we they he she it its this that these those please
    tell me give show list find explain describe get use using set there any some my your our
""")

_NO_NAMES = PLAIN_WORDS | words("""
    january february march april may june july august september october november december monday tuesday wednesday thursday friday
    saturday sunday
""")
_ABBREVIATION = 4
"""Capitals of a word that is a kind of thing (CPU, API, RAM, VLAN) as often as a name."""


def units(text: str) -> list[str]:
    """Han characters one by one, and words, in lower case."""
    if text.isascii():
        return _ASCII_UNIT.findall(text.lower())
    found = UNIT.findall(text)
    return " ".join(found).casefold().split(" ") if found else []


def is_han(text: str) -> bool:
    """Whether a text is Chinese: it has as many Han characters as other words. Numbers, and a name in another script, change
    nothing."""
    if text.isascii():
        return False
    han = sum(map(len, HAN_RUN.findall(text)))
    others = sum(not word[0].isdigit() for word in _WORD.findall(text))
    return han >= others and han + others > 0


def proper_names(query: str) -> list[str]:
    """Capitalised words inside sentences, and at their beginning where another follows; two side by side are one name."""
    written = [(match.group(), match.start()) for match in re.finditer(rf"[^\W_{HAN}]+(?:['’&+.\-][^\W_{HAN}]+)*", query)]
    capital = [
        bool(_CAPITAL.fullmatch(word)) and word.casefold() not in _NO_NAMES and not any(map(str.isdigit, word))
        and not _is_short(word)
        for word, _ in written
    ]
    found = []
    for at, (word, start) in enumerate(written):
        if not capital[at]:
            continue
        follows = at + 1 < len(written) and capital[at + 1] and written[at + 1][1] == start + len(word) + 1
        if follows:
            found.append(f"{word} {written[at + 1][0]}".casefold())
        elif not _SENTENCE.search(query[:start]) and not (at and capital[at - 1]):
            found.append(word.casefold())
    return found


def _is_short(word: str) -> bool:
    return 1 < len(word) <= _ABBREVIATION and word.isascii() and word.isalpha() and word.isupper()


def common(asked: Sequence[str], named: Sequence[str]) -> list[tuple[int, int]]:
    """The stretches of `asked` that stand in `named` and cannot be longer: two Han characters, or one other word, at least."""
    text = " " + " ".join(named) + " "
    found: list[tuple[int, int]] = []
    for start, unit in enumerate(asked):
        if unit not in named:
            continue
        end = start + 1
        while end < len(asked) and f" {' '.join(asked[start : end + 1])} " in text:
            end += 1
        if (not found or end > found[-1][1]) and _says_something(asked[start:end]):
            found.append((start, end))
    return found


def _says_something(units: Sequence[str]) -> bool:
    han = [unit for unit in units if ISOLATED.fullmatch(unit) and unit not in ASKING_HAN]
    return len(han) >= 2 or any(not is_bare(unit) and not ISOLATED.fullmatch(unit) for unit in units)


def is_bare(unit: str) -> bool:
    """Whether a unit sets nothing apart: none, a number, a word that only joins."""
    return not unit or unit in PLAIN_WORDS or unit in ASKING_HAN or bool(NUMBER.fullmatch(unit))
