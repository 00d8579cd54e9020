"""What a slide's shapes inherit from its layout and master: their places, and whether their lines have bullets or numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ingest.parse.office.drawing import A
from ingest.parse.office.number_words import spelled
from ingest.parse.office.package import Package
from ingest.parse.office.slide_order import Box

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
TITLES = ("title", "ctrTitle")
_FAMILY = {"": "body", "obj": "body", "subTitle": "body", "ctrTitle": "title", "tbl": "body", "chart": "body", "dgm": "body"}
"""Type of a placeholder -> the one of the master that it goes back to."""
_FORMATS = (
    ("alphaLc", "lowerLetter"), ("alphaUc", "upperLetter"), ("romanLc", "lowerRoman"), ("romanUc", "upperRoman"),
    ("circleNum", "decimalEnclosedCircle"), ("ea1Chs", "chineseCounting"), ("ea1Cht", "chineseCounting"),
    ("ea1Jpn", "japaneseCounting"), ("arabicDb", "decimalFullWidth"), ("thai", "thaiNumbers"), ("hindi", "hindiNumbers"),
    ("hebrew", "hebrew1"), ("arabic1", "arabicAlpha"), ("arabic2", "arabicAbjad"),
)
_MARKS = ("buNone", "buChar", "buAutoNum", "buBlip")


@dataclass(slots=True)
class Layout:
    """The layout and master of one slide. `shapes` are their placeholders, the layout's first."""

    shapes: list[Any] = field(default_factory=list)
    master: Any | None = None
    backgrounds: list[tuple[str, Any]] = field(default_factory=list)
    """(name of the part, its root) of what is drawn behind the slide."""

    @classmethod
    def of(cls, package: Package, slide: str) -> Layout:
        made = cls()
        for layout in package.related(slide, "slideLayout")[:1]:
            root = package.xml(layout)
            made.shapes.extend(root.iter(f"{P}sp"))
            made.backgrounds.append((layout, root))
            for master in package.related(layout, "slideMaster")[:1]:
                made.master = package.xml(master)
                made.shapes.extend(made.master.iter(f"{P}sp"))
                if root.get("showMasterSp") not in ("0", "false"):
                    made.backgrounds.append((master, made.master))
        return made

    def models(self, shape: Any) -> list[Any]:
        """The placeholders that a placeholder of the slide goes back to, nearest first."""
        kind, index = placeholder(shape) or ("", "")
        exact, same, family = [], [], []
        for other in self.shapes:
            found = placeholder(other)
            if found is None:
                continue
            if index and found[1] == index:
                exact.append(other)
            elif found[0] == kind:
                same.append(other)
            elif found[0] == _FAMILY.get(kind, kind):
                family.append(other)
        return [*exact[:1], *same[:2], *family[:1]]

    def box(self, shape: Any) -> Box | None:
        """Where a shape stands, by itself or by what it goes back to."""
        own = _box(shape)
        if own is not None or placeholder(shape) is None:
            return own
        return next((box for model in self.models(shape) if (box := _box(model)) is not None), None)

    def mark(self, shape: Any, paragraph: Any, depth: int) -> Any | None:
        """The element that marks a paragraph (`buNone`, `buChar`, `buAutoNum`, `buBlip`), None where nothing does."""
        level = f"{A}lvl{depth + 1}pPr"
        properties = [paragraph.find(f"{A}pPr")]
        is_placeholder = placeholder(shape) is not None
        for source in (shape, *(self.models(shape) if is_placeholder else ())):
            properties.append(source.find(f"{P}txBody/{A}lstStyle/{level}"))
        if self.master is not None:
            kind = (placeholder(shape) or ("", ""))[0]
            style = "otherStyle" if not is_placeholder else "titleStyle" if kind in TITLES else "bodyStyle"
            properties.append(self.master.find(f"{P}txStyles/{P}{style}/{level}"))
        found = (p.find(f"{A}{mark}") for p in properties if p is not None for mark in _MARKS)
        return next((mark for mark in found if mark is not None), None)


def placeholder(shape: Any) -> tuple[str, str] | None:
    """(type, index) of a placeholder, None for a shape that is none."""
    found = next(iter(shape.iterfind(f"*/{P}nvPr/{P}ph")), None)
    return None if found is None else (found.get("type") or "", found.get("idx") or "")


def _box(shape: Any) -> Box | None:
    paths = (f"{P}spPr/{A}xfrm", f"{P}xfrm", f"{P}grpSpPr/{A}xfrm")
    frame = next((found for path in paths if (found := shape.find(path)) is not None), None)
    offset = None if frame is None else frame.find(f"{A}off")
    if frame is None or offset is None:
        return None
    x, y = int(offset.get("x") or 0), int(offset.get("y") or 0)
    size = frame.find(f"{A}ext")
    width, height = (0, 0) if size is None else (int(size.get("cx") or 0), int(size.get("cy") or 0))
    return x, y, x + width, y + height


def marker(mark: Any | None, depth: int, counters: dict[int, int]) -> str:
    """The list marker of a paragraph, or an empty string. `counters` holds how far each depth has counted."""
    kind = None if mark is None else mark.tag.removeprefix(A)
    for deeper in [d for d in counters if d > depth or (d == depth and kind != "buAutoNum")]:
        del counters[deeper]
    if mark is None or kind == "buNone":
        return ""
    if kind != "buAutoNum":
        return "-"
    counters[depth] = counters.get(depth, int(mark.get("startAt") or 1) - 1) + 1
    written = mark.get("type") or "arabicPeriod"
    number = spelled(counters[depth], next((format for name, format in _FORMATS if written.startswith(name)), "decimal"))
    if written.endswith("ParenBoth"):
        return f"({number})"
    return f"{number})" if written.endswith("ParenR") else number if number[0] in "①②③④⑤⑥⑦⑧⑨⑩" else f"{number}."
