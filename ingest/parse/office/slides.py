"""A PowerPoint file, slide by slide in the order of the show: title, text, tables, charts, speaker's notes.

A slide's title is a heading of level 2, so that a slide is a section. Shapes are read from top to bottom and left to right,
placeholders without a place of their own standing where their layout puts them. Hidden slides, pictures and comments are left
out and counted; footers and dates are furniture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.errors import DocumentEmpty
from ingest.model.document import Block, Document, Link, Omission, Provenance, Table, laid_out, table_text
from ingest.parse.office.number_words import spelled
from ingest.parse.office.package import Package, R
from ingest.parse.office.properties import properties as core_properties

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "hdr")
_NUMBER_FORMATS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
SAME_ROW = 457_200 // 2
"""Shapes whose tops differ by less (a quarter inch, in English Metric Units) are read from left to right."""


def read(package: Package, media_type: str, parser: str) -> Document:
    """Raises DocumentEmpty when no visible slide has text."""
    reader = _Reader(package)
    relations = package.relations(package.main)
    order = package.xml(package.main).iterfind(f"{_P}sldIdLst/{_P}sldId")
    slides = [relations[entry.get(f"{R}id")].target for entry in order if entry.get(f"{R}id") in relations]
    for number, part in enumerate(slides, start=1):
        reader.read_slide(number, part)
    if not any(block.layer == "body" for block in reader.blocks):
        raise DocumentEmpty(f"{package.name} has no text on its {len(slides)} slides; leave it out with .ingestignore")
    embedded = core_properties(package)
    title = embedded.get("title") or next((block.text for block in reader.blocks if block.kind == "heading"), None)
    return Document(
        media_type=media_type,
        parser=parser,
        title=title,
        blocks=laid_out(reader.blocks),
        links=tuple(reader.links),
        omissions=tuple(reader.omissions()),
        embedded=embedded,
        pages=len(slides),
    )


@dataclass(slots=True)
class _Reader:
    package: Package
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    omitted: Counter[tuple[str, str]] = field(default_factory=Counter)
    part: str = ""
    locator: str = ""

    def read_slide(self, number: int, part: str) -> None:
        self.part, self.locator = part, f"slide {number}"
        root = self.package.xml(part)
        if root.get("show") in ("0", "false"):
            self.omitted["hidden_slide", self.locator] += 1
            return
        for comments in self.package.related(part, "comments"):
            self.omitted["comment", self.locator] += len(self.package.xml(comments))
        first = len(self.blocks)
        for shape in self.in_order(root):
            self.read_shape(shape)
        self.head(first)
        for notes in self.package.related(part, "notesSlide"):
            self.part, self.locator = notes, f"slide {number} notes"
            for shape in self.package.xml(notes).iter(f"{_P}sp"):
                if _placeholder(shape)[0] == "body":
                    self.read_text(shape, bullets=False)

    def head(self, first: int) -> None:
        """Let a short first line stand for the title of a slide that has none, or its text would belong to the slide before."""
        here = [at for at in range(first, len(self.blocks)) if self.blocks[at].layer == "body"]
        if len(here) < 2 or any(self.blocks[at].kind == "heading" for at in here):
            return
        block = self.blocks[here[0]]
        if block.kind == "paragraph" and "\n" not in block.text and len(block.text) <= 60:
            self.blocks[here[0]] = replace(block, kind="heading", level=2, evidence="first line", confidence=0.5)

    def in_order(self, slide: Any) -> list[Any]:
        """Shapes of a slide, the title first."""
        places = self.layout_places()
        shapes = []
        for at, shape in enumerate(_shapes(slide.find(f"{_P}cSld/{_P}spTree"))):
            kind, index = _placeholder(shape)
            x, y = _offset(shape) or places.get(index) or places.get(kind) or (0, 0)
            shapes.append(((kind not in _TITLES, y // SAME_ROW, x, at), shape))
        return [shape for _, shape in sorted(shapes, key=lambda pair: pair[0])]

    def layout_places(self) -> dict[str, tuple[int, int]]:
        places: dict[str, tuple[int, int]] = {}
        for layout in self.package.related(self.part, "slideLayout"):
            for shape in self.package.xml(layout).iter(f"{_P}sp"):
                if place := _offset(shape):
                    kind, index = _placeholder(shape)
                    places.setdefault(kind, place)
                    if index:
                        places[index] = place
        return places

    def read_shape(self, shape: Any) -> None:
        if shape.tag == f"{_P}grpSp":
            for inner in _shapes(shape):
                self.read_shape(inner)
        elif shape.tag == f"{_P}graphicFrame":
            self.read_frame(shape)
        elif shape.tag == f"{_P}pic":
            self.omitted["image", self.locator] += 1
        elif shape.tag == f"{_P}sp":
            kind, index = _placeholder(shape)
            if kind in _TITLES:
                self.read_title(shape)
            elif kind in _FURNITURE:
                text = " ".join("".join(t.text or "" for t in shape.iter(f"{_A}t")).split())
                if text:
                    self.blocks.append(Block("paragraph", text, layer="furniture", provenance=self.here()))
            elif kind != "sldNum":
                self.read_text(shape, bullets=kind in ("body", "obj") or (not kind and bool(index)))

    def here(self) -> Provenance:
        return Provenance(locator=self.locator)

    def read_title(self, shape: Any) -> None:
        text = " ".join(" ".join(self.paragraph(p)[0] for p in shape.iter(f"{_A}p")).split())
        if text:
            self.add(Block("heading", text, 2, provenance=self.here(), evidence="style"), shape)

    def read_text(self, shape: Any, bullets: bool) -> None:
        """Paragraphs of a shape; those with a bullet or number gather into lists."""
        body = shape.find(f"{_P}txBody")
        paragraphs = [] if body is None else [(p, *self.paragraph(p)) for p in body.iterfind(f"{_A}p")]
        filled = [(p, text, depth) for p, text, depth in paragraphs if text]
        items: list[str] = []
        counters: dict[int, int] = {}
        for element, text, depth in filled:
            marker = _marker(element, depth, bullets and len(filled) > 1, counters)
            if marker:
                items.append("  " * depth + marker + " " + " ".join(text.split()))
                continue
            self.add_list(items, shape)
            items = []
            self.add(Block("paragraph", text, provenance=self.here()), element)
        self.add_list(items, shape)

    def add_list(self, items: list[str], shape: Any) -> None:
        if items:
            least = min(len(item) - len(item.lstrip(" ")) for item in items)
            self.add(Block("list", "\n".join(item[least:] for item in items), provenance=self.here()), shape)

    def paragraph(self, element: Any) -> tuple[str, int]:
        """Text and depth of one paragraph; line breaks kept."""
        text = ""
        for child in element:
            if child.tag in (f"{_A}r", f"{_A}fld"):
                text += "".join(t.text or "" for t in child.iterfind(f"{_A}t"))
            elif child.tag == f"{_A}br":
                text += "\n"
            elif child.tag in (f"{_MC}AlternateContent",):
                text += "".join(t.text or "" for choice in child[:1] for t in choice.iter() if str(t.tag).endswith("}t"))
        properties = element.find(f"{_A}pPr")
        depth = 0 if properties is None else min(int(properties.get("lvl") or 0), 8)
        lines = (" ".join(line.split()) for line in text.replace("\v", "\n").split("\n"))
        return "\n".join(line for line in lines if line), depth

    def read_frame(self, frame: Any) -> None:
        table = frame.find(f".//{_A}tbl")
        chart = frame.find(f".//{_C}chart")
        diagram = frame.find(f".//{_DGM}relIds")
        if table is not None:
            self.add_table(self.grid(table), table)
        elif chart is not None:
            self.read_chart(chart.get(f"{R}id") or "")
        elif diagram is not None:
            self.read_diagram(diagram.get(f"{R}dm") or "")
        else:
            self.omitted["object", self.locator] += 1

    def grid(self, table: Any) -> Table:
        rows: list[tuple[str, ...]] = []
        for row in table.iterfind(f"{_A}tr"):
            cells: list[str] = []
            for at, cell in enumerate(row.iterfind(f"{_A}tc")):
                if cell.get("hMerge") in ("1", "true"):
                    cells.append(cells[-1] if cells else "")
                elif cell.get("vMerge") in ("1", "true") and rows and at < len(rows[-1]):
                    cells.append(rows[-1][at])
                else:
                    cells.append("\n".join(text for p in cell.iter(f"{_A}p") if (text := self.paragraph(p)[0])))
            rows.append(tuple(cells))
        width = max((len(row) for row in rows), default=0)
        properties = table.find(f"{_A}tblPr")
        headed = properties is not None and properties.get("firstRow") in ("1", "true") and len(rows) > 1
        return Table(tuple(row + ("",) * (width - len(row)) for row in rows), int(headed))

    def add_table(self, table: Table, where: Any) -> None:
        if any(any(row) for row in table.rows):
            self.add(Block("table", table_text(table), table=table, provenance=self.here()), where)

    def read_chart(self, relation: str) -> None:
        """A chart is the table of the values it last showed."""
        found = self.package.relations(self.part).get(relation)
        if found is None or found.target not in self.package.parts:
            self.omitted["object", self.locator] += 1
            return
        root = self.package.xml(found.target)
        title = "".join(t.text or "" for t in root.iterfind(f"{_C}chart/{_C}title//{_A}t")).strip()
        if title:
            self.blocks.append(Block("caption", title, provenance=self.here()))
        series = list(root.iter(f"{_C}ser"))
        if not series:
            return
        names = [_points(one, "tx").get(0, str(at)) for at, one in enumerate(series, start=1)]
        values = [_points(one, "val") or _points(one, "yVal") for one in series]
        categories = max((_points(one, "cat") or _points(one, "xVal") for one in series), key=len)
        keys = sorted({key for of_one in values for key in of_one} | set(categories))
        rows = [("", *names)]
        rows += [(categories.get(key, str(key + 1)), *(of_one.get(key, "") for of_one in values)) for key in keys]
        self.add_table(Table(tuple(rows)), None)

    def read_diagram(self, relation: str) -> None:
        """The texts of a SmartArt diagram, one an item."""
        found = self.package.relations(self.part).get(relation)
        if found is None or found.target not in self.package.parts:
            self.omitted["object", self.locator] += 1
            return
        points = self.package.xml(found.target).iter(f"{_DGM}pt")
        texts = (" ".join("".join(t.text or "" for t in point.iter(f"{_A}t")).split()) for point in points)
        self.add_list([f"- {text}" for text in texts if text], None)

    def add(self, block: Block, where: Any | None) -> None:
        """Append a block and the links within `where`."""
        relations = self.package.relations(self.part)
        for run in [] if where is None else where.iter(f"{_A}r"):
            click = run.find(f"{_A}rPr/{_A}hlinkClick")
            relation = None if click is None else relations.get(click.get(f"{R}id") or "")
            text = "".join(t.text or "" for t in run.iterfind(f"{_A}t")).strip()
            if relation is not None and relation.external and text in block.text:
                self.links.append(Link(len(self.blocks), text, relation.target))
        self.blocks.append(block)

    def omissions(self) -> Iterator[Omission]:
        for (kind, where), count in sorted(self.omitted.items()):
            if count:
                yield Omission(kind, count, where)


def _shapes(tree: Any | None) -> Iterator[Any]:
    """Shapes of a tree; of alternatives for old and new readers, the first."""
    for element in () if tree is None else tree:
        if element.tag == f"{_MC}AlternateContent":
            for choice in element[:1]:
                yield from _shapes(choice)
        elif element.tag in (f"{_P}sp", f"{_P}grpSp", f"{_P}graphicFrame", f"{_P}pic"):
            yield element


def _placeholder(shape: Any) -> tuple[str, str]:
    """(type, index) of a placeholder, empty strings for a shape that is none."""
    found = next(iter(shape.iterfind(f"*/{_P}nvPr/{_P}ph")), None)
    return ("", "") if found is None else (found.get("type") or "", found.get("idx") or "")


def _offset(shape: Any) -> tuple[int, int] | None:
    paths = (f"{_P}spPr/{_A}xfrm/{_A}off", f"{_P}xfrm/{_A}off", f"{_P}grpSpPr/{_A}xfrm/{_A}off")
    found = next((offset for path in paths if (offset := shape.find(path)) is not None), None)
    return None if found is None else (int(found.get("x") or 0), int(found.get("y") or 0))


def _marker(paragraph: Any, depth: int, default: bool, counters: dict[int, int]) -> str:
    """The list marker of a paragraph, or an empty string. `counters` holds how far each depth has counted."""
    properties = paragraph.find(f"{_A}pPr")
    numbered = None if properties is None else properties.find(f"{_A}buAutoNum")
    for deeper in [d for d in counters if d > depth or (d == depth and numbered is None)]:
        del counters[deeper]
    if numbered is not None:
        counters[depth] = counters.get(depth, int(numbered.get("startAt") or 1) - 1) + 1
        kind = numbered.get("type") or "arabicPeriod"
        number = spelled(counters[depth], next((f for name, f in _NUMBER_FORMATS.items() if kind.startswith(name)), "decimal"))
        return f"({number})" if kind.endswith("ParenBoth") else f"{number})" if kind.endswith("ParenR") else f"{number}."
    if properties is not None and properties.find(f"{_A}buNone") is not None:
        return ""
    bulleted = properties is not None and any(properties.find(f"{_A}{kind}") is not None for kind in ("buChar", "buBlip"))
    return "-" if bulleted or default else ""


def _points(series: Any, name: str) -> dict[int, str]:
    """Cached points of a part of a chart series, by index."""
    found = series.find(f"{_C}{name}")
    if found is None:
        return {}
    return {int(pt.get("idx") or 0): (pt.findtext(f"{_C}v") or "").strip() for pt in found.iter(f"{_C}pt")}
