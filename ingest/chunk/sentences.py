"""Where sentences end, in Chinese, English and text that mixes them.

Rules of ours: every mark that could end a sentence is found, and a few questions about its neighbours decide. Sentence libraries
know one language at a time and cost more than the rest of chunking together (pysbd: a hundredth of the speed, and of 31 ends in
27 texts in Chinese, English and both, which these rules find, it finds 28 and two that are none), and none promises what is
promised here: the sentences are slices that follow one another without gaps.
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters, ascii_uppercase, digits

from ingest.chunk.words import words

_OPENERS = "\"'“‘「『（【《〈([{"
_CLOSERS = "\"'”’」』）】》〉)\\]}＂＇"
_ASCII_MARKS = ".!?"
_MARKS = _ASCII_MARKS + "。！？；…｡．؟۔।॥"
_CANDIDATE = re.compile(rf"(?P<marks>[{_MARKS}]+)[{_CLOSERS}]*(?:\[(?:note )?[A-Za-z0-9*†‡]{{1,4}}\]|[¹²³⁴-⁹])*\s*")
"""Takes whatever follows a mark, so that a million dots are read once. The number of a note belongs to the sentence that it
stands behind."""

_SAID = re.compile(r"(?:[\u4e00-\u9fff]{1,4})?(?:说|道|问|答|喊|叫|表示|写道)(?:着|了)?[。，！？]|と(?!はいえ|ころ|いうわけ)")
"""What goes on behind a quotation: “好吧。”他说。"""

_FULL_STOPS = frozenset("。！？；｡")
_GOES_ON = frozenset("，、,；;：:。.！!？?")
"""What cannot begin a sentence: a mark in front of these closed a quotation or a name, not a sentence."""

_LOOK_BACK = 24
"""Characters in front of a full stop in which its word is looked for."""

_LAST_WORD = re.compile(r"[A-Za-z][A-Za-z.]*$")
_NEXT_WORD = re.compile(rf"[{re.escape(_OPENERS)}]*([A-Za-z]+|\d)?")

_ALWAYS_SHORT = words("""
    dr mr mrs ms messrs mme prof gen col capt cpt lt sgt cmdr adm rev hon sen rep gov pres mt ft e.g i.e eg ie cf vs viz
""")
"""Abbreviations that always have something after them."""

_SHORT_BEFORE_NUMBER = words("""
    no nos nr fig figs sec secs vol vols p pp ch chap eq eqs art tab ref refs ver v para item st ca
""")
"""Abbreviations in front of a number or a letter; otherwise words like any other."""

_SHORT_OR_LAST = words("""
    etc al inc ltd co corp plc llc bros jr sr dept est approx avg max min ed eds univ assn ave blvd rd
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
""")
"""Abbreviations that may also close a sentence: then the next word is one that sentences begin with."""

_BEGINNERS = words("""
    the a an in on at it its he she they we you i this that these those there here however but and if when while for as after
    before since although because all most many some such no not our his her their my your to by with from what why how where
    who which please note use see once then thus therefore each every both
""")
_CAPITALS = frozenset(ascii_uppercase)
_WORDS = frozenset(ascii_letters + digits)
_LONG_WORD = 5
_SHORT_TAILS = frozenset(short[-_LONG_WORD:] for short in _ALWAYS_SHORT | _SHORT_BEFORE_NUMBER | _SHORT_OR_LAST)
"""How abbreviations of that length end."""

_LETTERS_AND_DOTS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]|[A-Za-z]{1,3}\.[A-Z]")


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`; joined they are `text` again, white space staying with the sentence before it."""
    ends = sentence_ends(text)
    return [text[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)] if text else []


@lru_cache(maxsize=64)  # packing asks for a paragraph when it weighs a cut behind it, and again when it cuts there
def sentence_ends(text: str) -> tuple[int, ...]:
    """Return where each sentence of `text` ends (and the next begins), the last one at `len(text)`."""
    ends: list[int] = []
    start = reached = 0
    size = len(text)
    # Where nothing is written with a capital, a small letter does not say that the sentence goes on.
    caseless = text.islower()
    for at in _marks(text):
        if at < reached or (text[at] == "." and text[at + 1 : at + 2] in _WORDS):
            continue  # one of several marks, or inside a number or an address
        found = _CANDIDATE.match(text, at)
        assert found is not None, "a mark is the beginning of a candidate"
        reached = end = found.end()
        if end < size and (_surely(text, at, end, caseless) or _ends_here(text, start, found, caseless)):
            ends.append(end)
            start = end
    ends.append(size)
    return tuple(ends)


def _marks(text: str) -> list[int]:
    """Where the marks stand that could end a sentence. Looking for one after the other is several times as fast as for any."""
    places: list[int] = []
    for mark in _ASCII_MARKS if text.isascii() else _MARKS:
        at = text.find(mark)
        while at >= 0:
            places.append(at)
            at = text.find(mark, at + 1)
    places.sort()
    return places


def _surely(text: str, mark: int, end: int, caseless: bool) -> bool:
    """The two plain cases, which are nearly all: a Chinese full stop, or a long word, a mark, a space and a capital (anything,
    where there are none)."""
    if text[mark] in _FULL_STOPS:
        return text[end] not in _GOES_ON and not (text[end - 1] in "”」』" and _SAID.match(text, end))
    word = text[mark - _LONG_WORD : mark] if mark >= _LONG_WORD else ""
    begins = caseless or text[end] in _CAPITALS
    return begins and text[end - 1].isspace() and word.isalpha() and word.islower() and word not in _SHORT_TAILS


def _ends_here(text: str, start: int, found: re.Match[str], caseless: bool) -> bool:
    end, marks = found.end(), found["marks"]
    following = text[end]
    spaced = text[end - 1].isspace()
    if following in _GOES_ON and not spaced:
        return False
    if not _FULL_STOPS.isdisjoint(marks):
        return not (text[end - 1] in "”」』" and _SAID.match(text, end))
    if "…" in marks:
        return caseless or not following.islower()
    if not spaced:
        return _is_script(following) and _ends_before_script(text, start, found.start(), marks)
    if following.islower() and not caseless:
        return False
    return "." not in marks or "!" in marks or "?" in marks or _stops(text, start, found.start(), end, len(marks))


def _is_script(character: str) -> bool:
    return "\u3040" <= character <= "\ud7ff"


def _ends_before_script(text: str, start: int, dot: int, marks: str) -> bool:
    """A Latin mark with Chinese right behind it ends `用 Python.然后`, not `3.安装`, `Dr.李` or `A.I.技术`."""
    if marks not in (".", "．"):
        return True
    before = text[dot - 1 : dot]
    if not before.isascii() or not before.isalpha():
        return before.isalpha() or (bool(before) and before in _CLOSERS)
    found = _LAST_WORD.search(text, max(start, dot - _LOOK_BACK), dot)
    word = found.group() if found else ""
    return word.lower() not in _ALWAYS_SHORT and not _LETTERS_AND_DOTS.fullmatch(word)


def _stops(text: str, start: int, dot: int, end: int, dots: int) -> bool:
    """Whether the full stop at `dot`, with white space and no lower-case letter after it, ends the sentence from `start`."""
    if dots > 1:
        return True
    before = text[max(start, dot - _LOOK_BACK) : dot].split()
    word = before[-1].lstrip(_OPENERS) if before and not text[dot - 1].isspace() else ""
    first = dot - start <= _LOOK_BACK and text[start:dot].strip() == word
    low = word.lower()
    if low in _ALWAYS_SHORT:
        return False
    if word.isdigit():
        # "1. Open the lid" begins with its number; "in 2019. The" ends with one.
        return not first
    if len(word) == 1 and word.isalpha() and first:
        return False
    after = _NEXT_WORD.match(text, end)
    following = (after.group(1) or "") if after else ""
    if low in _SHORT_BEFORE_NUMBER:
        is_name = low == "st" and following.istitle() and following.lower() not in _BEGINNERS
        return not (following.isdigit() or len(following) == 1 or is_name)
    if low in _SHORT_OR_LAST or (len(word) == 1 and word.isupper()) or _LETTERS_AND_DOTS.fullmatch(word):
        return following.lower() in _BEGINNERS
    return True
