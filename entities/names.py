"""Names as they are compared: what of a name is spelling, and what tells one thing from another."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """Return a name as dictionaries hold it: width, case and the amount of space do not count, everything else does."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
