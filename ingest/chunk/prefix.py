"""The line in front of a child when it is embedded: title. Headings. Subject.

It counts in the child's budget, so it is bounded to a third of it: the middle of a deep path goes first, then every part is
shortened alike. Title and headings that the child's text begins with are left out: said twice in front, they outweigh the names
above them, and what is told below them. The parts are written like sentences because embedders have read those; with bars and
angles between them questions find less. Behind a text that is long beside it the prefix stands once more (`embedded` of
ingest/model/chunk.py), which is not counted: it is a quarter of the text at most.

Version and validity are fields of a row, never part of it, so that a new version re-embeds nothing.
"""

from __future__ import annotations

from collections.abc import Collection

from ingest.chunk.fragments import fragments
from ingest.chunk.units import measure

_ELLIPSIS = "…"
_ENDS = tuple(".。!！?？:：…")


def prefix_of(title: str, path: tuple[str, ...], subject: str, limit: int, said: Collection[str] = ()) -> str:
    """Return the prefix, at most `limit` halves of a unit, without headings that repeat the title, a subject already named, and
    what of title and headings the text begins with: `said`."""
    title = " ".join(title.split())
    headings = [heading for heading in path if heading.casefold() != title.casefold()]
    if any(subject.casefold() in part.casefold() for part in (title, *headings)):
        subject = ""
    if said:
        begins = {heading.casefold() for heading in said}
        headings = [heading for heading in headings if heading.casefold() not in begins]
        title = "" if title.casefold() in begins else title
    full = sentences_of(title, *headings, subject)
    if measure(full) <= limit:
        return full
    if len(headings) > 2:
        headings = [headings[0], _ELLIPSIS, headings[-1]]
    parts = sum(1 for part in (title, *headings, subject) if part and part != _ELLIPSIS)
    share = limit // max(parts, 1)
    shorter = (shortened(part, share) for part in (title, *headings, subject))
    return shortened(sentences_of(*shorter), limit)


def sentences_of(*parts: str) -> str:
    """Return those parts that say something as sentences on one line, the last one without a full stop."""
    line = ""
    for part in filter(None, parts):
        line += ("" if not line else " " if line.endswith(_ENDS) else ". ") + part
    return line


def shortened(text: str, limit: int) -> str:
    """Return `text`, or its beginning and an ellipsis, within `limit` halves of a unit; "" where not even a word fits."""
    if measure(text) <= limit:
        return text
    if limit < 3:
        return ""
    first = fragments(text, 0, len(text), limit)[0]
    return text[: first.end].rstrip() + _ELLIPSIS
