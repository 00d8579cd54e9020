"""The parts that a page is put together from: sections, tables, names, numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flows.reporting.markup import Child, Markup, element

SHOWN = 100
"""Of each list on the page."""


def section(heading: str, *children: Child) -> Markup:
    return element("section", element("h2", heading), children)


def table(
    caption: str, headings: Sequence[str | None], rows: Iterable[Markup], *, numbers: Sequence[int] = (),
    class_: str | None = None, headed: bool = False,
) -> Markup:
    """A table that scrolls by itself where it is too wide. A heading of None is over a drawing of the numbers beside it. The
    caption is for the ear alone where the table is `headed` by what says the same."""
    cells = (
        element("td", class_="drawn") if heading is None
        else element("th", heading, scope="col", class_="number" if place in numbers else _OF_COLUMN.get(heading))
        for place, heading in enumerate(headings)
    )
    made = element(
        "table", element("caption", element("span", caption, class_="aloud" if headed else None)),
        element("thead", element("tr", cells)), element("tbody", rows), class_=class_,
    )
    return element("div", made, class_="scroll", role="region", aria_label=caption, tabindex=0)


def named(uri: str, notes: Sequence[Child] = ()) -> Markup:
    """The name of a document, apart from the direction of what is around it."""
    return element("th", element("bdi", uri), *(part for note in notes for part in (" ", note)), scope="row", class_="name")


def the_rest(count: int) -> Markup | None:
    """What to say below a list that was cut."""
    return element("p", f"and {figures(count - SHOWN)} more, in the JSON", class_="more") if count > SHOWN else None


_OF_COLUMN = {"Format": "format"}
_FORMATS = {
    "text/markdown": "Markdown", "text/plain": "text", "text/html": "HTML", "application/pdf": "PDF",
    "text/csv": "CSV", "text/tab-separated-values": "TSV", "application/json": "JSON", "application/jsonl": "JSON Lines",
    "message/rfc822": "e-mail", "multipart/related": "saved page",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
}


def format_of(media_type: str) -> str:
    """What people call a media type."""
    return _FORMATS.get(media_type, media_type or "unknown")


def figures(count: int) -> str:
    return f"{count:,}"


def counted(count: int, noun: str) -> str:
    return f"{figures(count)} {noun}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {left} s"
