"""What a text states in numbers: of which property, how much, in which unit, limited to which side.

    单节点默认最多接受 20000 个并发连接。     ->  {节点, 并发连接}, 20000, most
    A node accepts up to 20,000 connections.  ->  {node, connect}, 20000, most

Only what is plain is read: one number in a clause that states something. Numbers of a table, of an example, of another time,
dates, versions, codes and numbers of headings are passed over: the reader of an answer is warned seldom, and rightly. The words
are data (`measures.toml`).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from indexes.bm25.terms import query_terms
from indexes.query.numbers import of_english, of_han
from ingest.chunk.sentences import sentences

_HAN = "\u3400-\u9fff"
_DIGITS = r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_COUNTED = "个条台名位项份张块次人套件种天秒分小周年月瓦"
"""What stands behind a number that is written in Han: elsewhere `一` and `十` are parts of words."""
_HAN_NUMBER = (
    rf"(?<![{_HAN}])(?P<alone>[零一二两三四五六七八九十百千万]+)"
    rf"|(?<=[{_HAN}\s])(?P<han>[一二两三四五六七八九十百千万]+(?=[{_COUNTED}]))"
)
_EN_NUMBER = (
    r"(?P<word>(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)"
    r"(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.,/\-–+#&])(?<!\d:)(?:{_DIGITS}|{_HAN_NUMBER}|{_EN_NUMBER})"
    r"(?P<times>\s?[万亿](?!一))?(?![\d\-–/:]|\.\d|[a-z]*\d)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\d{4}\s?[年/\-.]\s?\d{1,2}|\d{1,2}\s?月\s?\d{1,2}\s?[日号]|第\s?[\d一二三四五六七八九十]+|\b(?:19|20)\d\d\b|版本?\s?\d|\bv\d"
)
_CLAUSE = re.compile(r"[，,；;。！!？?\n（()）]|\.(?=\s|$)|\s(?:and|but|while|whereas|或者|而且|并且)\s")
_LIST = re.compile(r"[|\t]|\s{3,}")
_EN_WORD = re.compile(r"[A-Za-z][A-Za-z'’\-]*")
_NUMERIC = re.compile(rf"\d|[零一二两三四五六七八九十百千万]|{_EN_NUMBER}", re.IGNORECASE)
"""What every number that is read has in it: most lines of prose have nothing of it, and are not taken apart."""
_KNOWN = 1024
"""Texts whose clauses are remembered: those that a server gives again and again."""

Side = Literal["most", "least", ""]


@dataclass(frozen=True, slots=True)
class Measure:
    """`of`: words of the property, as terms or stretches of Han. `kind`: kind of quantity, empty for a mere count. `names`: codes
    and capitalised words of the clause, which tell things apart. `clause`: where it is said."""

    of: frozenset[str]
    number: float
    kind: str
    side: Side
    names: frozenset[str]
    clause: str
    told: str


def measures(text: str, about: Sequence[str] = ()) -> list[Measure]:
    """Return what a text states in numbers, in order. `about`: names of what it speaks of, which are no part of a property."""
    names = [re.escape(name) for name in sorted(map(_folded, about), key=len, reverse=True) if name]
    known = re.compile("|".join(names)) if names else None
    return [found for clause in _stating(text) if (found := _measure(clause, known)) is not None]


@lru_cache(_KNOWN)
def _stating(text: str) -> tuple[str, ...]:
    """The clauses of a text that state one number."""
    return tuple(filter(_states, _clauses(text)))


def _clauses(text: str) -> Iterator[str]:
    """Those of lines that have numbers at all."""
    for line in text.splitlines():
        if _NUMERIC.search(unicodedata.normalize("NFKC", line)):
            yield from _clauses_of(line)


def _clauses_of(line: str) -> Iterator[str]:
    for sentence in () if _LIST.search(line) else sentences(line):
        if not _any_of("elsewhere").search(sentence.casefold()):
            yield from filter(None, (clause.strip() for clause in _CLAUSE.split(_joined(sentence))))


def _joined(sentence: str) -> str:
    """Thousands as they are counted: their commas part no clauses."""
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", unicodedata.normalize("NFKC", sentence))


def _states(clause: str) -> bool:
    return len(clause) <= _LONGEST and sum(1 for _ in _NUMBER.finditer(clause)) == 1 and _DATED.search(clause) is None


def _measure(clause: str, known: re.Pattern[str] | None) -> Measure | None:
    match = _NUMBER.search(clause)
    if match is None:
        return None
    number = _value(match)
    before, after = clause[: match.start()], clause[match.end() :]
    unit = _UNIT.match(after)
    kind, times, rest = "", 1.0, after
    if unit is not None and (quantity := _unit(unit.group().strip())) is not None:
        (kind, times), rest = quantity[:2], after[quantity[2] + len(unit.group()) - len(unit.group().lstrip()) :]
    said = _folded(f"{before} {rest}")
    of = _property(known.sub(" ", said) if known is not None else said)
    if number is None or not of:
        return None
    told = f"{match.group()}{after[: len(after) - len(rest)]}".strip()
    return Measure(of, number * times, kind, _side(clause), _names(f"{before} {rest}"), clause, told)


_LONGEST = 120
_UNIT = re.compile(rf"\s?(?:[%℃]|[{_HAN}]{{1,4}}|[A-Za-z]+(?:\s[a-z]+)?)")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _value(match: re.Match[str]) -> float | None:
    times = {"万": 1e4, "亿": 1e8}.get((match["times"] or "").strip(), 1.0)
    if match["digits"]:
        return float(match["digits"].replace(",", "")) * times
    if match["word"]:
        return float(of_english(match["word"])) * times
    return float(of_han(match["alone"] or match["han"]) or 0) or None


def _unit(text: str) -> tuple[str, float, int] | None:
    """Kind, factor and length of the longest unit that `text` begins with."""
    folded = text.casefold()
    units: dict[str, tuple[str, float]] = _read()["units"]
    for length in range(len(folded), 0, -1):
        for form in (folded[:length], folded[:length].removesuffix("s")):
            whole = length == len(folded) or not (folded[length - 1].isascii() and folded[length].isalpha())
            if form in units and whole and form:
                kind, times = units[form]
                return kind, float(times), length
    return None


def _side(clause: str) -> Side:
    folded = clause.casefold()
    if _any_of("most").search(folded):
        return "most"
    return "least" if _any_of("least").search(folded) else ""


def _property(text: str) -> frozenset[str]:
    """What is left of a clause without what says nothing of the property: stems, and stretches of Han."""
    words = [word for word in _EN_WORD.findall(text) if word not in _words()["neutral_en"]]
    stems = {term for word in words for term in query_terms(word) if term not in _neutral_stems()}
    han = _neutral_han().sub(" ", re.sub(rf"[^{_HAN}]", " ", text))
    return frozenset(stems | {part for part in han.split() if len(part) > 1})


def _names(text: str) -> frozenset[str]:
    """Words with digits or capitals inside a clause."""
    found = re.findall(r"[A-Za-z0-9][\w.\-/]*", text)
    return frozenset(
        word.casefold() for at, word in enumerate(found)
        if any(map(str.isdigit, word)) or (word[0].isupper() and (at or len(word) > 1 < sum(map(str.isupper, word))))
    )


@cache
def _any_of(listed: str) -> re.Pattern[str]:
    """Words of other scripts than Han stand by themselves: `min` is not in `minutes`."""
    words = (word.strip() for word in _words()[listed])
    return re.compile("|".join(rf"(?<![a-z]){re.escape(word)}(?![a-z])" if word.isascii() else re.escape(word) for word in words))


@cache
def _neutral_han() -> re.Pattern[str]:
    listed = sorted({*_words()["neutral_zh"], *_words()["counters"]}, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, listed)))


@cache
def _neutral_stems() -> frozenset[str]:
    return frozenset(term for word in _words()["neutral_en"] for term in query_terms(word))


def _words() -> dict[str, list[str]]:
    listed: dict[str, list[str]] = _read()["words"]
    return listed


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("measures.toml").read_text(encoding="utf-8"))
