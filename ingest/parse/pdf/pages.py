"""The pages of a PDF, one by one: what can be seen of each, in reading order, or why it cannot be read.

A page that cannot be read costs itself: it is a gap, and the others go on. What ends the whole process is told by the trail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ingest.errors import ConcordError, ParserFailed
from ingest.model.document import Box, Gap, Omission
from ingest.parse.pdf.feed import Feed
from ingest.parse.pdf.order import laid_in_order
from ingest.parse.pdf.page import Item, Layout, Page, as_shown, trouble_of
from ingest.parse.pdf.scans import Recognition
from ingest.parse.pdf.sheets import Sheets
from ingest.parse.pdf.sift import SAMPLE, sift
from ingest.parse.trail import Trail

MOST_PLACES = 50
"""Hidden texts of one page and reason whose places are told."""


@dataclass(slots=True)
class Pages:
    """All pages of a document as far as they could be read. `blank`: those without text."""

    layouts: list[Layout] = field(default_factory=list)
    omitted: list[Omission] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    @classmethod
    def read(cls, feed: Feed, sheets: Sheets, recognition: Recognition, trail: Trail) -> Pages:
        """Read every page that the trail does not leave out."""
        made = cls()
        troubles = {
            page: (gap.reason, gap.passing) for gap in trail.gaps for page in range(gap.first, min(gap.last, len(sheets)) + 1)
        }
        seen = set()
        for page in feed.pages():
            seen.add(page.number)
            trouble = page.trouble or made._take(page, sheets, recognition)
            if trouble:
                troubles[page.number] = trouble, False
            trail.through(page.number, recognition.kept(page.number))
        sheets.close()
        for number in range(1, len(sheets) + 1):
            if number not in seen:
                troubles.setdefault(number, ("the file does not have it", False))
        made.gaps = list(_gaps(sorted(troubles.items())))
        made.omitted += recognition.omitted
        return made

    def _take(self, page: Page, sheets: Sheets, recognition: Recognition) -> str:
        """Add a page. Returns why it cannot be read, else an empty string."""
        try:
            sift(page, sheets)
            recognition.attend(page, sheets.page(page.number))
            layout = laid_in_order(page)
        except ParserFailed as error:
            return str(error)
        except ConcordError:
            raise
        except Exception as error:
            return trouble_of(error)
        for why, count in sorted(page.hidden.items()):
            places = [_place(page, turn, item) for turn, item, of in page.dropped if of == why]
            where = f"page {page.number}, {why}"
            self.omitted.append(Omission("hidden_text", count, where, page.samples[why], tuple(places[:MOST_PLACES])))
        self.omitted.extend(Omission("annotation", 1, f"page {page.number}, {one.kind}", one.text[:SAMPLE]) for one in page.notes)
        if not any(side.items for side in page.sides.values()):
            self.blank.append(page.number)
        self.layouts.append(layout)
        return ""


def _place(page: Page, turn: int, item: Item) -> Box:
    return Box(page.number, *(round(edge, 1) for edge in as_shown(item, turn, page.width, page.height)))


def _gaps(troubles: Iterable[tuple[int, tuple[str, bool]]]) -> Iterator[Gap]:
    """Join neighbouring pages with one trouble."""
    gap: Gap | None = None
    for page, (reason, passing) in troubles:
        if gap is not None and (gap.last, gap.reason) == (page - 1, reason):
            gap = Gap(gap.first, page, reason, passing)
            continue
        if gap is not None:
            yield gap
        gap = Gap(page, page, reason, passing)
    if gap is not None:
        yield gap
