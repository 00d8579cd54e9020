"""Texts as engines can take them: any Python string goes in, valid UTF-8 without NUL comes out."""

from __future__ import annotations


def encodable(text: str) -> str:
    """Return `text` with surrogate pairs joined, lone surrogates as U+FFFD and NUL (which ends a C string) as a space."""
    if "\0" in text:
        text = text.replace("\0", " ")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
