"""What one sheet shows: the text of every visible cell, merged ranges, links; and what it does not show, with its place.

Rows stream by one at a time, so a sheet costs what its visible cells cost, and no more than `MOST_CELLS` of them are taken.
Values are written by their cell's format; a formula shows the value that it last had, and one that was never calculated its
own text, which is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from ingest.errors import DocumentTooLarge
from ingest.parse.ledger import SAMPLE, Ledger
from ingest.parse.office.number_format import general, shown, shown_text
from ingest.parse.office.package import SAFELY, Package, R
from ingest.parse.office.sheet_styles import PLAIN, S, Style

MOST_CELLS = 4_000_000
"""Visible cells of a workbook, merged ones spread out: some 1.5 GB while they are turned into tables."""
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384

_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_LINK_FORMULA = re.compile(r'HYPERLINK\(\s*"([^"]+)"', re.IGNORECASE)

Rect = tuple[int, int, int, int]
"""First row, first column, last row, last column; 1-based, inclusive."""


@dataclass(slots=True)
class Cells:
    """row -> column -> text of what one sheet shows."""

    name: str
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    numeric: set[tuple[int, int]] = field(default_factory=set)
    standing_out: set[tuple[int, int]] = field(default_factory=set)
    merged: list[Rect] = field(default_factory=list)
    links: list[tuple[int, int, str]] = field(default_factory=list)
    frozen_rows: int = 0
    headers_and_footers: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)

    def at(self, row: int, column: int) -> str:
        return self.rows.get(row, {}).get(column, "")


@dataclass(slots=True)
class Budget:
    """How many cells of a workbook may still be taken."""

    file: str
    left: int = MOST_CELLS

    def spend(self, cells: int) -> None:
        self.left -= cells
        if self.left < 0:
            raise DocumentTooLarge(
                f"{self.file} shows more than {MOST_CELLS:,} cells; split the workbook, or leave it out with .ingestignore"
            )


@dataclass(slots=True)
class SheetReader:
    """Reads sheets of one workbook."""

    package: Package
    strings: list[str]
    styles: Sequence[Style]
    epoch_1904: bool
    ledger: Ledger
    budget: Budget

    def read(self, name: str, part: str, coloured: Sequence[Rect] = ()) -> Cells:
        """`coloured` are ranges whose ground is coloured by something else than their cells' styles (tables, pivots)."""
        sheet = _Sheet(self, Cells(name), list(coloured))
        sheet.read(part)
        return sheet.cells

    def raw(self, cell: Any) -> str:
        """A cell's value without its format, for what is only recorded."""
        kind, stored = cell.get("t") or "n", cell.findtext(f"{S}v") or ""
        if kind == "s":
            return self.strings[int(stored)] if stored.isdecimal() and int(stored) < len(self.strings) else ""
        return rich_text(cell.find(f"{S}is")) if kind == "inlineStr" and cell.find(f"{S}is") is not None else stored


@dataclass(slots=True)
class _Sheet:
    book: SheetReader
    cells: Cells
    coloured: list[Rect]
    hidden_columns: set[int] = field(default_factory=set)
    hidden_texts: dict[int, str] = field(default_factory=dict)
    hidden_rows: list[tuple[int, int, str]] = field(default_factory=list)
    white: list[tuple[int, int]] = field(default_factory=list)
    zeros: bool = True

    def read(self, part: str) -> None:
        relations = self.book.package.relations(part)
        number = 0
        tags = ("sheetView", "sheetFormatPr", "cols", "row", "mergeCell", "hyperlink", "conditionalFormatting", "headerFooter",
                "oleObject", "picture")
        for element in elements(self.book.package, part, *tags):
            tag = element.tag.removeprefix(S)
            if tag == "row":
                number = int(element.get("r") or number + 1)
                self.read_row(element, number)
            elif tag == "cols":
                hidden = [c for c in element if c.get("hidden") in ("1", "true") or c.get("width") == "0"]
                for column in hidden:
                    first, last = int(column.get("min") or 0), int(column.get("max") or 0)
                    self.hidden_columns.update(range(first, min(last, LAST_COLUMN) + 1))
            elif tag == "sheetView":
                self.zeros = element.get("showZeros") not in ("0", "false")
                pane = element.find(f"{S}pane")
                if pane is not None and (pane.get("state") or "").startswith("frozen"):
                    self.cells.frozen_rows = int(float(pane.get("ySplit") or 0))
            elif tag == "mergeCell" and (rect := rectangle(element.get("ref") or "")):
                self.cells.merged.append(rect)
            elif tag == "hyperlink" and (rect := rectangle(element.get("ref") or "")):
                relation = relations.get(element.get(f"{R}id") or "")
                place = element.get("location")
                target = (relation.target if relation else "") + (f"#{place}" if place else "")
                self.cells.links.append((rect[0], rect[1], target))
            elif tag == "conditionalFormatting":
                self.coloured.extend(r for ref in (element.get("sqref") or "").split() if (r := rectangle(ref)))
            elif tag == "headerFooter":
                self.cells.headers_and_footers = [text for child in element if (text := running(child.text or ""))]
            elif tag == "picture":  # behind all cells
                self.coloured.append((1, 1, LAST_ROW, LAST_COLUMN))
            elif tag == "oleObject":
                self.cells.objects.append(element.get("progId") or "")
        self.drop_white()
        self.record_hidden_rows()
        self.record_hidden_columns()
        self.spread_merged()

    def read_row(self, row: Any, number: int) -> None:
        hidden = row.get("hidden") in ("1", "true") or (row.get("ht") == "0" and row.get("customHeight") in ("1", "true"))
        if hidden:
            texts = (text for cell in row.iterfind(f"{S}c") if (text := self.book.raw(cell)))
            sample = ""
            for text in texts:
                sample = f"{sample} | {text}" if sample else text
                if len(sample) > SAMPLE:
                    break
            if sample:
                self.hide(number, sample)
            return
        column, shown_row = 0, {}
        for cell in row.iterfind(f"{S}c"):
            place = _CELL.fullmatch(cell.get("r") or "")
            column = column_number(place[1]) if place else column + 1
            style = self.style(cell)
            text, numeric = self.value(cell, style, number, column)
            if not text:
                continue
            if column in self.hidden_columns:
                self.hidden_texts[column] = " | ".join(t for t in (self.hidden_texts.get(column, ""), text) if t)[:SAMPLE]
                continue
            shown_row[column] = text
            if numeric:
                self.cells.numeric.add((number, column))
            if style.stands_out:
                self.cells.standing_out.add((number, column))
            if style.white:
                self.white.append((number, column))
        if shown_row:
            self.book.budget.spend(len(shown_row))
            self.cells.rows[number] = shown_row

    def hide(self, number: int, sample: str) -> None:
        """Take note of a hidden row; those that follow each other are one entry."""
        if self.hidden_rows and self.hidden_rows[-1][1] == number - 1:
            first, _, said = self.hidden_rows.pop()
            self.hidden_rows.append((first, number, f"{said} / {sample}"[: 2 * SAMPLE]))
        else:
            self.hidden_rows.append((number, number, sample))

    def record_hidden_rows(self) -> None:
        for first, last, sample in self.hidden_rows:
            self.book.ledger.note("hidden_row", f"{quoted(self.cells.name)}!{first}:{last}", sample, count=last - first + 1)

    def style(self, cell: Any) -> Style:
        number = int(cell.get("s") or 0)
        return self.book.styles[number] if 0 <= number < len(self.book.styles) else PLAIN

    def value(self, cell: Any, style: Style, row: int, column: int) -> tuple[str, bool]:
        """A cell's text as shown, and whether it is a quantity or a moment."""
        kind = cell.get("t") or "n"
        stored, formula = cell.find(f"{S}v"), cell.find(f"{S}f")
        if formula is not None:
            if stored is None and kind != "inlineStr":
                return self.uncalculated(formula, row, column), True
            if match := _LINK_FORMULA.search(formula.text or ""):
                self.cells.links.append((row, column, match[1]))
        raw = "" if stored is None else stored.text or ""
        text, number = self.stored(cell, kind, raw)
        if number is None:
            said = shown_text(text, style.code) if style.code != "General" and kind != "b" and kind != "e" else text
        elif number == 0 and not self.zeros:
            return "", True
        else:
            general_code = style.code in ("General", "@")
            said = general(number) if general_code else shown(number, style.code, epoch_1904=self.book.epoch_1904)
        if text and not said and number != 0:
            place = f"{quoted(self.cells.name)}!{letters(column)}{row}"
            self.book.ledger.note("hidden_cell", place, text)
        return said, number is not None

    def stored(self, cell: Any, kind: str, raw: str) -> tuple[str, float | None]:
        """What is stored: a text, or (its plain writing and) a number."""
        if kind == "inlineStr":
            inline = cell.find(f"{S}is")
            return ("" if inline is None else rich_text(inline)), None
        if kind == "str":
            return unescaped(raw), None
        raw = raw.strip()
        if kind == "s":
            at = int(raw) if raw.isdecimal() else -1
            return (self.book.strings[at] if 0 <= at < len(self.book.strings) else ""), None
        if kind == "b":
            return ({"1": "TRUE", "true": "TRUE", "": ""}.get(raw, "FALSE")), None
        if kind == "e":
            if cell.get("vm"):  # a picture in the cell; the error is what old versions show
                self.book.ledger.note("image", f"{quoted(self.cells.name)}!{cell.get('r') or ''}")
                return "", None
            return raw, None
        if kind == "d":
            return raw, _serial(raw, self.book.epoch_1904)
        try:
            number = float(raw)
        except ValueError:
            return raw, None
        return (raw, number) if abs(number) < 1e308 else (raw, None)

    def uncalculated(self, formula: Any, row: int, column: int) -> str:
        self.book.ledger.note("uncalculated_formula", f"{quoted(self.cells.name)}!{letters(column)}{row}", formula.text or "")
        return f"={' '.join(formula.text.split())}" if formula.text else ""

    def drop_white(self) -> None:
        """Record what is written in white on white, unless something gives it another ground."""
        for row, column in self.white:
            if any(top <= row <= bottom and left <= column <= right for top, left, bottom, right in self.coloured):
                continue
            text = self.cells.rows[row].pop(column)
            self.book.ledger.note("hidden_cell", f"{quoted(self.cells.name)}!{letters(column)}{row}", text)
            if not self.cells.rows[row]:
                del self.cells.rows[row]

    def record_hidden_columns(self) -> None:
        for column, text in sorted(self.hidden_texts.items()):
            self.book.ledger.note("hidden_column", f"{quoted(self.cells.name)}!{letters(column)}:{letters(column)}", text)

    def spread_merged(self) -> None:
        """Repeat a merged cell's text into those it covers, as far as the sheet is used and columns are shown."""
        rows = self.cells.rows
        if not rows or not self.cells.merged:
            return
        last_row, last_column = max(rows), max(max(row, default=0) for row in rows.values())
        for top, left, bottom, right in self.cells.merged:
            text = rows.get(top, {}).get(left)
            if not text:
                continue
            bottom, right = min(bottom, last_row), min(right, last_column)
            self.book.budget.spend((bottom - top + 1) * (right - left + 1))
            for row in range(top, bottom + 1):
                for column in range(left, right + 1):
                    if column not in self.hidden_columns:
                        rows.setdefault(row, {})[column] = text


def elements(package: Package, part: str, *names: str) -> Iterator[Any]:
    """Elements of these names, each forgotten after its turn."""
    tags = [f"{S}{name}" for name in names]
    with package.stream(part) as source:
        for _, element in etree.iterparse(source, tag=tags, **SAFELY):
            yield element
            element.clear()
            while element.getprevious() is not None and element.getparent() is not None:
                del element.getparent()[0]


def rich_text(item: Any) -> str:
    """Text of a string with or without runs; phonetic readings (`rPh`) are not part of it."""
    direct = item.findtext(f"{S}t")
    return unescaped((direct or "") + "".join(t.text or "" for t in item.iterfind(f"{S}r/{S}t")))


def unescaped(text: str) -> str:
    text = _ESCAPED.sub(_unescape, text) if "_x" in text else text
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def _unescape(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code in (9, 10, 13, 0x5F) else "" if code < 32 or 0xD800 <= code < 0xE000 else chr(code)


def running(text: str) -> str:
    """Text of a printed header or footer without its codes (`&L&"Arial"&12Page &P`)."""
    plain = re.sub(r'&"[^"]*"|&K[0-9A-Fa-f+-]{5,6}|&\d+|&[LCR]', " ", text)
    plain = re.sub(r"&[PNDTFAZGBIUESXYHO]", "", plain).replace("&&", "&")
    return " ".join(plain.split())


def _serial(text: str, epoch_1904: bool) -> float | None:
    """The day count of a date written out (`2026-01-05T08:00:00`)."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    first = datetime(1904, 1, 1) if epoch_1904 else datetime(1899, 12, 30)
    plain = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    return (plain - first).total_seconds() / 86400


def quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def rectangle(ref: str) -> Rect | None:
    """`A1:D9` as numbers, None for what is none or lies beyond any sheet."""
    ends = [_CELL.fullmatch(end.replace("$", "")) for end in ref.split(":")]
    if not all(ends) or not ends:
        return None
    first, last = ends[0], ends[-1]
    assert first is not None and last is not None
    rect = int(first[2]), column_number(first[1]), int(last[2]), column_number(last[1])
    return rect if 1 <= rect[0] <= rect[2] <= LAST_ROW and rect[1] <= rect[3] <= LAST_COLUMN else None


def column_number(name: str) -> int:
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - 64
    return number


def letters(column: int) -> str:
    out = ""
    while column:
        column, rest = divmod(column - 1, 26)
        out = chr(65 + rest) + out
    return out


def address(rect: Rect) -> str:
    top, left, bottom, right = rect
    start, end = f"{letters(left)}{top}", f"{letters(right)}{bottom}"
    return start if start == end else f"{start}:{end}"
