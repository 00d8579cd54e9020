"""An Excel workbook: each sheet a heading, each block of adjoining cells a table, values as the sheet shows them.

`sheet_cells` says what cells show, `sheet_regions` which of them make a table, `sheet_drawings` what lies over them. Hidden
sheets, rows, columns and cells are left out and recorded with their places, and so are formulas that were never calculated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.errors import DocumentEmpty
from ingest.model.document import Block, Document, Link, Provenance, laid_out, table_text
from ingest.parse.ledger import SAMPLE, Ledger
from ingest.parse.office.package import Package, R
from ingest.parse.office.properties import properties
from ingest.parse.office.sheet_cells import Budget, Cells, Rect, SheetReader, address, elements, quoted, rectangle, rich_text
from ingest.parse.office.sheet_drawings import Drawings, Drawn
from ingest.parse.office.sheet_regions import Declared, Piece, pieces
from ingest.parse.office.sheet_styles import S, read_styles


def read(package: Package, media_type: str, parser: str) -> Document:
    """Raises DocumentEmpty when no visible cell holds anything, DocumentTooLarge for more cells than can be read."""
    root = package.xml(package.main)
    sheets = list(_sheets(package, root))
    visible = frozenset(name for name, kind, _, hidden in sheets if not hidden and kind == "worksheet")
    book = _Book.of(package, root, visible)
    for name, kind, part, hidden in sheets:
        if hidden or part is None:
            book.record_hidden(name, kind if part is not None else "missing", part)
        elif kind in ("worksheet", "chartsheet"):
            book.read_sheet(name, part, with_cells=kind == "worksheet")
        else:
            book.ledger.note("macro_sheet", name)
    if not any(block.layer == "body" for block in book.blocks):
        raise DocumentEmpty(f"{package.name} has no visible cell with a value; leave it out with .ingestignore")
    embedded = properties(package)
    return Document(
        media_type=media_type,
        parser=parser,
        title=embedded.get("title"),
        blocks=laid_out(book.blocks),
        links=tuple(book.links),
        omissions=book.ledger.omissions(),
        embedded=embedded,
    )


def _sheets(package: Package, root: Any) -> Iterator[tuple[str, str, str | None, bool]]:
    """Name, kind and part of each sheet in the order of their tabs, and whether it is hidden."""
    relations = package.relations(package.main)
    for entry in root.iterfind(f"{S}sheets/{S}sheet"):
        relation = relations.get(entry.get(f"{R}id") or "")
        exists = relation is not None and relation.target in package.parts
        hidden = entry.get("state") in ("hidden", "veryHidden")
        yield entry.get("name") or "", relation.kind if relation else "", relation.target if exists and relation else None, hidden


@dataclass(slots=True)
class _Book:
    package: Package
    reader: SheetReader
    drawings: Drawings
    ledger: Ledger
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    running: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, package: Package, root: Any, visible: frozenset[str]) -> _Book:
        shared = package.related(package.main, "sharedStrings")
        strings = [rich_text(item) for part in shared for item in elements(package, part, "si")]
        styles = next((package.xml(part) for part in package.related(package.main, "styles")), None)
        settings = root.find(f"{S}workbookPr")
        epoch_1904 = settings is not None and settings.get("date1904") in ("1", "true")
        ledger = Ledger()
        reader = SheetReader(package, strings, read_styles(styles), epoch_1904, ledger, Budget(package.name))
        return cls(package, reader, Drawings(package, ledger, visible, epoch_1904), ledger)

    def record_hidden(self, name: str, kind: str, part: str | None) -> None:
        """Say of a hidden sheet how it begins, if it holds anything."""
        sample = ""
        if part is not None and kind == "worksheet":
            for row in elements(self.package, part, "row"):
                said = " ".join(t for c in row.iterfind(f"{S}c") if (t := self.reader.raw(c)))
                sample = f"{sample} {said}".strip()
                if len(sample) > SAMPLE:
                    break
        self.ledger.note("hidden_sheet" if kind != "missing" else "missing_sheet", name, sample)

    def read_sheet(self, name: str, part: str, *, with_cells: bool) -> None:
        first = len(self.blocks)
        heading = Block("heading", name.strip() or "-", 2, provenance=Provenance(locator=quoted(name)), evidence="sheet")
        self.blocks.append(heading)
        if with_cells:
            declared = list(self.declared(part))
            cells = self.reader.read(name, part, [one.rect for one in declared] + list(self.pivots(part)))
            for piece in pieces(cells, declared):
                self.add_piece(piece, cells)
            for kind in cells.objects:
                self.ledger.note("embedded_object", name, kind)
            for text in cells.headers_and_footers:
                self.add_running(text, name)
        for drawn in self.drawings.of(name, part):
            self.add_drawn(drawn)
        self.drawings.record_comments(name, part)
        if not any(block.layer == "body" for block in self.blocks[first + 1 :]):
            del self.blocks[first]

    def declared(self, part: str) -> Iterator[Declared]:
        for table in self.package.related(part, "table"):
            root = self.package.xml(table)
            if rect := rectangle(root.get("ref") or ""):
                yield Declared(rect, min(int(root.get("headerRowCount") or 1), 1))

    def pivots(self, part: str) -> Iterator[Rect]:
        for pivot in self.package.related(part, "pivotTable"):
            location = self.package.xml(pivot).find(f"{S}location")
            if location is not None and (rect := rectangle(location.get("ref") or "")):
                yield rect

    def add_piece(self, piece: Piece, cells: Cells) -> None:
        where = Provenance(locator=f"{quoted(cells.name)}!{address(piece.rect)}")
        top, left, bottom, right = piece.rect
        for row, column, target in cells.links:
            if top <= row <= bottom and left <= column <= right and target:
                self.links.append(Link(len(self.blocks), cells.at(row, column) or target, target))
        if piece.table is not None:
            self.blocks.append(Block("table", table_text(piece.table), table=piece.table, provenance=where))
        elif piece.text:
            self.blocks.append(Block("paragraph", piece.text, provenance=where))

    def add_drawn(self, drawn: Drawn) -> None:
        where = Provenance(locator=drawn.where)
        if drawn.table is not None:
            self.blocks.append(Block("table", table_text(drawn.table), table=drawn.table, provenance=where))
        elif drawn.text.strip():
            kind: Any = drawn.kind
            self.blocks.append(Block(kind, drawn.text, provenance=where))

    def add_running(self, text: str, name: str) -> None:
        if text not in self.running:
            self.running.add(text)
            self.blocks.append(Block("paragraph", text, layer="furniture", provenance=Provenance(locator=quoted(name))))
