"""The labels of numbered paragraphs, counted as Word counts: "1.2.", "（三）", "第四章", or "-" for a bullet.

What a paragraph says is a list and a level; the list refers to an abstract definition, which may be that of a list style.
Labels must be asked for in the order of the document, and for empty paragraphs as well, which Word numbers too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.parse.office.number_words import spelled
from ingest.parse.office.word_styles import Styles, W, is_on, number, numbering_of, value_of

DEEPEST = 8
"""Word has nine levels of lists; larger numbers are damage or malice."""


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a numbering is written. `after` is the level whose turn starts it anew (None: any above it)."""

    format: str
    text: str
    start: int
    style: str | None = None
    after: int | None = None
    digits: bool = False
    """All numbers of the label in digits, whatever their levels say."""


@dataclass(slots=True)
class Numbering:
    """Lists of the document and how far each has counted."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    counters: dict[str, dict[int, int]] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Any | None, styles: Styles | None = None) -> Numbering:
        made = cls()
        if root is None:
            return made
        abstract = {element.get(f"{W}abstractNumId"): element for element in root.iterfind(f"{W}abstractNum")}
        links = {num.get(f"{W}numId"): value_of(num, "abstractNumId") for num in root.iterfind(f"{W}num")}
        for num in root.iterfind(f"{W}num"):
            identifier = num.get(f"{W}numId") or ""
            base = _defining(abstract, links, value_of(num, "abstractNumId"), styles)
            definition = abstract.get(base)
            levels = {} if definition is None else {_index(lvl): _level(lvl) for lvl in definition.iterfind(f"{W}lvl")}
            restarts = False
            for override in num.iterfind(f"{W}lvlOverride"):
                index, start = _index(override), number(value_of(override, "startOverride"))
                own = override.find(f"{W}lvl")
                if own is not None:
                    levels[index] = _level(own)
                if start is not None and index in levels:
                    levels[index] = replace(levels[index], start=start)
                    restarts = True
            made.levels[identifier] = levels
            # Lists of one abstract definition continue each other's count, unless they start anew.
            made.shared[identifier] = f"num {identifier}" if restarts or base is None else f"abstract {base}"
        return made

    def place(self, properties: Any | None, style: str | None, styles: Styles) -> tuple[str, int] | None:
        """(list, depth) of a paragraph by its own properties or its style's; None when it is in no list."""
        num_id, depth = numbering_of(properties)
        at = style or styles.default
        seen: set[str] = set()
        while num_id is None and at and at in styles.by_id and at not in seen:
            seen.add(at)
            num_id, own = styles.by_id[at].numbering
            if num_id is not None and depth is None:
                linked = (n for n, level in self.levels.get(num_id, {}).items() if level.style == at)
                depth = next(linked, own)
            at = styles.by_id[at].based_on
        if not num_id or num_id == "0":
            return None
        return num_id, min(max(depth or 0, 0), DEEPEST)

    def label(self, num_id: str, depth: int) -> str:
        """Count one item and return its label; empty when there is no such list or it shows none."""
        levels = self.levels.get(num_id, {})
        level = levels.get(depth)
        if level is None:
            return ""
        counter = self.counters.setdefault(self.shared[num_id], {})
        for above in range(depth):  # a level that was skipped has had its first turn
            if above in levels:
                counter.setdefault(above, levels[above].start)
        counter[depth] = counter.get(depth, level.start - 1) + 1
        for deeper in [d for d in counter if d > depth]:
            after = levels[deeper].after if deeper in levels else None
            if after is None or (after and depth < after):
                del counter[deeper]
        if level.format == "bullet":
            return "-"

        def counted(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            of = levels.get(at, level)
            format = "decimal" if level.digits and of.format not in ("none", "bullet") else of.format
            return "" if format in ("none", "bullet") else spelled(counter.get(at, of.start), format)

        return re.sub(r"%([1-9])", counted, level.text).strip()


def _defining(
    abstract: dict[str | None, Any], links: dict[str | None, str | None], base: str | None, styles: Styles | None
) -> str | None:
    """Follow the style that a definition only points to, to the definition that has the levels."""
    for _ in range(4):
        definition = abstract.get(base)
        style = value_of(definition, "numStyleLink")
        if style is None or styles is None or style not in styles.by_id:
            return base
        through = links.get(styles.by_id[style].numbering[0])
        if through is None or through == base:
            break
        base = through
    if definition is not None and (named := value_of(definition, "numStyleLink")):
        return next((key for key, other in abstract.items() if value_of(other, "styleLink") == named), base)
    return base


def _index(element: Any) -> int:
    return number(element.get(f"{W}ilvl")) or 0


def _level(element: Any) -> Level:
    start = number(value_of(element, "start"))
    format = element.find(f"{W}numFmt")
    if format is None:  # written by Word for formats that older versions do not know
        format = next(iter(element.iter(f"{W}numFmt")), None)
    return Level(
        "decimal" if format is None else format.get(f"{W}val") or "decimal",
        value_of(element, "lvlText") or "",
        1 if start is None else start,
        value_of(element, "pStyle"),
        number(value_of(element, "lvlRestart")),
        is_on(element.find(f"{W}isLgl")),
    )
