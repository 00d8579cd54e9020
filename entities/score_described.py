"""How alike two long descriptions of a thing are: which words they share, weighed by how rare these are, and what of numbers and
model codes speaks against it.

A listing of a product names brand, model, size and offers in any order. The brand is in all of them and tells nothing; a model
code in both tells nearly all; two sizes tell them apart. The three constants were chosen on the validation parts of product sets
(docs/entities.md) and only order a queue.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from entities.names import Form

_WORD = re.compile(r"[^\W_]+(?:[.\-/][^\W_]+)*")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(?:[kmgt]b|in|inch|mm|cm|[mg]hz|w|v)?")
_NUMBERS_DIFFER, _CODES_DIFFER, _CODE_IN_COMMON = 0.4, 0.5, 0.3


class Rarity:
    """How rare words are among the names that there are. Words that none has are the rarest."""

    def __init__(self, names: Iterable[Form] = ()) -> None:
        self._held: Counter[str] = Counter()
        self._names = 0
        for form in names:
            self.add(form)

    def add(self, form: Form) -> None:
        self._held.update(words_of(form.text))
        self._names += 1

    def weight(self, word: str) -> float:
        return math.log(1 + (self._names + 1) / (1 + self._held[word]))


@lru_cache(maxsize=16384)
def words_of(text: str) -> frozenset[str]:
    """Words of a folded description. Amounts are without their unit, codes without their dashes."""
    found: set[str] = set()
    for word in _WORD.findall(text):
        if any(char.isdigit() for char in word):
            amount = _AMOUNT.fullmatch(word)
            bare = amount.group(1) if amount else re.sub(r"[.\-/]", "", word)
            found.add(bare.rstrip("0").rstrip(".") if amount and "." in bare else bare)
        else:
            found.update(re.split(r"[.\-/]", word))
    return frozenset(found)


def described(left: Form, right: Form, rarity: Rarity) -> float:
    """Return how alike two descriptions are, from 0 to 1."""
    ours, theirs = words_of(left.text), words_of(right.text)
    common = _weight(ours & theirs, rarity)
    first, second = _weight(ours, rarity), _weight(theirs, rarity)
    if not common:
        return 0.0
    score = 0.5 * common / min(first, second) + common / (first + second)
    if _amounts(ours) - _amounts(theirs) and _amounts(theirs) - _amounts(ours):
        score *= _NUMBERS_DIFFER
    codes, others = _codes(ours), _codes(theirs)
    if codes & others:
        score += _CODE_IN_COMMON * (1 - score)
    elif codes and others:
        score *= _CODES_DIFFER
    return score


def _weight(words: frozenset[str], rarity: Rarity) -> float:
    return sum(rarity.weight(word) for word in sorted(words))


def _amounts(words: frozenset[str]) -> set[str]:
    return {word for word in words if word[0].isdigit() and word.replace(".", "").isdigit()}


def _codes(words: frozenset[str]) -> set[str]:
    """Model numbers: letters and digits together, or a long number."""
    return {
        word for word in words
        if (len(word) >= 5 and word.isdigit()) or (len(word) >= 4 and any(map(str.isdigit, word)) and any(map(str.isalpha, word)))
    }
