"""Codes that somebody may have meant who wrote another one: one slip of the fingers or of memory away.

    two neighbours changed places   ERR_1024 for ERR_1042
    a character is missing          ERR_142
    one is too many                 ERR_10042
    one is another                  only from eight characters: HX-300 beside HX-200 is another device, not a slip

A short code has too many neighbours to be told by, so a slip is looked for in codes of five characters with three digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SHORTEST, DIGITS = 5, 3
LONGEST = 40
_ANOTHER = 8
_PLACES, _MISSING, _MANY, _OTHER = range(4)

_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w./:-]+|\d{6,}|\d+(?:\.\d+){2,}")
"""A term that may stand for a code: letters and digits, a long number, a number of three parts."""


def is_slippery(term: str) -> bool:
    """Whether a term is a code that is long enough to be told by what is nearly it."""
    return SHORTEST <= len(term) <= LONGEST and sum(map(str.isdigit, term)) >= DIGITS and _CODE.fullmatch(term) is not None


def by_length(terms: Iterable[str]) -> dict[int, list[str]]:
    """The codes among terms that slips lead to, by their length, sorted."""
    found: dict[int, list[str]] = {}
    for term in sorted({term for term in terms if is_slippery(term)}):
        found.setdefault(len(term), []).append(term)
    return found


def slips(code: str, held: Mapping[int, list[str]]) -> list[str]:
    """The codes of `held` (see `by_length`) one slip away from `code`, likelier slips first, then in order."""
    if not is_slippery(code):
        return []
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    near = [term for length in (len(code) - 1, len(code), len(code) + 1) for term, distance, _ in process.extract(
        code, held.get(length, ()), scorer=OSA.distance, processor=None, score_cutoff=1, limit=None,
    ) if distance == 1]
    told = [(kind, term) for term in near if (kind := _kind(code, term)) is not None]
    return [term for _, term in sorted(told)]


def _kind(written: str, meant: str) -> int | None:
    """Which slip leads from one code to another that is one edit away; None: no slip, but another code."""
    if len(written) != len(meant):
        return _MISSING if len(written) < len(meant) else _MANY
    if sorted(written) == sorted(meant):
        return _PLACES
    return _OTHER if len(written) >= _ANOTHER else None
