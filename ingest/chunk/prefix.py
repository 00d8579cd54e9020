"""The line in front of a child when it is embedded: title | heading path | subject.

It counts in the child's budget, so it is bounded to a third of it: the middle of a deep path goes first, then every part is
shortened alike. Version and validity are fields of a row, never part of it, so that a new version re-embeds nothing.
"""

from __future__ import annotations

from ingest.chunk.fragments import fragments
from ingest.chunk.units import measure

_ELLIPSIS = "…"


def prefix_of(title: str, path: tuple[str, ...], subject: str, limit: int) -> str:
    """Return the prefix, at most `limit` halves of a unit, without headings that repeat the title or a subject already named."""
    title = " ".join(title.split())
    headings = [heading for heading in path if heading.casefold() != title.casefold()]
    if any(subject.casefold() in part.casefold() for part in (title, *headings)):
        subject = ""
    full = _joined(title, headings, subject)
    if measure(full) <= limit:
        return full
    if len(headings) > 2:
        headings = [headings[0], _ELLIPSIS, headings[-1]]
    parts = sum(1 for part in (title, *headings, subject) if part and part != _ELLIPSIS)
    share = limit // max(parts, 1)
    return _joined(shortened(title, share), [shortened(heading, share) for heading in headings], shortened(subject, share))


def _joined(title: str, headings: list[str], subject: str) -> str:
    return " | ".join(part for part in (title, " > ".join(heading for heading in headings if heading), subject) if part)


def shortened(text: str, limit: int) -> str:
    """Return `text`, or its beginning and an ellipsis, within `limit` halves of a unit; "" where not even a word fits."""
    if measure(text) <= limit:
        return text
    if limit < 3:
        return ""
    first = fragments(text, 0, len(text), limit)[0]
    return text[: first.end].rstrip() + _ELLIPSIS
