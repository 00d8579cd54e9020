"""A PowerPoint file, slide by slide in the order of the show: title, text, tables, charts, diagrams, speaker's notes.

A slide's title is a heading of level 2, so that a slide is a section. Shapes are read in the order of their places
(`slide_order`), with the bullets and numbers that they inherit (`slide_layouts`). Hidden slides and shapes, what lies beside
the slide, pictures, media and comments are left out and recorded; footers, dates and what stands on the layout behind every
slide are furniture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.errors import DocumentEmpty
from ingest.model.document import Block, Document, Link, Provenance, Table, table_text
from ingest.model.language import join_lines
from ingest.parse.draft import paired
from ingest.parse.ledger import Ledger
from ingest.parse.office.charts import CX, C, chart_of
from ingest.parse.office.diagrams import DGM, diagram_items
from ingest.parse.office.drawing import MC, A, described, is_decoration, paragraph_text, shape_text
from ingest.parse.office.grid import Grid
from ingest.parse.office.package import Package, R
from ingest.parse.office.properties import properties
from ingest.parse.office.slide_layouts import TITLES, Layout, P, marker, placeholder
from ingest.parse.office.slide_order import Box, Placed, in_reading_order

_P14 = "{http://schemas.microsoft.com/office/powerpoint/2010/main}"
_FURNITURE = ("dt", "ftr", "hdr")
_MARKED = (f"{A}buChar", f"{A}buAutoNum", f"{A}buBlip")
_SHAPES = tuple(f"{P}{name}" for name in ("sp", "grpSp", "graphicFrame", "pic", "cxnSp", "contentPart"))
_MEDIA = tuple(f"{A}{name}" for name in ("videoFile", "audioFile", "wavAudioFile", "quickTimeFile", "audioCd"))
LONGEST_FIRST_LINE = 60
DEEPEST_GROUP = 20


def read(package: Package, media_type: str, parser: str) -> Document:
    """Raises DocumentEmpty when no visible slide has text."""
    root = package.xml(package.main)
    reader = _Reader(package, size=_size(root))
    relations = package.relations(package.main)
    order = [relations.get(entry.get(f"{R}id") or "") for entry in root.iterfind(f"{P}sldIdLst/{P}sldId")]
    for number, relation in enumerate(order, start=1):
        if relation is None or relation.target not in package.parts:
            reader.ledger.note("missing_slide", f"slide {number}")
        else:
            reader.read_slide(number, relation.target)
    if not any(block.layer == "body" for block in reader.blocks):
        raise DocumentEmpty(f"{package.name} has no text on its {len(order)} slides; leave it out with .ingestignore")
    embedded = properties(package)
    if sections := [section.get("name") or "" for section in root.iter(f"{_P14}section")]:
        embedded["sections"] = sections
    title = embedded.get("title") or next((block.text for block in reader.blocks if block.kind == "heading"), None)
    blocks, links = paired(reader.blocks, reader.links)
    return Document(
        media_type=media_type,
        parser=parser,
        title=title,
        blocks=blocks,
        links=links,
        omissions=reader.ledger.omissions(),
        embedded=embedded,
        pages=len(order),
    )


@dataclass(slots=True)
class _Reader:
    package: Package
    size: tuple[int, int] | None
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    part: str = ""
    locator: str = ""
    number: int = 0
    layout: Layout = field(default_factory=Layout)
    said: set[str] = field(default_factory=set)
    """Descriptions and furniture that were met already; a logo on every slide says it once."""

    def read_slide(self, number: int, part: str) -> None:
        self.part, self.locator, self.number = part, f"slide {number}", number
        root = self.package.xml(part)
        if root.get("show") in ("0", "false"):
            self.ledger.note("hidden_slide", self.locator, shape_text(root))
            return
        self.layout = Layout.of(self.package, part)
        self.record_comments(part)
        first = len(self.blocks)
        self.read_shapes(root.find(f"{P}cSld/{P}spTree"), 0)
        if not any(block.layer == "body" for block in self.blocks[first:]):
            self.ledger.note("slide_without_text", self.locator)
        self.head(first)
        if root.get("showMasterSp") not in ("0", "false"):
            self.read_backgrounds()
        for notes in self.package.related(part, "notesSlide"):
            self.read_notes(notes)

    def read_notes(self, part: str) -> None:
        self.part, self.locator = part, f"slide {self.number} notes"
        self.layout = Layout()
        for shape in _shapes(self.package.xml(part).find(f"{P}cSld/{P}spTree")):
            kind = (placeholder(shape) or ("", ""))[0]
            if shape.tag == f"{P}sp" and kind not in (*_FURNITURE, "sldNum", "sldImg"):
                self.read_text(shape)

    def read_backgrounds(self) -> None:
        """What is written on the layout and master themselves is seen on every slide, and said once."""
        for name, root in self.layout.backgrounds:
            for shape in root.iter(f"{P}sp"):
                if placeholder(shape) is None:
                    self.add_furniture(shape_text(shape.find(f"{P}txBody")), name.rpartition("/")[2].removesuffix(".xml"))

    def record_comments(self, part: str) -> None:
        for comments in self.package.related(part, "comments"):
            for comment in self.package.xml(comments):
                legacy = "".join(text.text or "" for text in comment.iter(f"{P}text"))
                self.ledger.note("comment", self.locator, legacy or shape_text(comment))

    def head(self, first: int) -> None:
        """Let a short first line stand for the title of a slide that has none, or its text would belong to the slide before."""
        here = [at for at in range(first, len(self.blocks)) if self.blocks[at].layer == "body"]
        if len(here) < 2 or any(self.blocks[at].kind == "heading" for at in here):
            return
        block = self.blocks[here[0]]
        if block.kind == "paragraph" and "\n" not in block.text and len(block.text) <= LONGEST_FIRST_LINE:
            self.blocks[here[0]] = replace(block, kind="heading", level=2, evidence="first line", confidence=0.5)

    # Shapes

    def read_shapes(self, tree: Any | None, depth: int) -> None:
        """Read the shapes of a slide or group: its title, then the others by their places."""
        titles, others = [], []
        for shape in _shapes(tree):
            kind = (placeholder(shape) or ("", ""))[0]
            box = self.layout.box(shape)
            if self.is_unseen(shape, box if depth == 0 else None):
                continue
            if kind in TITLES:
                titles.append(shape)
            else:
                body = shape.find(f"{P}txBody")
                single = body is not None and sum(bool(paragraph_text(p)) for p in body.iterfind(f"{A}p")) == 1
                others.append(Placed(shape, box or (0, 0, 0, 0), heads=single))
        for shape in [*titles, *in_reading_order(others)]:
            self.read_shape(shape, depth)

    def is_unseen(self, shape: Any, box: Box | None) -> bool:
        """Record a shape that was hidden or lies beside the slide."""
        named = next(shape.iterfind(f"*/{P}cNvPr"), None)
        said = shape_text(shape)
        if named is not None and named.get("hidden") in ("1", "true"):
            self.ledger.note("hidden_shape", self.locator, said or described(named))
            return True
        if box is None or self.size is None or box[2] - box[0] <= 0 or not said:
            return False
        away = box[2] <= 0 or box[3] <= 0 or box[0] >= self.size[0] or box[1] >= self.size[1]
        if away:
            self.ledger.note("off_slide", self.locator, said)
        return away

    def read_shape(self, shape: Any, depth: int) -> None:
        if shape.tag == f"{P}grpSp":
            if depth < DEEPEST_GROUP:
                self.read_shapes(shape, depth + 1)
            else:
                self.ledger.note("nested_group", self.locator, shape_text(shape))
        elif shape.tag == f"{P}graphicFrame":
            self.read_frame(shape)
        elif shape.tag == f"{P}pic":
            self.read_picture(shape)
        elif shape.tag == f"{P}contentPart":
            self.ledger.note("ink", self.locator)
        else:
            kind = (placeholder(shape) or ("", ""))[0]
            if kind in TITLES:
                self.read_title(shape)
            elif kind in _FURNITURE:
                self.add_furniture(shape_text(shape.find(f"{P}txBody")), self.locator)
            elif kind != "sldNum":
                self.read_text(shape)
                if shape.find(f"{P}spPr/{A}blipFill") is not None:
                    self.describe(shape)

    def read_picture(self, shape: Any) -> None:
        media = next(shape.iter(*_MEDIA), None)
        named = next(shape.iterfind(f"*/{P}cNvPr"), None)
        if media is not None:
            self.ledger.note("media", self.locator, "" if named is None else named.get("name") or "")
        else:
            self.describe(shape)

    def describe(self, shape: Any) -> None:
        """Count a picture, and say what its author says of it."""
        named = next(shape.iterfind(f"*/{P}cNvPr"), None)
        said = described(named)
        if not is_decoration(named):
            self.ledger.note("image", self.locator, said)
        if said and said not in self.said:
            self.said.add(said)
            self.blocks.append(Block("caption", said, provenance=self.here()))

    def here(self) -> Provenance:
        return Provenance(locator=self.locator)

    def add_furniture(self, text: str, where: str) -> None:
        text = " ".join(text.split())
        if text and text not in self.said:
            self.said.add(text)
            self.blocks.append(Block("paragraph", text, layer="furniture", provenance=Provenance(locator=where)))

    # Text

    def read_title(self, shape: Any) -> None:
        text = join_lines("\n".join(paragraph_text(p, self.number) for p in shape.iter(f"{A}p")).strip())
        if text:
            self.add(Block("heading", text, 2, provenance=self.here(), evidence="style"), shape)

    def read_text(self, shape: Any) -> None:
        """Paragraphs of a shape; those with a bullet or number gather into lists. A sole one is no list, whatever it inherits."""
        body = shape.find(f"{P}txBody")
        paragraphs = [] if body is None else [(p, paragraph_text(p, self.number)) for p in body.iterfind(f"{A}p")]
        filled = [(p, text, _depth(p)) for p, text in paragraphs if text]
        items: list[str] = []
        counters: dict[int, int] = {}
        for element, text, depth in filled:
            mark = self.layout.mark(shape, element, depth)
            inherited = mark is not None and mark.getparent().tag != f"{A}pPr"
            sign = marker(None if inherited and len(filled) == 1 else mark, depth, counters)
            if sign:
                items.append("  " * depth + sign + " " + " ".join(text.split()))
                continue
            self.add_list(items, shape)
            items = []
            self.add(Block("paragraph", text, provenance=self.here()), element)
        self.add_list(items, shape)

    def add_list(self, items: list[str], shape: Any | None) -> None:
        if items:
            least = min(len(item) - len(item.lstrip(" ")) for item in items)
            self.add(Block("list", "\n".join(item[least:] for item in items), provenance=self.here()), shape)

    def cell_text(self, cell: Any) -> str:
        lines: list[str] = []
        counters: dict[int, int] = {}
        for paragraph in cell.iterfind(f"{A}txBody/{A}p"):
            text = paragraph_text(paragraph, self.number)
            if not text:
                continue
            properties = paragraph.find(f"{A}pPr")
            marks = () if properties is None else (e for e in properties if e.tag in _MARKED)
            sign = marker(next(iter(marks), None), _depth(paragraph), counters)
            lines.append(f"{sign} {text}".strip())
        return "\n".join(lines)

    # Frames

    def read_frame(self, frame: Any) -> None:
        table = next(frame.iter(f"{A}tbl"), None)
        chart = next(frame.iter(f"{C}chart", f"{CX}chart"), None)
        diagram = next(frame.iter(f"{DGM}relIds"), None)
        if table is not None:
            self.add_table(self.grid(table), table)
        elif chart is not None:
            self.read_chart(chart.get(f"{R}id"))
        elif diagram is not None:
            self.read_diagram(diagram.get(f"{R}dm"))
        else:
            embedded = next(frame.iter(f"{P}oleObj"), None)
            name = "" if embedded is None else embedded.get("progId") or embedded.get("name") or ""
            self.ledger.note("embedded_object", self.locator, name)

    def grid(self, table: Any) -> Table:
        grid = Grid()
        rows = list(table.iterfind(f"{A}tr"))
        for row_number, row in enumerate(rows):
            for column, cell in enumerate(row.iterfind(f"{A}tc")):
                if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
                    continue
                down = max(1, min(int(cell.get("rowSpan") or 1), len(rows) - row_number))
                grid.put(row_number, column, self.cell_text(cell), down, int(cell.get("gridSpan") or 1))
        grid.rows.extend({} for _ in range(len(rows) - len(grid.rows)))
        settings = table.find(f"{A}tblPr")
        headed = settings is not None and settings.get("firstRow") in ("1", "true")
        return grid.table(grid.grouped_header_rows() if headed else 0)

    def add_table(self, table: Table, where: Any | None) -> None:
        if any(any(row) for row in table.rows):
            self.add(Block("table", table_text(table), table=table, provenance=self.here()), where)

    def read_chart(self, relation: str | None) -> None:
        """A chart is the table of the values it last showed."""
        part = self.package.target(self.part, relation)
        if part is None:
            self.ledger.note("embedded_object", self.locator, "chart")
            return
        chart = chart_of(self.package, part)
        if chart.caption:
            self.blocks.append(Block("caption", chart.caption, provenance=self.here()))
        if chart.table is not None:
            self.add_table(chart.table, None)
        elif not chart.caption:
            self.ledger.note("chart_without_values", self.locator)

    def read_diagram(self, relation: str | None) -> None:
        part = self.package.target(self.part, relation)
        if part is None:
            self.ledger.note("embedded_object", self.locator, "diagram")
        else:
            self.add_list(diagram_items(self.package.xml(part)), None)

    def add(self, block: Block, where: Any | None) -> None:
        """Append a block and the links within `where`, a shape or paragraph or table."""
        relations = self.package.relations(self.part)
        for element in () if where is None else where.iter(f"{A}hlinkClick"):
            relation = relations.get(element.get(f"{R}id") or "")
            run = element.getparent().getparent()
            text = "".join(t.text or "" for t in run.iterfind(f"{A}t")).strip() if run.tag == f"{A}r" else block.text
            if relation is not None and relation.external and text in block.text:
                self.links.append(Link(len(self.blocks), text, relation.target))
        self.blocks.append(block)


def _shapes(tree: Any | None) -> Iterator[Any]:
    """Shapes of a tree; of alternatives for new and old readers the first that has any."""
    for element in () if tree is None else tree:
        if element.tag == f"{MC}AlternateContent":
            yield from next((found for choice in element if (found := list(_shapes(choice)))), ())
        elif element.tag in _SHAPES:
            yield element


def _depth(paragraph: Any) -> int:
    settings = paragraph.find(f"{A}pPr")
    return 0 if settings is None else min(max(int(settings.get("lvl") or 0), 0), 8)


def _size(root: Any) -> tuple[int, int] | None:
    found = root.find(f"{P}sldSz")
    return None if found is None else (int(found.get("cx") or 0), int(found.get("cy") or 0))
