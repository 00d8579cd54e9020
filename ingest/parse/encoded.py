"""Pictures and files written into a text as base64, which nobody reads: taken out and told, so that they fill no index."""

from __future__ import annotations

import re

from ingest.model.document import Omission

LEAST_RUN = 400
"""Letters without a space that are taken for encoded bytes. Keys, hashes, tokens and addresses are shorter, words much."""

_DATA_ADDRESS = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,[A-Za-z0-9+/=_%-]{32,}")
_RUN = re.compile(rf"[A-Za-z0-9+/]{{{LEAST_RUN},}}={{0,2}}")
_LINES = re.compile(r"(?:^[ \t]*[A-Za-z0-9+/]{60,76}[ \t]*\n){6,}[ \t]*[A-Za-z0-9+/]{0,76}={0,2}[ \t]*$", re.MULTILINE)
_BREAKS = re.compile(r"[^\n]+")


def without_encoded(text: str) -> tuple[str, tuple[Omission, ...]]:
    """Return the text without encoded bytes (its lines stay as many as they are), and what was taken out."""
    taken: list[str] = []

    def out(match: re.Match[str]) -> str:
        found = match[0]
        if not found.startswith("data:") and not _looks_encoded(found):
            return found
        taken.append(found)
        return _BREAKS.sub("", found)

    if "base64," in text:
        text = _DATA_ADDRESS.sub(out, text)
    if len(text) >= LEAST_RUN:
        text = _RUN.sub(out, text)
        text = _LINES.sub(out, text)
    if not taken:
        return text, ()
    return text, (Omission("encoded_data", len(taken), sample=taken[0][:60]),)


def _looks_encoded(text: str) -> bool:
    """Both cases and digits, well mixed: a genome, a hexadecimal dump and `====` are not."""
    sample = text[:2_000]
    return (
        len(set(sample)) >= 20
        and sum(map(str.islower, sample)) * 10 > len(sample)
        and sum(map(str.isupper, sample)) * 10 > len(sample)
        and sum(map(str.isdigit, sample)) * 40 > len(sample)
    )
