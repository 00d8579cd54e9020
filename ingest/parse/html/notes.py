"""Footnotes of a page: items of its list of notes that something in the text links to.

Markdown programs, pandoc and editors write them alike: a raised number that links to an item, the items in a part of the page
that says by its class or role what it is, and in each item a link back. References of an encyclopedia are no footnotes: they
stay the list that they are.
"""

from __future__ import annotations

import re

from lxml import etree

_SECTION = re.compile(r"(?:^|[\s_-])foot-?notes?(?:$|[\s_-])", re.IGNORECASE)
_BACK = re.compile(
    r"(?:^|[\s_-])(?:foot-?note-?back(?:ref|link)?|reversefootnote|back-?ref|back-?link)(?:$|[\s_-])", re.IGNORECASE
)
_ARROWS = frozenset("↩↑⤴⏎^\ufe0e\ufe0f ")


def notes_of(root: etree._Element) -> dict[str, str]:
    """Return id of the item -> mark, for every item of a list of notes that a link outside of that leads to."""
    items = {
        str(item.get("id"))
        for part in root.iter("section", "div", "aside", "ol", "footer") if _is_section(part)
        for item in part.iter("li") if item.get("id")
    }
    if not items:
        return {}
    marks: dict[str, str] = {}
    for link in root.iter("a"):
        target = link.get("href") or ""
        mark = "".join(map(str, link.itertext())).strip(" \n\t[]()")
        if target[:1] == "#" and target[1:] in items and mark and not leads_back(link):
            marks.setdefault(target[1:], mark)
    return marks


def leads_back(link: etree._Element) -> bool:
    """Whether a link leads from a note to where it is cited."""
    if link.get("role") == "doc-backlink" or _BACK.search(link.get("class") or ""):
        return True
    text = "".join(map(str, link.itertext())).strip()
    return bool(text) and _ARROWS.issuperset(text)


def _is_section(part: etree._Element) -> bool:
    named = f"{part.get('class') or ''} {part.get('id') or ''}"
    return part.get("role") in ("doc-endnotes", "doc-footnotes") or _SECTION.search(named) is not None
