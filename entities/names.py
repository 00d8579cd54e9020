"""Names as they are compared: what of a name is spelling, and what tells one thing from another.

`form_of` takes a name apart into a *key* (two names with one key are one name, written twice), and into what guards look at:
numbers, places, legal form, branch, qualifiers. What counts as spelling is decided by type. Of organisations: width, case,
script variant, brackets, punctuation, marks, spaces, "the", "&", the way a legal form is written and where it stands. Of all
else: width, case, script variant, spaces, dashes; never a sign that carries meaning (C++, C#, .NET, 10.1).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from entities import names_lexicon as lexicon
from entities.folding import NAME
from entities.names_lexicon import Place
from entities.names_numbers import numbers_in

ORGANIZATION, PERSON, INTERFACE = "organization", "person", "interface"

_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_BETWEEN_HAN = re.compile(f"(?<=[{_HAN}]) +(?=[{_HAN}])")
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.\s?){1,}[^\W\d_](?:\.|(?![^\W_]))")
_WORD = re.compile(r"[^\W_]+")
_HAN_RUN = re.compile(f"[{_HAN}]+")
_BRACKETS = str.maketrans(dict.fromkeys('()[]{}<>《》〈〉「」『』【】〔〕（）"“”«»', " "))
_GLUED = re.compile(r"(?<=[a-z]{2})(?=(?:AG|SE|SA|NV|BV|AB|KG|SpA|GmbH|Ltd|Inc|LLC|LLP|PLC|Corp)\.?$)")
_APOSTROPHES = str.maketrans(dict.fromkeys("'’‘`´ʼ®™©℠"))
_COUNTY = re.compile(f"^([{_HAN}]{{2,3}}?)(?:市|县|区|旗)(?=[{_HAN}]{{2}})")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[^\w.]+(?=\d)")
_JOINTS = re.compile(r"[-:：/_·,，;；、。\s]+")
_DOTS = re.compile(r"(?<!\d)(?<!^)\.(?!\d)|\.$")
_METHOD = re.compile(r"(get|head|post|put|patch|delete|options|trace)\s+(?=/|https?:)")


@dataclass(frozen=True, slots=True)
class Form:
    """A name, taken apart. `core`: what is left of it without legal form, spaces and signs. `key`: equal keys are equal names;
    empty where names never decide (of persons). `han`, `latin`: which scripts it has letters of."""

    text: str
    type: str
    key: str
    core: str
    tokens: tuple[str, ...]
    legal: frozenset[str]
    numbers: frozenset[str]
    places: frozenset[Place]
    qualifiers: frozenset[str]
    branch: bool
    han: bool
    latin: bool


def folded(text: str) -> str:
    """Return a name as dictionaries hold it: width, case and the amount of space do not count, everything else does."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=65536)
def form_of(text: str, type: str) -> Form:
    """Return the form of a name of something of `type`. Never raises; of a text without letters and digits nothing is left."""
    if type == ORGANIZATION:
        text = _GLUED.sub(" ", text)
    plain = " ".join(lexicon.plain_latin(NAME(text.translate(_APOSTROPHES)).text).split())
    plain = _BETWEEN_HAN.sub("", plain)
    return _organization(plain) if type == ORGANIZATION else _thing(plain, type)


def _organization(plain: str) -> Form:
    bare = plain.translate(_BRACKETS)
    branch_words, branch_end = lexicon.branches()
    words = [_spelled(word) for word in _WORD.findall(_joined_initials(bare).replace("&", " and ").replace("+", " and "))]
    words, legal = _without_legal(words)
    joined = _run_together(words)
    core, chinese = _without_chinese_legal(joined) if not joined.isascii() else (joined, None)
    legal |= {chinese} if chinese else set()
    tokens = tuple(" ".join(words).removesuffix(joined[len(core) :]).split())
    branch = bool(branch_end.search(joined)) or not branch_words.isdisjoint(tokens) or not branch_words.isdisjoint(
        map(" ".join, pairwise(tokens))
    )
    core = core or joined
    return Form(
        plain, ORGANIZATION, f"{core}|{','.join(sorted(legal))}" if core else "", core, tokens, frozenset(legal),
        numbers_in(" ".join(tokens), tokens), _places(core, tokens), frozenset(), branch, *_scripts(plain),
    )


def _run_together(words: list[str]) -> str:
    """The words without spaces, but for two numbers, which would become a third."""
    joined = "".join(words).replace(" ", "")
    return joined if not any(char.isdigit() for char in joined) else _BETWEEN_DIGITS.sub("~", " ".join(words)).replace(" ", "")


def _joined_initials(text: str) -> str:
    """`L.L.C.` and `J. P. Morgan` without their dots: a run of single letters is one word."""
    return _INITIALS.sub(lambda match: re.sub(r"[.\s]", "", match.group()) + " ", text) if "." in text else text


def _spelled(word: str) -> str:
    if not word.isascii():
        return word
    if len(word) > 6:
        word = word.replace("isation", "ization").replace("organis", "organiz")
    return lexicon.spelling().get(word, word)


def _without_legal(words: list[str]) -> tuple[list[str], set[str]]:
    """Take legal forms off the end and the beginning, and `the` from anywhere. At least one word stays."""
    words = _numbers_joined([word for word in words if word != "the"] or words)
    phrases, lasts, leading = lexicon.legal_phrases(), lexicon.legal_last_words(), lexicon.leading_forms()
    found: set[str] = set()
    while len(words) > 1 and words[-1] in lasts:
        size = next((size for size in range(min(6, len(words) - 1), 0, -1) if tuple(words[-size:]) in phrases), 0)
        if not size:
            break
        found.add(phrases[tuple(words[-size:])])
        words = words[:-size]
    size = next((size for size in range(min(6, len(words) - 1), 0, -1) if phrases.get(tuple(words[:size])) in leading), 0)
    if size:
        found.add(phrases[tuple(words[:size])])
        words = words[size:]
    return words, found


def _numbers_joined(words: list[str]) -> list[str]:
    """`40 4` (forty-four) as `44`."""
    joined: list[str] = []
    for word in words:
        if joined and len(word) == 1 and word in "123456789" and joined[-1] in _TENS:
            joined[-1] = joined[-1][0] + word
        else:
            joined.append(word)
    return joined


_TENS = frozenset(f"{tens}0" for tens in range(2, 10))


def _without_chinese_legal(joined: str) -> tuple[str, str | None]:
    for ending, form in lexicon.chinese_legal():
        if joined.endswith(ending) and len(joined) > len(ending):
            return joined[: -len(ending)], form
    return joined, None


def _places(core: str, tokens: tuple[str, ...]) -> frozenset[Place]:
    """All places that a name gives, larger and smaller ones."""
    found: set[Place] = set()
    latin = lexicon.latin_places()
    for start in range(len(tokens)):
        for size in (4, 3, 2, 1):
            place = latin.get(tokens[start : start + size])
            if place is not None:
                found.add(place)
                break
    if not core.isascii():
        chinese = lexicon.chinese_places()
        found |= {chinese[match.group()] for match in lexicon.chinese_place_pattern().finditer(core)}
        county = _COUNTY.match(core)
        if county is not None and county.group(1) not in chinese:
            found.add((lexicon.CHINA, "", county.group(1)))
    return frozenset(found)


def _thing(plain: str, type: str) -> Form:
    if type == INTERFACE:
        plain = _METHOD.sub(lambda match: match.group(1) + " ", plain)
        key = plain.rstrip("/") or plain
    elif type == PERSON:
        key = ""
    else:
        apart = _BETWEEN_DIGITS.sub("~", plain.translate(_BRACKETS).replace("&", " and "))
        key = _DOTS.sub("", _JOINTS.sub("", apart))
    tokens = tuple(_WORD.findall(plain))
    words, pattern = lexicon.qualifiers()
    qualifiers = frozenset(words.intersection(tokens)) | frozenset(pattern.findall(plain))
    numbers = numbers_in(plain, tokens) if type != PERSON else frozenset()
    return Form(
        plain, type, key, key or "".join(tokens), tokens, frozenset(), numbers, frozenset(), qualifiers, False, *_scripts(plain),
    )


def _scripts(text: str) -> tuple[bool, bool]:
    return not text.isascii() and bool(_HAN_RUN.search(text)), any(char.isascii() and char.isalpha() for char in text)
