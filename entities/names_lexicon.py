"""What is known about words of names: legal forms, places, spellings, qualifiers, branches, from the tables beside this.

Everything is folded as `entities.folding.NAME` folds, so that it can be looked up in folded names. The tables are plain lists
that people extend.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

Place = tuple[str, ...]
"""From the largest to the smallest: ("中国", "广东", "深圳"), ("germany", "berlin")."""

CHINA = "中国"


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / f"names_{name}.toml").read_text(encoding="utf-8"))


@cache
def legal_phrases() -> dict[tuple[str, ...], str]:
    """Words of a legal form -> its class."""
    return {tuple(way.split()): form for form, ways in _table("legal")["forms"].items() for way in ways}


@cache
def leading_forms() -> frozenset[str]:
    """Classes that are written before a name, too."""
    return frozenset(_table("legal")["leading"]["forms"])


@cache
def legal_last_words() -> frozenset[str]:
    return frozenset(phrase[-1] for phrase in legal_phrases())


@cache
def chinese_legal() -> tuple[tuple[str, str], ...]:
    """(ending, class), longest first."""
    pairs = [(_bare(way), form) for form, ways in _table("legal")["chinese"].items() for way in ways]
    return tuple(sorted(set(pairs), key=lambda pair: (-len(pair[0]), pair)))


@cache
def related_forms(one: str, other: str) -> bool:
    """Whether one class may be a looser word for the other."""
    return one == other or any({one, other} <= set(family) for family in _table("legal")["families"].values())


@cache
def spelling() -> dict[str, str]:
    words: dict[str, str] = {**_table("words")["spelling"], **_table("words")["numbers"]}
    return words


@cache
def qualifiers() -> tuple[frozenset[str], re.Pattern[str]]:
    """Latin words, and a pattern of Chinese ones."""
    words = _table("words")["qualifiers"]
    return frozenset(words["latin"].split()), _any_of(words["han"].split())


@cache
def branches() -> tuple[frozenset[str], re.Pattern[str]]:
    """Latin phrases, and a pattern of Chinese endings."""
    words = _table("words")["branches"]
    return frozenset(_listed(words["latin"])), re.compile(f"(?:{_any_of(words['han'].split()).pattern})$")


@cache
def latin_places() -> dict[tuple[str, ...], Place]:
    """Words -> the place."""
    found: dict[tuple[str, ...], Place] = {}
    for country, text in _table("places")["world"].items():
        ways, _, inside = text.partition("|")
        found[tuple(country.split())] = (country,)
        found.update((tuple(way.split()), (country,)) for way in _listed(ways) if way.isascii())
        found.update((tuple(city.split()), (country, city)) for city in _listed(inside) if city.isascii())
    chinese = chinese_places()
    found.update(((name,), chinese[place]) for place, name in _table("places")["latin"].items())
    for region in ("香港", "澳门", "台湾"):
        found.update(
            (tuple(way.split()), chinese[region]) for way in _listed(_table("places")["china"][region]) if way.isascii()
        )
    return found


@cache
def latin_place_words() -> frozenset[str]:
    return frozenset(word for phrase in latin_places() for word in phrase)


@cache
def chinese_places() -> dict[str, Place]:
    """Name, without 省 or 市 but where a shorter one would mean something else, -> the place."""
    found: dict[str, Place] = {CHINA: (CHINA,)}
    for province, text in _table("places")["china"].items():
        found[province] = (CHINA, province)
        inside = (each for part in text.split(",") for each in part.split() if not each.isascii())
        found.update((city, (CHINA, province, city)) for city in inside)
    for country, text in _table("places")["world"].items():
        ways, _, cities = text.partition("|")
        found.update((way, (country,)) for way in _listed(ways) if not way.isascii())
        found.update((city, (country, city)) for city in _listed(cities) if not city.isascii())
    return found


@cache
def place_abbreviations() -> dict[str, str]:
    """Character -> the place that it stands for at the beginning of a short name."""
    found: dict[str, str] = _table("places")["abbreviations"]
    return found


@cache
def chinese_place_pattern() -> re.Pattern[str]:
    return _any_of(chinese_places())


def _any_of(words: Any) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word)))))


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.replace("\n", " ").split(",") if part.strip()]


def _bare(text: str) -> str:
    return text.replace("(", "").replace(")", "")


def plain_latin(text: str) -> str:
    """Return `text` without the marks of Latin letters (é, ü, ł, ø); other scripts stay as they are."""
    if text.isascii():
        return text
    parts = []
    for char in text:
        if char in _LETTERS:
            parts.append(_LETTERS[char])
        elif "\u00c0" <= char <= "\u024f" or "\u1e00" <= char <= "\u1eff":
            parts.append("".join(part for part in unicodedata.normalize("NFD", char) if not unicodedata.combining(part)))
        elif "\u0300" <= char <= "\u036f":
            continue
        else:
            parts.append(char)
    return "".join(parts)


_LETTERS = {"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
