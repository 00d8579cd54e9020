"""Identifiers: characters that say whom they mean. They are found in text, held against their check digits, and normalised.

`normalised(scheme, value)` is the normal form of a value that somebody gives, `find(text)` yields those that stand in a text,
and `SCHEMES` says of each scheme what it identifies, and whether a valid one may mint an entity.
"""

from __future__ import annotations

from entities.identifiers.checked import normalised_uscc
from entities.identifiers.find import Found, find
from entities.identifiers.schemes import NORMALISERS, SCHEMES, Scheme, normalised

__all__ = ["NORMALISERS", "SCHEMES", "Found", "Scheme", "find", "normalised", "normalised_uscc"]
