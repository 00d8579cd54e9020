"""What a Word paragraph's style and numbering mean: a heading of a level, a list item with its label, a caption, code.

Styles inherit (`basedOn`), may carry an outline level or a numbering of their own, and are named in the language of whoever
made the file: the outline level is asked first, the name after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

_HEADING_NAME = re.compile(r"(?:heading|标题|標題|見出し|제목|überschrift|titre|título|titolo)\s*(\d)\b", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title", "标题", "標題", "表題", "제목", "titel", "titre"})
_ROLES = (
    ("toc", re.compile(r"toc(\s|\d|$)|目录|目錄", re.IGNORECASE)),
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
    vanish: bool


@dataclass(slots=True)
class Styles:
    """Paragraph and character styles by id."""

    by_id: dict[str, Style] = field(default_factory=dict)
    default: str | None = None

    @classmethod
    def read(cls, root: Any | None) -> Styles:
        made = cls()
        for element in [] if root is None else root.iterfind(f"{W}style"):
            identifier = element.get(f"{W}styleId") or ""
            made.by_id[identifier] = Style(
                name=_value(element, "name") or identifier,
                based_on=_value(element, "basedOn"),
                outline=_number(_value(element.find(f"{W}pPr"), "outlineLvl")),
                numbering=numbering_of(element.find(f"{W}pPr")),
                vanish=is_on(element.find(f"{W}rPr/{W}vanish")),
            )
            if element.get(f"{W}default") in ("1", "true") and element.get(f"{W}type") == "paragraph":
                made.default = identifier
        return made

    def chain(self, identifier: str | None) -> list[Style]:
        """The style and those it is based on, nearest first."""
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
            return min(outline + 1, 6) if outline < 9 else 0
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

    def hides(self, identifier: str | None) -> bool:
        return bool(identifier) and any(style.vanish for style in self.chain(identifier))


@dataclass(slots=True)
class Level:
    """How one level of a numbering is written."""

    format: str
    text: str
    start: int


@dataclass(slots=True)
class Numbering:
    """Lists of the document and how far each has counted; labels must be asked for in document order."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    counters: dict[str, dict[int, int]] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Any | None) -> Numbering:
        made = cls()
        if root is None:
            return made
        abstract = {
            element.get(f"{W}abstractNumId"): {_level_index(lvl): _level(lvl) for lvl in element.iterfind(f"{W}lvl")}
            for element in root.iterfind(f"{W}abstractNum")
        }
        for num in root.iterfind(f"{W}num"):
            identifier, base = num.get(f"{W}numId") or "", _value(num, "abstractNumId")
            levels = dict(abstract.get(base, {}))
            restarts = False
            for override in num.iterfind(f"{W}lvlOverride"):
                index = _number(override.get(f"{W}ilvl")) or 0
                start = _number(_value(override, "startOverride"))
                own = override.find(f"{W}lvl")
                if own is not None:
                    levels[index] = _level(own)
                if start is not None and index in levels:
                    levels[index] = Level(levels[index].format, levels[index].text, start)
                    restarts = True
            made.levels[identifier] = levels
            # Lists of one abstract definition continue each other's count, unless they start anew.
            made.shared[identifier] = f"num {identifier}" if restarts or base is None else f"abstract {base}"
        return made

    def label(self, num_id: str, depth: int) -> str:
        """Count one item and return its label: "1.2.", "（三）", or "-" for a bullet; empty when there is no such list."""
        levels = self.levels.get(num_id, {})
        level = levels.get(depth)
        if level is None or level.format == "none":
            return ""
        counter = self.counters.setdefault(self.shared[num_id], {})
        counter[depth] = counter.get(depth, level.start - 1) + 1
        for deeper in [d for d in counter if d > depth]:
            del counter[deeper]
        if level.format == "bullet":
            return "-"

        def counted(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            of = levels.get(at, level)
            return spelled(counter.get(at, of.start), of.format)

        return re.sub(r"%(\d)", counted, level.text).strip()


def spelled(number: int, format: str) -> str:
    """Return a list number in one of Word's number formats; unknown ones are written in digits."""
    if format in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter if format == "lowerLetter" else letter.upper()
    if format in ("lowerRoman", "upperRoman"):
        roman = _roman(number)
        return roman.lower() if format == "lowerRoman" else roman
    if format.startswith(("chinese", "japaneseCounting", "taiwaneseCounting", "ideograph")) and 0 < number < 100:
        return _han(number)
    if format.startswith("decimalEnclosedCircle") and 0 < number <= 20:
        return chr(0x2460 + number - 1)
    if format == "decimalZero":
        return f"{number:02d}"
    return str(number)


def numbering_of(properties: Any | None) -> tuple[str | None, int | None]:
    """(numId, ilvl) that a `pPr` declares, each None when it does not."""
    found = None if properties is None else properties.find(f"{W}numPr")
    if found is None:
        return None, None
    return _value(found, "numId"), _number(_value(found, "ilvl"))


def is_on(element: Any | None) -> bool:
    """Whether a toggle property is present and not switched off."""
    return element is not None and element.get(f"{W}val") not in ("0", "false", "off", "none")


def _value(element: Any | None, child: str) -> str | None:
    found = None if element is None else element.find(f"{W}{child}")
    return None if found is None else found.get(f"{W}val")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.lstrip("-").isdigit() else None


def _level_index(element: Any) -> int:
    return _number(element.get(f"{W}ilvl")) or 0


def _level(element: Any) -> Level:
    start = _number(_value(element, "start"))
    return Level(_value(element, "numFmt") or "decimal", _value(element, "lvlText") or "", 1 if start is None else start)


def _roman(number: int) -> str:
    pairs: Sequence[tuple[int, str]] = (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"),
        (5, "V"), (4, "IV"), (1, "I"),
    )
    out = ""
    for value, sign in pairs:
        out += sign * (number // value)
        number %= value
    return out


def _han(number: int) -> str:
    digits = "零一二三四五六七八九"
    tens, ones = divmod(number, 10)
    if not tens:
        return digits[ones]
    return ("" if tens == 1 else digits[tens]) + "十" + (digits[ones] if ones else "")
