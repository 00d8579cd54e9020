"""One story of a Word document, the body or a note or a header, read paragraph by paragraph into blocks.

Paragraphs become headings, list items, captions, code or plain paragraphs by their style and numbering; tables are read in
`word_tables`; text boxes, charts and notes stand behind the paragraph that anchors them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.model.document import Block, BlockKind, Link, Provenance, Table, table_text
from ingest.parse.codelike import looks_like_code
from ingest.parse.office.charts import chart_of
from ingest.parse.office.diagrams import diagram_items
from ingest.parse.office.word_chunks import imported
from ingest.parse.office.word_line import DELETED, TRANSPARENT, Attached, Gatherer, Line, Shared, control_content, shaded
from ingest.parse.office.word_numbering import Numbering
from ingest.parse.office.word_styles import W, number, value_of
from ingest.parse.office.word_tables import Tabled, read_table, sole_cell

LONGEST_HEADING = 400
DEEPEST_BOX = 6


@dataclass(slots=True)
class Look:
    """How a plain paragraph looks, for documents whose headings are made by hand."""

    block: int
    size: int
    """Height in half points of its smallest character."""
    bold: bool
    letters: int


@dataclass(slots=True)
class Story:
    """Walks one part once. Counters of numbered lists make the order of calls matter. `kind` names the locators of notes."""

    shared: Shared
    numbering: Numbering
    part: str
    kind: str = ""
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    title: str | None = None
    count: Counter[str] = field(default_factory=Counter)
    comments: dict[str, str] = field(default_factory=dict)
    """Id of a comment -> where it is."""
    items: list[str] = field(default_factory=list)
    item_links: list[tuple[str, str]] = field(default_factory=list)
    list_start: int = 0
    code_end: int = -1
    """Number of the paragraph that last was code."""
    carried: Line | None = None
    """Text of a paragraph whose end was deleted, or of a dropped initial: the next paragraph goes on with it."""
    contents: int = 0
    """How many controls that hold a table of contents are open."""
    described: set[str] = field(default_factory=set)
    boxes: int = 0
    fields_close: bool = True
    """Whether every field that begins also ends; in a damaged file none may run into the next paragraph and hide it."""
    gatherer: Gatherer = field(init=False)

    def __post_init__(self) -> None:
        self.gatherer = Gatherer(self.shared, self.part)

    def read(self, parent: Any) -> None:
        """Read everything below `parent` and finish."""
        marks = [mark.get(f"{W}fldCharType") for mark in parent.iter(f"{W}fldChar")]
        self.fields_close = marks.count("begin") == marks.count("end")
        self.read_blocks(parent)
        self.flush_carried()
        self.close_list()

    # Blocks

    def read_blocks(self, parent: Any) -> None:
        for element in parent:
            tag = element.tag
            if tag == f"{W}p":
                self.read_paragraph(element)
            elif tag == f"{W}tbl":
                self.read_table(element)
            elif tag in DELETED:
                self.gatherer.omit_deletion(element)
            elif tag == f"{W}sdt":
                self.read_control(element)
            elif tag == f"{W}altChunk":
                self.read_import(element)
            elif tag in TRANSPARENT:
                self.read_blocks(element)
            elif tag.startswith("{http://schemas.openxmlformats.org/officeDocument/2006/math}"):
                line = Line()
                self.gatherer.equation(element, line)
                self.add_text(line, "")

    def read_control(self, element: Any) -> None:
        gallery = element.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
        contents = gallery is not None and "table of contents" in (gallery.get(f"{W}val") or "").lower()
        self.contents += contents
        for content in control_content(element, self.shared.ledger, self.here):
            self.read_blocks(content)
        self.contents -= contents

    def read_paragraph(self, element: Any) -> None:
        self.count["paragraph"] += 1
        properties = element.find(f"{W}pPr")
        label = self.label(element)
        line = self.line(element)
        if _goes_on(properties):
            self.carried = line
            return
        style = value_of(properties, "pStyle")
        text = line.text.strip()
        level = self.shared.styles.heading_level(style, number(value_of(properties, "outlineLvl")))
        role = self.shared.styles.role(style)
        if text and (role == "toc" or self.contents or line.in_contents):
            self.add(Block("paragraph", " ".join(text.split()), layer="furniture"), Line())
        elif text and level and len(text) <= LONGEST_HEADING:
            self.title = self.title or (flat(text) if self.shared.styles.is_title(style) else None)
            heading = flat(f"{label[0]} {text}" if label and label[0] != "-" else text)
            self.add(Block("heading", heading, level, evidence="style"), line)
        elif text and label and label[0]:
            self.add_item("  " * label[1] + label[0] + " " + flat(text), line)
        elif text:
            self.add_text(line, role)
        self.read_attached(line.attached)

    def line(self, element: Any) -> Line:
        """Gather a paragraph, behind what the one before left to it."""
        properties = element.find(f"{W}pPr")
        made, self.carried = self.carried or Line(), None
        self.gatherer.where = self.here
        self.gatherer.coloured = shaded(properties) or any(
            shaded(style.paragraph) for style in self.shared.styles.chain(value_of(properties, "pStyle"))
        )
        for one in self.gatherer.fields.open:  # a result that began in a paragraph before
            one.opened = len(made.text)
        self.gatherer.gather(element, made, value_of(properties, "pStyle"))
        if not self.fields_close:
            self.gatherer.fields.open.clear()
        for reference in element.iter(f"{W}commentReference"):
            self.comments.setdefault(reference.get(f"{W}id") or "", self.here)
        return made

    def label(self, element: Any) -> tuple[str, int] | None:
        """The list label and depth of a paragraph, None when it is in no list; counting is a side effect."""
        properties = element.find(f"{W}pPr")
        place = self.numbering.place(properties, value_of(properties, "pStyle"), self.shared.styles)
        if place is None or _is_mark_deleted(properties):
            return None
        return self.numbering.label(*place), place[1]

    def flush_carried(self) -> None:
        if self.carried is not None:
            line, self.carried = self.carried, None
            if line.text.strip():
                self.add_text(line, "")
            self.read_attached(line.attached)

    def add_text(self, line: Line, role: str) -> None:
        letters = line.plain + line.bold
        after_code = bool(self.blocks) and self.blocks[-1].kind == "code" and self.code_end == self.count["paragraph"] - 1
        if role == "code" or (letters and line.typewritten == letters and (after_code or looks_like_code(line.text))):
            self.code_end = self.count["paragraph"]
            if after_code and not self.items:
                self.blocks[-1] = replace(self.blocks[-1], text=f"{self.blocks[-1].text}\n{line.text.rstrip()}")
            else:
                self.add(Block("code", line.text.rstrip()), line)
            return
        kinds: dict[str, BlockKind] = {"caption": "caption", "quote": "quote"}
        kind: BlockKind = "formula" if line.math_only else kinds.get(role, "paragraph")
        text = "\n".join(" ".join(part.split()) for part in line.text.strip().split("\n") if part.strip())
        if not text:
            return
        self.add(Block(kind, text), line)
        if kind == "paragraph" and line.sizes:
            self.looks.append(Look(len(self.blocks) - 1, min(line.sizes), bool(line.bold) and not line.plain, letters))

    def read_attached(self, attached: list[Attached]) -> None:
        """Text boxes, charts and notes stand after the paragraph that anchors them."""
        for one in attached:
            if one.kind == "box":
                self.read_box(one.what)
            elif one.kind == "note":
                self.read_note(*one.what)
            elif one.kind == "chart":
                chart = chart_of(self.shared.package, one.what)
                self.add_caption(chart.caption)
                if chart.table is not None:
                    self.add_table_block(chart.table, self.here)
            elif one.kind == "diagram":
                items = diagram_items(self.shared.package.xml(one.what))
                self.add(Block("list", "\n".join(items)), Line())
            elif one.kind == "description":
                if one.what not in self.described:  # a logo on every page says it once
                    self.described.add(one.what)
                    self.add_caption(one.what)
            else:
                self.add(Block("paragraph", one.what.strip()), Line())

    def read_box(self, box: Any) -> None:
        self.close_list()
        if self.boxes >= DEEPEST_BOX:
            self.shared.ledger.note("nested_text_box", self.here, "".join(t.text or "" for t in box.iter(f"{W}t")))
            return
        self.boxes += 1
        outer, self.gatherer.on_white = self.gatherer.on_white, False
        self.read_blocks(box)
        self.flush_carried()
        self.close_list()
        self.gatherer.on_white = outer
        self.boxes -= 1

    def read_note(self, kind: str, identifier: str) -> None:
        """A note is read where it is first cited."""
        notes = self.shared.notes
        note = notes.elements.get((kind, identifier))
        if note is None or self.kind:
            return
        mark, where = notes.marks[kind, identifier], f"{kind} {notes.marks[kind, identifier]}"
        told = Story(self.shared, self.numbering, notes.parts[kind], kind=where)
        told.read(note)
        text = flat(" ".join(block.text for block in told.blocks if block.layer == "body"))
        if text:
            self.add(Block("footnote", f"[{mark}] {text}"), Line(links=[(link.text, link.target) for link in told.links]))

    def read_import(self, element: Any) -> None:
        """A file that Word takes in when it opens the document."""
        for block in imported(self.shared.package, self.part, element, self.shared.ledger, self.here):
            self.add(block, Line())

    # Tables

    def read_table(self, element: Any) -> None:
        self.flush_carried()
        frame = sole_cell(element)
        if frame is not None and not self.boxes:
            self.count["table"] += 1
            self.read_box(frame)
            return
        self.count["table"] += 1
        name = f"{self.kind} table {self.count['table']}".strip()
        outer, self.gatherer.on_white = self.gatherer.on_white, False
        self.gatherer.where = name
        tabled = read_table(self, element, name)
        self.gatherer.on_white = outer
        self.add_tabled(tabled)

    def add_tabled(self, tabled: Tabled) -> None:
        if not tabled.is_empty:
            self.add_table_block(tabled.table, tabled.name, tabled.links)
        for inner in tabled.inner:
            self.add_tabled(inner)
        self.read_attached(tabled.attached)

    def add_table_block(self, table: Table, where: str, links: list[tuple[str, str]] | None = None) -> None:
        block = Block("table", table_text(table), table=table, provenance=Provenance(locator=where))
        self.add(block, Line(links=links or []))

    # Lists

    def add_item(self, item: str, line: Line) -> None:
        if not self.items:
            self.list_start = self.count["paragraph"]
        self.items.append(item)
        self.item_links.extend(line.links)

    def close_list(self) -> None:
        if self.items:
            items, links, self.items, self.item_links = self.items, self.item_links, [], []
            depth = min(len(item) - len(item.lstrip(" ")) for item in items)
            text = "\n".join(item[depth:] for item in items)
            where = f"{self.kind} paragraph {self.list_start}".strip()
            self._append(Block("list", text, provenance=Provenance(locator=where)), links)

    def add_caption(self, text: str) -> None:
        self.add(Block("caption", text.strip()), Line())

    def add(self, block: Block, line: Line) -> None:
        if not block.text.strip():
            return
        self.close_list()
        if block.provenance.locator is None:
            block = replace(block, provenance=replace(block.provenance, locator=self.here))
        self._append(block, line.links)

    def _append(self, block: Block, links: list[tuple[str, str]]) -> None:
        self.links.extend(Link(len(self.blocks), flat(text), target) for text, target in links if target)
        self.blocks.append(block)

    @property
    def here(self) -> str:
        return f"{self.kind} paragraph {self.count['paragraph']}".strip()

    def omit(self, kind: str, element: Any) -> None:
        """Record text that is not shown, if there is any."""
        said = "".join(t.text or "" for t in element.iter(f"{W}t"))
        self.shared.ledger.note(kind, self.gatherer.where, said, count=int(bool(said.strip())))


def flat(text: str) -> str:
    return " ".join(text.split())


def _goes_on(properties: Any | None) -> bool:
    """Whether the next paragraph continues this one: its end was deleted, or it is an initial that was dropped."""
    frame = None if properties is None else properties.find(f"{W}framePr")
    initial = frame is not None and frame.get(f"{W}dropCap") in ("drop", "margin")
    return initial or _is_mark_deleted(properties)


def _is_mark_deleted(properties: Any | None) -> bool:
    mark = None if properties is None else properties.find(f"{W}rPr")
    return mark is not None and any(mark.find(f"{W}{name}") is not None for name in ("del", "moveFrom"))
