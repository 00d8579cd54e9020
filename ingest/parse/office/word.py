"""A Word document, read in the order of its body: headings, paragraphs, lists, tables, footnotes, text boxes.

What a reader would not see is left out and counted: tracked deletions, comments, hidden text, pictures. Running headers and
footers and the printed table of contents are kept as furniture. Headings come from styles and outline levels; only a
document that has none is asked for bold, numbered lines instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.errors import DocumentEmpty
from ingest.model.document import Block, BlockKind, Document, Link, Omission, Provenance, Table, laid_out, table_text
from ingest.parse.codelike import looks_like_code
from ingest.parse.numbering import RANKS, numbered
from ingest.parse.office.package import Package, R, core_properties
from ingest.parse.office.word_styles import Numbering, Styles, W, is_on, numbering_of

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_TYPEWRITER = re.compile(r"courier|consolas|mono|menlo|typewriter", re.IGNORECASE)
_HYPERLINK = re.compile(r'HYPERLINK\s+(?:\\l\s+"(?P<anchor>[^"]+)"|"(?P<target>[^"]*)")')

MOST_COLUMNS = 1000
DEEPEST = 8
"""Word has nine levels of lists; larger numbers, like wider spans, are damage or malice."""

_DELETED = (f"{W}del", f"{W}moveFrom")
_TRANSPARENT = tuple(
    f"{W}{name}" for name in ("sdt", "sdtContent", "smartTag", "customXml", "ins", "moveTo", "fldSimple", "dir", "bdo")
)
_PICTURES = ("}blip", "}imagedata", "}chart", "}relIds", "}OLEObject")
_BREAKS = {f"{W}tab": "\t", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}ptab": "\t"}


def read(package: Package, media_type: str, parser: str) -> Document:
    """Raises DocumentEmpty when nothing is written in it."""
    root = package.xml(package.main)
    reader = _Reader.of(package)
    for body in root.iterfind(f"{W}body"):
        reader.read_blocks(body)
    reader.close_list()
    reader.read_furniture()
    reader.count_comments()
    blocks = reader.blocks
    if not any(block.kind == "heading" for block in blocks):
        blocks = [_heading_by_number(block) if i in reader.bold else block for i, block in enumerate(blocks)]
    if not any(block.layer == "body" for block in blocks):
        raise DocumentEmpty(f"{package.name} has no text; leave it out with .ingestignore")
    embedded = core_properties(package)
    return Document(
        media_type=media_type,
        parser=parser,
        title=embedded.get("title") or reader.title or _first_heading(blocks),
        blocks=laid_out(blocks),
        links=tuple(reader.links),
        omissions=tuple(Omission(kind, count, sample=reader.samples.get(kind)) for kind, count in sorted(reader.omitted.items())),
        embedded=embedded,
    )


@dataclass(slots=True)
class _Line:
    """The content of one paragraph, as it is gathered."""

    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    plain: int = 0
    bold: int = 0
    """Characters that are not bold, and that are."""
    typewritten: int = 0
    """Characters in a font whose letters are equally wide."""
    math_only: bool = False


@dataclass(slots=True)
class _Reader:
    """Walks the body once. Counters of numbered lists make the order of calls matter."""

    package: Package
    styles: Styles
    numbering: Numbering
    notes: dict[tuple[str, str], Any]
    blocks: list[Block] = field(default_factory=list)
    bold: set[int] = field(default_factory=set)
    links: list[Link] = field(default_factory=list)
    omitted: Counter[str] = field(default_factory=Counter)
    samples: dict[str, str] = field(default_factory=dict)
    title: str | None = None
    count: Counter[str] = field(default_factory=Counter)
    note_numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    """Notes are numbered as they are met, which is how Word shows them; their ids are something else."""
    items: list[str] = field(default_factory=list)
    item_links: list[tuple[str, str]] = field(default_factory=list)
    list_start: int = 0
    code_end: int = -1
    """Number of the paragraph that last was code."""

    @classmethod
    def of(cls, package: Package) -> _Reader:
        def part(kind: str) -> Any | None:
            found = package.related(package.main, kind)
            return package.xml(found[0]) if found else None

        notes = {}
        for kind, tag in (("footnotes", "footnote"), ("endnotes", "endnote")):
            root = part(kind)
            for note in [] if root is None else root.iterfind(f"{W}{tag}"):
                if note.get(f"{W}type") in (None, "normal"):
                    notes[tag, note.get(f"{W}id") or ""] = note
        return cls(package, Styles.read(part("styles")), Numbering.read(part("numbering")), notes)

    # Blocks

    def read_blocks(self, parent: Any) -> None:
        for element in parent:
            if element.tag == f"{W}p":
                self.read_paragraph(element)
            elif element.tag == f"{W}tbl":
                self.read_table(element)
            elif element.tag in _DELETED:
                self.omit_deletion(element)
            elif element.tag in _TRANSPARENT:
                self.read_blocks(element)

    def read_paragraph(self, element: Any) -> None:
        properties = element.find(f"{W}pPr")
        style = _attribute(properties, "pStyle")
        outline = _attribute(properties, "outlineLvl")
        line = self.line(element)
        text = line.text.strip()
        level = self.styles.heading_level(style, int(outline) if outline and outline.isdigit() else None)
        role = self.styles.role(style)
        label, depth = self.label(properties, style) if text else ("", 0)
        self.count["paragraph"] += 1
        if text and role == "toc":
            self.add(Block("paragraph", " ".join(text.split()), layer="furniture"), line)
        elif text and level and len(text) <= 400:
            self.title = self.title or (_flat(text) if self.styles.is_title(style) else None)
            heading = _flat(f"{label} {text}" if label and label != "-" else text)
            self.add(Block("heading", heading, level, evidence="style"), line)
        elif text and label:
            self.add_item("  " * depth + label + " " + _flat(text), line)
        elif text:
            self.add_text(line, role)
        self.read_attached(line)

    def add_text(self, line: _Line, role: str) -> None:
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
        self.add(Block(kind, text), line)
        if line.bold and not line.plain and kind == "paragraph":
            self.bold.add(len(self.blocks) - 1)

    def read_attached(self, line: _Line) -> None:
        """Text boxes and notes stand after the paragraph that anchors them."""
        for box in line.boxes:
            self.close_list()
            self.read_blocks(box)
        for kind, identifier in line.notes:
            note = self.notes.get((kind, identifier))
            if note is None:
                continue
            said = _Line()
            for paragraph in note.iter(f"{W}p"):
                self.gather(paragraph, said)
                said.text += "\n"
            if said.text.strip():
                self.add(Block("footnote", f"[{self.note_numbers[kind, identifier]}] {_flat(said.text)}"), said)

    def read_table(self, element: Any) -> None:
        grid, header_rows, links = self.grid(element)
        self.count["table"] += 1
        if not any(any(cell.strip() for cell in row) for row in grid):
            return
        if len(grid) == 1 and len(grid[0]) == 1:
            self.close_list()
            for cell in element.iter(f"{W}tc"):  # a frame around ordinary text
                self.read_blocks(cell)
                return
        table = Table(tuple(grid), max(header_rows, 1) if len(grid) > 1 else 0)
        where = Provenance(locator=f"table {self.count['table']}")
        self.add(Block("table", table_text(table), table=table, provenance=where), _Line(links=links))

    def grid(self, element: Any) -> tuple[list[tuple[str, ...]], int, list[tuple[str, str]]]:
        """Cells by row with spans repeated, the number of header rows, and the links inside."""
        rows: list[list[str]] = []
        links: list[tuple[str, str]] = []
        header_rows = 0
        for row in _children(element, f"{W}tr"):
            properties = row.find(f"{W}trPr")
            if properties is not None and properties.find(f"{W}del") is not None:
                self.omit_deletion(row)
                continue
            if is_on(None if properties is None else properties.find(f"{W}tblHeader")) and header_rows == len(rows):
                header_rows += 1
            rows.append(self.row(row, rows[-1] if rows else [], links))
        width = max((len(row) for row in rows), default=0)
        return [tuple(row + [""] * (width - len(row))) for row in rows], header_rows, links

    def row(self, element: Any, above: list[str], links: list[tuple[str, str]]) -> list[str]:
        before = _attribute(element.find(f"{W}trPr"), "gridBefore")
        cells = [""] * min(int(before or 0), MOST_COLUMNS)
        for cell in _children(element, f"{W}tc"):
            properties = cell.find(f"{W}tcPr")
            span = int(_attribute(properties, "gridSpan") or 1)
            merge = None if properties is None else properties.find(f"{W}vMerge")
            if merge is not None and merge.get(f"{W}val") != "restart" and len(cells) < len(above):
                text = above[len(cells)]
            else:
                text = self.cell_text(cell, links)
            cells.extend([text] * min(span, MOST_COLUMNS))
        return cells

    def cell_text(self, cell: Any, links: list[tuple[str, str]]) -> str:
        parts: list[str] = []
        for element in _children(cell, f"{W}p", f"{W}tbl"):
            if element.tag == f"{W}tbl":
                inner, _, inner_links = self.grid(element)
                parts.extend(", ".join(dict.fromkeys(c for c in row if c)) for row in inner)
                links.extend(inner_links)
                continue
            line = self.line(element)
            if line.text.strip():
                properties = element.find(f"{W}pPr")
                label, _ = self.label(properties, _attribute(properties, "pStyle"))
                parts.append(f"{label} {_flat(line.text)}".strip())
            links.extend(line.links)
            parts.extend(_flat("".join(t.text or "" for t in box.iter(f"{W}t"))) for box in line.boxes)
        return "\n".join(part for part in parts if part)

    # Lists

    def label(self, properties: Any | None, style: str | None) -> tuple[str, int]:
        """The list label and depth of a paragraph; counting is a side effect."""
        num_id, depth = numbering_of(properties)
        for inherited in self.styles.chain(style):
            num_id = inherited.numbering[0] if num_id is None else num_id
            depth = inherited.numbering[1] if depth is None else depth
        if not num_id or num_id == "0":
            return "", 0
        depth = min(depth or 0, DEEPEST)
        return self.numbering.label(num_id, depth), depth

    def add_item(self, item: str, line: _Line) -> None:
        if not self.items:
            self.list_start = self.count["paragraph"]
        self.items.append(item)
        self.item_links.extend(line.links)

    def close_list(self) -> None:
        if self.items:
            items, links, self.items, self.item_links = self.items, self.item_links, [], []
            depth = min(len(item) - len(item.lstrip(" ")) for item in items)
            text = "\n".join(item[depth:] for item in items)
            self._append(Block("list", text, provenance=Provenance(locator=f"paragraph {self.list_start}")), links)

    def add(self, block: Block, line: _Line) -> None:
        self.close_list()
        if block.provenance.locator is None:
            block = replace(block, provenance=Provenance(locator=f"paragraph {self.count['paragraph']}"))
        self._append(block, line.links)

    def _append(self, block: Block, links: list[tuple[str, str]]) -> None:
        self.links.extend(Link(len(self.blocks), _flat(text), target) for text, target in links if target)
        self.blocks.append(block)

    # Runs

    def line(self, paragraph: Any) -> _Line:
        made = _Line()
        self.gather(paragraph, made)
        made.math_only = not made.plain and not made.bold and bool(made.text.strip())
        return made

    def gather(self, parent: Any, into: _Line) -> None:
        """Append the visible text below `parent`. Complex fields: the result is text, the instruction may be a link."""
        target: str | None = None
        opened = 0
        for element in parent:
            tag = element.tag
            if tag == f"{W}r":
                target, opened = self.run(element, into, target, opened)
            elif tag == f"{W}hyperlink":
                start = len(into.text)
                self.gather(element, into)
                into.links.append((into.text[start:], self.link_target(element)))
            elif tag in _DELETED:
                self.omit_deletion(element)
            elif tag in (f"{_M}oMath", f"{_M}oMathPara"):
                into.text += "".join(t.text or "" for t in element.iter(f"{_M}t"))
            elif tag == f"{_MC}AlternateContent":
                for choice in element[:1]:
                    self.gather(choice, into)
            elif tag in _TRANSPARENT:
                start = len(into.text)
                self.gather(element, into)
                if field := _HYPERLINK.search(element.get(f"{W}instr") or ""):
                    into.links.append((into.text[start:], field["target"] or "#" + field["anchor"]))

    def run(self, element: Any, into: _Line, target: str | None, opened: int) -> tuple[str | None, int]:
        """Read one run; `target` and `opened` carry an unfinished hyperlink field from run to run."""
        properties = element.find(f"{W}rPr")
        style = _attribute(properties, "rStyle")
        if self.hidden(properties, style):
            self.omit("hidden_text", "".join(t.text or "" for t in element.iter(f"{W}t")))
            return target, opened
        start = len(into.text)
        for child in element:
            tag = child.tag
            if tag == f"{W}t":
                into.text += child.text or ""
            elif tag in _BREAKS:
                into.text += _BREAKS[tag]
            elif tag == f"{W}br":
                into.text += "\n" if child.get(f"{W}type") in (None, "textWrapping") else ""
            elif tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
                kind, identifier = ("footnote" if "footnote" in tag else "endnote"), child.get(f"{W}id") or ""
                if (kind, identifier) in self.notes:
                    number = self.note_numbers.setdefault((kind, identifier), len(self.note_numbers) + 1)
                    into.text += f"[{number}]"
                    into.notes.append((kind, identifier))
            elif tag == f"{W}instrText" and (link := _HYPERLINK.search(child.text or "")):
                target = link["target"] or "#" + link["anchor"]
            elif tag == f"{W}fldChar":
                kind = child.get(f"{W}fldCharType")
                if kind == "separate":
                    opened = len(into.text)
                elif kind == "end" and target:
                    into.links.append((into.text[opened:], target))
                    target = None
            elif tag in (f"{W}drawing", f"{W}pict", f"{W}object", f"{_MC}AlternateContent"):
                self.drawing(child, into)
        size = len(into.text[start:].strip())
        if is_on(None if properties is None else properties.find(f"{W}b")):
            into.bold += size
        else:
            into.plain += size
        fonts = None if properties is None else properties.find(f"{W}rFonts")
        if fonts is not None and _TYPEWRITER.search(fonts.get(f"{W}ascii") or ""):
            into.typewritten += size
        return target, opened

    def drawing(self, element: Any, into: _Line) -> None:
        """Take the text boxes of a drawing; a picture is counted, with its description."""
        boxes = list(_text_boxes(element))
        into.boxes.extend(boxes)
        if not boxes and any(str(inner.tag).endswith(_PICTURES) for inner in element.iter()):
            description = next((d.get("descr") or d.get("name") for d in element.iter(f"{_WP}docPr")), None)
            self.omit("image", description or "")

    def hidden(self, properties: Any | None, style: str | None) -> bool:
        own = None if properties is None else properties.find(f"{W}vanish")
        return is_on(own) if own is not None else self.styles.hides(style)

    def link_target(self, element: Any) -> str:
        relation = self.package.relations(self.package.main).get(element.get(f"{R}id") or "")
        anchor = element.get(f"{W}anchor")
        return (relation.target if relation else "") + (f"#{anchor}" if anchor else "")

    # What is left out

    def omit(self, kind: str, sample: str) -> None:
        self.omitted[kind] += 1
        if sample.strip():
            self.samples.setdefault(kind, _flat(sample)[:80])

    def omit_deletion(self, element: Any) -> None:
        self.omit("tracked_deletion", "".join(t.text or "" for t in element.iter(f"{W}delText", f"{W}t")))

    def count_comments(self) -> None:
        for part in self.package.related(self.package.main, "comments"):
            for comment in self.package.xml(part).iterfind(f"{W}comment"):
                self.omit("comment", "".join(t.text or "" for t in comment.iter(f"{W}t")))

    def read_furniture(self) -> None:
        """Running headers and footers, each text once."""
        seen: set[str] = set()
        for kind in ("header", "footer"):
            for part in self.package.related(self.package.main, kind):
                line = _Line()
                for paragraph in self.package.xml(part).iter(f"{W}p"):
                    self.gather(paragraph, line)
                    line.text += "\n"
                text = _flat(line.text)
                if text and text not in seen:
                    seen.add(text)
                    self.blocks.append(Block("paragraph", text, layer="furniture", provenance=Provenance(locator=kind)))


def _children(parent: Any, *tags: str) -> Iterator[Any]:
    """Children of these kinds, content controls and insertions looked through."""
    for element in parent:
        if element.tag in tags:
            yield element
        elif element.tag in _TRANSPARENT:
            yield from _children(element, *tags)


def _text_boxes(element: Any) -> Iterator[Any]:
    """Outermost text boxes; where a drawing is written twice for old readers, only the first writing."""
    for child in element:
        if child.tag == f"{W}txbxContent":
            yield child
        elif child.tag == f"{_MC}AlternateContent":
            for choice in child[:1]:
                yield from _text_boxes(choice)
        elif child.tag != f"{_MC}Fallback":
            yield from _text_boxes(child)


def _attribute(properties: Any | None, child: str) -> str | None:
    found = None if properties is None else properties.find(f"{W}{child}")
    return None if found is None else found.get(f"{W}val")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _heading_by_number(block: Block) -> Block:
    """Turn a short, wholly bold, numbered line into a heading of its family's level."""
    found = numbered(block.text)
    if found is None or len(block.text) > 60 or block.text[-1] in "。；，;,.":
        return block
    by_hand = {"part": 1, "chapter": 1, "section": 2, "article": 3, "han": 1, "han_bracket": 2}
    level = by_hand.get(found.family) or RANKS.index(found.family) - RANKS.index("decimal1") + 1
    return replace(block, kind="heading", level=min(level, 6), evidence="numbering", confidence=0.7)


def _first_heading(blocks: list[Block]) -> str | None:
    first = next((block for block in blocks if block.layer == "body"), None)
    return first.text if first is not None and first.kind == "heading" else None
