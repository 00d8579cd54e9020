"""A printed table of contents: lines of a title, a run of leaders, and a page number.

What it says of headings is evidence for them (`titles`), where they are found on later pages. Where most of them are, the list
leads the reader around and is furniture; where they are not (a page of contents by itself), it is what the document says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingest.model.document import Box
from ingest.parse.pdf.page import Layout, Line, Zone, as_shown

LEAST = 3
"""Entries that make a table of contents on a page."""
FOUND = 0.4
"""Share of a page's entries that must head something later for the list to be furniture."""

_LEADERS = re.compile(r"(?:[.·․‧]\s?){4,}|…{2,}|-{6,}|_{6,}")
_PAGE_NUMBER = re.compile(r"\s*[(（]?(?:\d{1,4}|[ivxlc]{1,6})[\s)）.]*")


@dataclass(slots=True)
class Entry:
    """A line of a table of contents: where it stands, and its title without spaces in lower case."""

    page: int
    zone: Zone
    line: Line
    title: str


@dataclass(slots=True)
class Contents:
    """The printed contents of a document. `levels`: title -> level by its indentation."""

    entries: list[Entry] = field(default_factory=list)
    levels: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, pages: Sequence[Layout]) -> Contents:
        made = cls()
        for page in pages:
            found = [
                Entry(page.number, zone, line, key(line.text[: leaders.start()]))
                for zone in page.zones
                for line in zone.lines
                if (leaders := _leaders(line.text)) is not None
            ]
            if len(found) >= LEAST:
                made.entries += found
        edges: list[float] = []
        for x in sorted(entry.line.x0 for entry in made.entries):
            if not edges or x - edges[-1] > 6:
                edges.append(x)
        for entry in made.entries:
            if entry.title:
                made.levels.setdefault(entry.title, 1 + sum(entry.line.x0 - edge > 6 for edge in edges))
        return made

    @property
    def last_page(self) -> int:
        return max((entry.page for entry in self.entries), default=0)

    def take_navigation(self, pages: Sequence[Layout]) -> dict[int, list[tuple[str, Box]]]:
        """Remove the lists that lead to headings of the document and return their lines by page."""
        if not self.entries:
            return {}
        listed = {id(entry.line) for entry in self.entries}
        lines = (line for page in pages for zone in page.zones for line in zone.lines if id(line) not in listed)
        heads = {key(line.text) for line in lines} & self.levels.keys()
        by_number = {page.number: page for page in pages}
        taken: dict[int, list[tuple[str, Box]]] = {}
        for number in dict.fromkeys(entry.page for entry in self.entries):
            mine = [entry for entry in self.entries if entry.page == number]
            if sum(entry.title in heads for entry in mine) < FOUND * len(mine):
                continue
            page = by_number[number]
            for entry in mine:
                entry.zone.elements.remove(entry.line)
                edges = as_shown(entry.line, entry.zone.turn, page.width, page.height)
                box = Box(number, *(round(edge, 1) for edge in edges))
                taken.setdefault(number, []).append((_LEADERS.sub(" … ", entry.line.text), box))
        return taken


def key(text: str) -> str:
    """Return a title as it is compared: without spaces, in lower case."""
    return "".join(text.split()).lower()


def _leaders(text: str) -> re.Match[str] | None:
    """Return the leaders of a line that is a title, one run of them, and a page number."""
    runs = list(_LEADERS.finditer(text[:400]))
    if len(runs) == 1 and runs[0].start() > 0 and _PAGE_NUMBER.fullmatch(text, runs[0].end()):
        return runs[0]
    return None
