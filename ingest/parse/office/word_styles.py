"""What a Word paragraph's style means: a heading of a level, a caption, code; and what its characters look like.

Styles inherit (`basedOn`), may carry an outline level or a numbering of their own, and are named in the language of whoever
made the file: the outline level is asked first, the name after it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

_HEADING_NAME = re.compile(r"(?:heading|标题|標題|見出し|제목|überschrift|titre|título|titolo|заголовок)\s*(\d)\b", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title", "标题", "標題", "表題", "제목", "titel", "titre"})
_ROLES = (
    ("toc", re.compile(r"toc(\s|\d|$)|table of figures|目录|目錄|图表目录", re.IGNORECASE)),
    ("caption", re.compile(r"caption|题注|題注", re.IGNORECASE)),
    ("code", re.compile(r"\bcode\b|preformatted|\bmacro\b|代码", re.IGNORECASE)),
    ("quote", re.compile(r"quote|引用|引文", re.IGNORECASE)),
)


@dataclass(slots=True)
class Style:
    name: str
    based_on: str | None
    outline: int | None
    numbering: tuple[str | None, int | None]
    run: Any | None
    """Its `rPr`."""
    paragraph: Any | None
    """Its `pPr`."""


@dataclass(slots=True)
class Styles:
    """Paragraph and character styles by id. `base` is the `rPr` that holds where nothing else is said."""

    by_id: dict[str, Style] = field(default_factory=dict)
    default: str | None = None
    base: Any | None = None

    @classmethod
    def read(cls, root: Any | None) -> Styles:
        made = cls(base=None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"))
        for element in [] if root is None else root.iterfind(f"{W}style"):
            identifier = element.get(f"{W}styleId") or ""
            properties = element.find(f"{W}pPr")
            made.by_id[identifier] = Style(
                name=value_of(element, "name") or identifier,
                based_on=value_of(element, "basedOn"),
                outline=number(value_of(properties, "outlineLvl")),
                numbering=numbering_of(properties),
                run=element.find(f"{W}rPr"),
                paragraph=properties,
            )
            if element.get(f"{W}default") in ("1", "true") and element.get(f"{W}type") == "paragraph":
                made.default = identifier
        return made

    def chain(self, identifier: str | None) -> list[Style]:
        """The style and those it is based on, nearest first; the default style where there is none."""
        found: list[Style] = []
        seen: set[str] = set()
        at = identifier or self.default
        while at and at in self.by_id and at not in seen:
            seen.add(at)
            found.append(self.by_id[at])
            at = self.by_id[at].based_on
        return found

    def heading_level(self, identifier: str | None, own_outline: int | None) -> int:
        """Level 1 to 6 of a heading, 0 for anything else. `own_outline` is the paragraph's own, 0 the outermost, 9 none."""
        chain = self.chain(identifier)
        outline = next((o for o in (own_outline, *(style.outline for style in chain)) if o is not None), None)
        if outline is not None:
            return min(outline + 1, 6) if 0 <= outline < 9 else 0
        for style in chain:
            if style.name.strip().lower() in _TITLE_NAMES:
                return 1
            if match := _HEADING_NAME.fullmatch(style.name.strip()):
                return min(max(int(match[1]), 1), 6)
        return 0

    def role(self, identifier: str | None) -> str:
        """toc, caption, code, quote or an empty string."""
        if not identifier:
            return ""
        names = [style.name for style in self.chain(identifier)]
        return next((role for role, pattern in _ROLES if any(pattern.search(name) for name in names)), "")

    def is_title(self, identifier: str | None) -> bool:
        return any(style.name.strip().lower() in _TITLE_NAMES for style in self.chain(identifier)[:1])

    def looks(self, name: str, own: Any | None, character: str | None, paragraph: str | None) -> Any | None:
        """The element `name` of the run properties in effect: the run's own, its character style's, its paragraph style's."""
        tag = f"{W}{name}"
        if own is not None and (found := own.find(tag)) is not None:
            return found
        for style in (*(self.chain(character) if character else ()), *self.chain(paragraph)):
            if style.run is not None and (found := style.run.find(tag)) is not None:
                return found
        return None if self.base is None else self.base.find(tag)


def numbering_of(properties: Any | None) -> tuple[str | None, int | None]:
    """(numId, ilvl) that a `pPr` declares, each None when it does not."""
    found = None if properties is None else properties.find(f"{W}numPr")
    if found is None:
        return None, None
    return value_of(found, "numId"), number(value_of(found, "ilvl"))


def is_on(element: Any | None) -> bool:
    """Whether a toggle property is present and not switched off."""
    return element is not None and element.get(f"{W}val") not in ("0", "false", "off", "none")


def value_of(element: Any | None, child: str) -> str | None:
    """`w:val` of a child element."""
    found = None if element is None else element.find(f"{W}{child}")
    return None if found is None else found.get(f"{W}val")


def number(text: str | None) -> int | None:
    return int(text) if text and len(text) < 10 and text.lstrip("-").isdecimal() else None
