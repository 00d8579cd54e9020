"""Identifiers that prove themselves: their check digits hold, or they are none. Each function returns the normal form or None.

Unified social credit codes (GB 32100-2015) carry two check digits: their own, and that of the organisation code inside them
(GB 11714-1997, positions 9 to 17). Both must hold. python-stdnum checks only the first, wants half-width digits and refuses
codes that begin with a letter, so the code is ours; for LEI (ISO 17442, ISO 7064 MOD 97-10) and ISBN it is right and is used.
ORCID is ISO 7064 MOD 11-2 within the blocks that ORCID was given.
"""

from __future__ import annotations

import re
import unicodedata

_USCC_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_USCC_WEIGHTS = (1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28)
_ORGANISATION_WEIGHTS = (3, 7, 9, 10, 5, 8, 4, 2)
_ORCID_BLOCKS = (("000000015000000", "000000035000000"), ("000900000000000", "000900100000000"))
"""What ORCID was given of the numbers of ISNI, without the check digit."""


def normalised_uscc(text: str) -> str | None:
    """Return the 18 characters of a valid unified social credit code, or None.

    Full-width digits, small letters, spaces and hyphens are how people write it and are accepted."""
    code = _bare(text)
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


def normalised_lei(text: str) -> str | None:
    """Return the 20 characters of a valid legal entity identifier, or None."""
    from stdnum import lei

    code = _bare(text)
    return code if re.fullmatch(r"[0-9A-Z]{18}[0-9]{2}", code) and lei.is_valid(code) else None


def normalised_isbn(text: str) -> str | None:
    """Return the 13 digits of a valid ISBN, whether 10 or 13 were written, or None."""
    from stdnum import isbn

    code = _bare(text)
    if not re.fullmatch(r"97[89][0-9]{10}|[0-9]{9}[0-9X]", code) or not isbn.is_valid(code):
        return None
    return isbn.to_isbn13(code)


def normalised_orcid(text: str) -> str | None:
    """Return a valid ORCID iD as four groups of four, or None. Its URL is accepted too."""
    code = _bare(re.sub(r"(?i)^\s*(?:https?://)?orcid\.org/", "", unicodedata.normalize("NFKC", text)))
    if not re.fullmatch(r"[0-9]{15}[0-9X]", code) or not any(first <= code[:15] <= last for first, last in _ORCID_BLOCKS):
        return None
    total = 0
    for digit in code[:15]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return "-".join(code[at : at + 4] for at in range(0, 16, 4)) if code[15] == ("X" if check == 10 else str(check)) else None


def _bare(text: str) -> str:
    return re.sub(r"[\s‐-―-]", "", unicodedata.normalize("NFKC", text)).upper()
