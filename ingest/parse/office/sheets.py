"""An Excel workbook: each sheet a heading, each block of adjoining cells a table, values as the sheet shows them.

Numbers, dates and currencies are written by their cell's format, formulas by the value they last had. A region ends at an empty
row or column; a title standing directly on a table is cut off it. Merged cells are repeated into all they cover. Hidden sheets,
rows and columns are left out and counted, and so are formulas that were never calculated.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ingest.errors import DocumentEmpty
from ingest.model.document import Block, Document, Link, Omission, Provenance, Table, laid_out, table_text
from ingest.parse.office.number_format import BUILTIN, general, shown
from ingest.parse.office.package import SAFELY, Package, R
from ingest.parse.office.properties import properties as core_properties

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_CELL = re.compile(r"([A-Z]{1,3})(\d+)")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
NOTE_LETTERS = 18
"""Mean length from which the cells of a single column are remarks."""

_PLAIN_NAME = re.compile(r"[^\W\d]\w*")

Rect = tuple[int, int, int, int]
"""First row, first column, last row, last column; 1-based, inclusive."""


def read(package: Package, media_type: str, parser: str) -> Document:
    """Raises DocumentEmpty when no visible cell holds anything."""
    book = _Book.of(package)
    root = package.xml(package.main)
    relations = package.relations(package.main)
    for entry in root.iterfind(f"{_S}sheets/{_S}sheet"):
        name, relation = entry.get("name") or "", relations.get(entry.get(f"{R}id") or "")
        if entry.get("state") in ("hidden", "veryHidden"):
            book.omitted["hidden_sheet", name] += 1
        elif relation is None or relation.target not in package.parts or relation.kind != "worksheet":
            book.omitted["chart_sheet", name] += 1
        else:
            book.read_sheet(name, relation.target)
    if not book.blocks:
        raise DocumentEmpty(f"{package.name} has no visible cell with a value; leave it out with .ingestignore")
    embedded = core_properties(package)
    return Document(
        media_type=media_type,
        parser=parser,
        title=embedded.get("title"),
        blocks=laid_out(book.blocks),
        links=tuple(book.links),
        omissions=tuple(Omission(kind, count, where) for (kind, where), count in sorted(book.omitted.items()) if count),
        embedded=embedded,
    )


@dataclass(slots=True)
class _Cells:
    """What one sheet shows: row -> column -> text, and which of them are quantities."""

    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    numeric: set[tuple[int, int]] = field(default_factory=set)
    merged: list[Rect] = field(default_factory=list)
    links: list[tuple[int, int, str]] = field(default_factory=list)
    hidden_rows: int = 0
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    uncalculated: int = 0


@dataclass(slots=True)
class _Book:
    package: Package
    strings: list[str]
    formats: list[str]
    """Format code by cell style."""
    epoch_1904: bool
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    omitted: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def of(cls, package: Package) -> _Book:
        strings: list[str] = []
        for part in package.related(package.main, "sharedStrings"):
            strings.extend(_rich_text(item) for item in _elements(package, part, "si"))
        formats: list[str] = []
        for part in package.related(package.main, "styles"):
            formats.extend(_formats(package.xml(part)))
        properties = package.xml(package.main).find(f"{_S}workbookPr")
        return cls(package, strings, formats, properties is not None and properties.get("date1904") in ("1", "true"))

    def read_sheet(self, name: str, part: str) -> None:
        cells = self.cells(part)
        _spread_merged(cells)
        for kind, count in (
            ("hidden_row", cells.hidden_rows),
            ("hidden_column", sum(last - first + 1 for first, last in cells.hidden_columns)),
            ("uncalculated_formula", cells.uncalculated),
            ("comment", sum(len(list(self.package.xml(c).iter(f"{_S}comment"))) for c in self.package.related(part, "comments"))),
        ):
            self.omitted[kind, name] += count
        regions = list(_regions(cells.rows))
        if not regions:
            return
        self.blocks.append(Block("heading", name, 2, provenance=Provenance(locator=_quoted(name)), evidence="sheet"))
        for region in regions:
            self.add_region(name, cells, region)

    def add_region(self, name: str, cells: _Cells, region: Rect) -> None:
        top, left, bottom, right = region
        while top < bottom and right > left and _is_title(cells, top, left, right):
            self.add_paragraph(name, cells, (top, left, top, right))
            top += 1
        if len({value for r in range(top, bottom + 1) for value in _distinct(cells, r, left, right)}) == 1:
            self.add_paragraph(name, cells, (top, left, bottom, right))
            return
        if _are_notes(cells, (top, left, bottom, right)):
            for row in range(top, bottom + 1):
                self.add_paragraph(name, cells, (row, left, row, right))
            return
        # Columns are empty where a title is wider than its table, or where one sets labels apart from their values.
        used = [c for c in range(left, right + 1) if any(cells.rows.get(r, {}).get(c) for r in range(top, bottom + 1))]
        left, right = used[0], used[-1]
        rows = tuple(tuple(cells.rows.get(r, {}).get(c, "") for c in used) for r in range(top, bottom + 1))
        table = Table(rows, _header_rows(cells, (top, left, bottom, right)))
        self.add(Block("table", table_text(table), table=table), name, cells, (top, left, bottom, right))

    def add_paragraph(self, name: str, cells: _Cells, rect: Rect) -> None:
        top, left, bottom, right = rect
        text = next(value for r in range(top, bottom + 1) for value in _distinct(cells, r, left, right))
        self.add(Block("paragraph", text), name, cells, rect)

    def add(self, block: Block, name: str, cells: _Cells, rect: Rect) -> None:
        top, left, bottom, right = rect
        start, end = f"{_letters(left)}{top}", f"{_letters(right)}{bottom}"
        where = Provenance(locator=f"{_quoted(name)}!{start}" + (f":{end}" if end != start else ""))
        for row, column, target in cells.links:
            if top <= row <= bottom and left <= column <= right:
                self.links.append(Link(len(self.blocks), cells.rows.get(row, {}).get(column, target), target))
        self.blocks.append(Block(block.kind, block.text, table=block.table, provenance=where))

    def cells(self, part: str) -> _Cells:
        """Read a sheet's visible cells, row by row, so that only what is shown stays in memory."""
        cells = _Cells()
        relations = self.package.relations(part)
        row_number = 0
        for element in _elements(self.package, part, "row", "cols", "mergeCell", "hyperlink"):
            tag = etree.QName(element).localname
            if tag == "cols":
                hidden = [c for c in element if c.get("hidden") in ("1", "true")]
                cells.hidden_columns = [(int(c.get("min") or 0), int(c.get("max") or 0)) for c in hidden]
            elif tag == "row":
                row_number = int(element.get("r") or row_number + 1)
                if element.get("hidden") in ("1", "true"):
                    cells.hidden_rows += any(c.find(f"{_S}v") is not None or c.find(f"{_S}is") is not None for c in element)
                else:
                    self.read_row(element, row_number, cells)
            elif tag == "mergeCell" and (rect := _rect(element.get("ref") or "")):
                cells.merged.append(rect)
            elif tag == "hyperlink" and (rect := _rect(element.get("ref") or "")):
                relation = relations.get(element.get(f"{R}id") or "")
                target = relation.target if relation else "#" + (element.get("location") or "")
                cells.links.append((rect[0], rect[1], target))
        used = {c for row in cells.rows.values() for c in row}
        for row in cells.rows.values():
            for column in [c for c in row if any(first <= c <= last for first, last in cells.hidden_columns)]:
                del row[column]
        cells.hidden_columns = [(c, c) for c in sorted(used) if any(first <= c <= last for first, last in cells.hidden_columns)]
        return cells

    def read_row(self, row: Any, row_number: int, cells: _Cells) -> None:
        column = 0
        for cell in row.iterfind(f"{_S}c"):
            place = _CELL.fullmatch(cell.get("r") or "")
            column = _column(place[1]) if place else column + 1
            text, numeric = self.value(cell)
            if text:
                cells.rows.setdefault(row_number, {})[column] = text
                if numeric:
                    cells.numeric.add((row_number, column))
            elif cell.find(f"{_S}f") is not None and cell.find(f"{_S}v") is None:
                cells.uncalculated += 1

    def value(self, cell: Any) -> tuple[str, bool]:
        """A cell's text as shown, and whether it is a quantity or a moment."""
        kind = cell.get("t") or "n"
        if kind == "inlineStr":
            inline = cell.find(f"{_S}is")
            return ("" if inline is None else _rich_text(inline)), False
        raw = (cell.findtext(f"{_S}v") or "").strip(" \n") if kind != "str" else cell.findtext(f"{_S}v") or ""
        if not raw:
            return "", False
        if kind == "s":
            return (self.strings[int(raw)] if raw.isdigit() and int(raw) < len(self.strings) else ""), False
        if kind == "b":
            return ("TRUE" if raw == "1" else "FALSE"), False
        if kind != "n":
            return _unescaped(raw), False
        style = int(cell.get("s") or 0)
        code = self.formats[style] if style < len(self.formats) else "General"
        try:
            number = float(raw)
        except ValueError:
            return raw, False
        return (general(number) if code in ("General", "@") else shown(number, code, epoch_1904=self.epoch_1904)), True


def _elements(package: Package, part: str, *names: str) -> Iterator[Any]:
    """Elements of these names, each forgotten after its turn."""
    tags = [f"{_S}{name}" for name in names]
    source = io.BytesIO(package.bytes(part))
    for _, element in etree.iterparse(source, tag=tags, **SAFELY):
        yield element
        element.clear()
        while element.getprevious() is not None and element.getparent() is not None:
            del element.getparent()[0]


def _formats(styles: Any) -> Iterator[str]:
    own = {int(f.get("numFmtId") or 0): f.get("formatCode") or "General" for f in styles.iterfind(f"{_S}numFmts/{_S}numFmt")}
    for style in styles.iterfind(f"{_S}cellXfs/{_S}xf"):
        identifier = int(style.get("numFmtId") or 0)
        yield own.get(identifier) or BUILTIN.get(identifier, "General")


def _rich_text(item: Any) -> str:
    """Text of a string with or without runs; phonetic readings (`rPh`) are not part of it."""
    direct = item.findtext(f"{_S}t")
    text = direct if direct is not None else "".join(t.text or "" for t in item.iterfind(f"{_S}r/{_S}t"))
    return _unescaped(text)


def _unescaped(text: str) -> str:
    text = _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if int(m[1], 16) in (9, 10, 13) else "", text) if "_x" in text else text
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def _spread_merged(cells: _Cells) -> None:
    """Repeat a merged cell's text into those it covers, as far as the sheet is used."""
    if not cells.rows or not cells.merged:
        return
    last_row, last_column = max(cells.rows), max(max(row, default=0) for row in cells.rows.values())
    hidden = {c for c, _ in cells.hidden_columns}
    for top, left, bottom, right in cells.merged:
        text = cells.rows.get(top, {}).get(left)
        if not text:
            continue
        for row in range(top, min(bottom, last_row) + 1):
            for column in range(left, min(right, last_column) + 1):
                if column not in hidden and (row == top or row in cells.rows or bottom <= last_row):
                    cells.rows.setdefault(row, {})[column] = text


def _regions(rows: dict[int, dict[int, str]]) -> Iterator[Rect]:
    """Cut at empty rows, then at empty columns, again and again; regions come from top to bottom, left to right."""
    numbers = sorted(row for row, cells in rows.items() if cells)
    for run in _runs(numbers):
        columns = sorted({column for row in run for column in rows[row]})
        strips = _with_labels(list(_runs(columns)))
        if len(strips) == 1:
            yield run[0], strips[0][0], run[-1], strips[0][-1]
            continue
        for strip in strips:
            wanted = set(strip)
            yield from _regions({row: {c: v for c, v in rows[row].items() if c in wanted} for row in run})


def _with_labels(strips: list[list[int]]) -> list[list[int]]:
    """Rejoin strips one empty column apart when either is a single column: forms set labels and units apart like that."""
    joined: list[list[int]] = []
    for strip in strips:
        if joined and strip[0] - joined[-1][-1] == 2 and 1 in (len(strip), len(joined[-1])):
            joined[-1] = joined[-1] + strip
        else:
            joined.append(strip)
    return joined


def _runs(numbers: list[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _distinct(cells: _Cells, row: int, left: int, right: int) -> list[str]:
    return list(dict.fromkeys(v for c in range(left, right + 1) if (v := cells.rows.get(row, {}).get(c))))


def _is_title(cells: _Cells, row: int, left: int, right: int) -> bool:
    """Whether a row with one text is a title over what follows rather than a first row with one filled cell."""
    if len(_distinct(cells, row, left, right)) != 1 or any((row, c) in cells.numeric for c in range(left, right + 1)):
        return False
    merged_across = any(top == row == bottom and first <= left and last >= right for top, first, bottom, last in cells.merged)
    return merged_across or len(_distinct(cells, row + 1, left, right)) > 1


def _are_notes(cells: _Cells, rect: Rect) -> bool:
    """Whether each row is one sentence rather than a value: remarks below a table."""
    top, left, bottom, right = rect
    rows = [_distinct(cells, row, left, right) for row in range(top, bottom + 1)]
    return all(len(row) == 1 for row in rows) and sum(len(row[0]) for row in rows) >= NOTE_LETTERS * len(rows)


def _header_rows(cells: _Cells, rect: Rect) -> int:
    """0 when the first row holds quantities or is the only one, 2 when it has merged groups over a second row of names."""
    top, left, bottom, right = rect
    if top == bottom or any((top, c) in cells.numeric for c in range(left, right + 1)):
        return 0
    groups = any(t == b == top and left <= first < last <= right for t, first, b, last in cells.merged)
    second_is_names = bottom > top + 1 and not any((top + 1, c) in cells.numeric for c in range(left, right + 1))
    return 2 if groups and second_is_names else 1


def _quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def _rect(ref: str) -> Rect | None:
    ends = [_CELL.fullmatch(end.replace("$", "")) for end in ref.split(":")]
    if not all(ends) or not ends:
        return None
    first, last = ends[0], ends[-1]
    assert first is not None and last is not None
    return int(first[2]), _column(first[1]), int(last[2]), _column(last[1])


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _letters(column: int) -> str:
    out = ""
    while column:
        column, rest = divmod(column - 1, 26)
        out = chr(65 + rest) + out
    return out
