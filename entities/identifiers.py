"""Identifiers that can be proven right from their own characters, found in text and normalised.

Unified social credit codes (GB 32100-2015) carry two check digits: their own, and that of the organisation code inside them
(GB 11714-1997, positions 9 to 17). Both must hold: python-stdnum checks only the first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_USCC_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_USCC_WEIGHTS = (1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28)
_ORGANISATION_WEIGHTS = (3, 7, 9, 10, 5, 8, 4, 2)
_USCC = re.compile(r"(?<![0-9A-Za-z０-９Ａ-Ｚａ-ｚ])[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]{18}(?![0-9A-Za-z０-９Ａ-Ｚａ-ｚ])")


def normalised_uscc(text: str) -> str | None:
    """Return the 18 characters of a valid unified social credit code, or None.

    Full-width digits, small letters, spaces and hyphens are how people write it and are accepted."""
    code = re.sub(r"[\s-]", "", unicodedata.normalize("NFKC", text)).upper()
    if len(code) != 18 or any(character not in _USCC_ALPHABET for character in code):
        return None
    total = sum(_USCC_ALPHABET.index(character) * weight for character, weight in zip(code, _USCC_WEIGHTS, strict=False))
    if _USCC_ALPHABET[(31 - total % 31) % 31] != code[17]:
        return None
    return code if _organisation_code_holds(code[8:17]) else None


def _organisation_code_holds(code: str) -> bool:
    """GB 11714: digits count as themselves, letters from A = 10; check digit 11 - sum mod 11, written X for 10 and 0 for 11."""
    values = [int(character, 36) for character in code[:8]]
    check = 11 - sum(value * weight for value, weight in zip(values, _ORGANISATION_WEIGHTS, strict=True)) % 11
    return code[8] == {10: "X", 11: "0"}.get(check, str(check))


NORMALISERS = {"uscc": normalised_uscc}
"""Scheme -> function that returns the normal form of a valid identifier, or None. Schemes without one are kept as given."""


def find(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield (start, end, scheme, normal form) of every valid identifier in `text`."""
    for match in _USCC.finditer(text):
        code = normalised_uscc(match.group())
        if code is not None:
            yield match.start(), match.end(), "uscc", code
