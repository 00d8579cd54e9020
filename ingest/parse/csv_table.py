"""Tables in text files: CSV, TSV and what programs make of them, as table blocks of a hundred rows with the header repeated.

The dialect is told from a sample (`csv_dialect`). Rows above the table that have one cell are its title and stand as
paragraphs; a blank line parts two tables where the second has another width or a header of its own. A quote that never closes
costs its own line the quotes' meaning and nothing more. What is no table after all is read as plain text: nothing is refused for
its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from ingest.errors import DocumentTooLarge
from ingest.model.document import Block, Document, Provenance, Table, table_text
from ingest.parse.csv_dialect import header_rows, sniff
from ingest.parse.csv_rows import Row, rows_of
from ingest.parse.draft import Draft
from ingest.parse.encoded import without_encoded
from ingest.parse.fingerprint import stamp
from ingest.parse.reading import read
from ingest.settings import ParsePart

BLOCK_ROWS = 100
"""Rows of one block: small enough that its locator tells a reader where to look."""
BLOCK_CHARS = 100_000
MOST_ADDED = 5_000_000
"""Cells that repeated headers and filled rows may add to those of the file; a hostile one would ask for billions."""
LOOK_AHEAD = 30
"""Rows of a table that tell whether the first one is its header."""


def version(settings: ParsePart) -> str:
    return stamp("csv", 2)


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Parse a table; raises DocumentUnsupported for bytes that are no text, DocumentTooLarge where filling up would explode."""
    reading = read(data, name)
    text, encoded = without_encoded(reading.text)
    dialect = sniff(text, "\t" if media_type.endswith("tab-separated-values") else None)
    if dialect is None:
        from ingest.parse import text as plain

        return plain.parse(data, name, settings, media_type)
    tables = _Tables(name)
    first = text.count("\n", 0, dialect.start) + 1
    for part in _parts(rows_of(text[dialect.start :].split("\n"), dialect.delimiter, dialect.quote, first)):
        tables.take(part)
    blocks, links = tables.draft.finish()
    return Document(media_type, "", None, blocks, links, (*reading.omissions, *encoded))


def _parts(rows: Iterator[Row]) -> Iterator[Iterator[Row]]:
    """The runs of rows between blank lines."""
    pending = next(rows, None)
    while pending is not None:
        if not any(cell.strip() for cell in pending[2]):
            pending = next(rows, None)
            continue
        ended: list[Row | None] = []

        def run(first: Row, ended: list[Row | None] = ended) -> Iterator[Row]:
            yield first
            for row in rows:
                if not any(cell.strip() for cell in row[2]):
                    break
                yield row
            ended.append(next(rows, None))

        yield run(pending)
        pending = ended[0] if ended else None


@dataclass
class _Tables:
    """Tables on their way into blocks."""

    name: str
    draft: Draft = field(default_factory=Draft)
    _header: list[str] | None = None
    _width: int = 0
    _added: int = 0

    def take(self, part: Iterator[Row]) -> None:
        """Add the rows between two blank lines: what stands above the table, its header, its rows."""
        ahead = list(islice(part, LOOK_AHEAD))
        usual = max(_filled(cells) for _, _, cells in ahead)
        above = 0
        while above < len(ahead) and usual > 1 and _filled(ahead[above][2]) == 1 and len(_trimmed(ahead[above][2])) == 1:
            self._say(ahead[above])
            above += 1
        body = ahead[above:]
        if not body:
            return
        if usual == 1 and self._header is None and len(ahead) < 3:
            for row in body:
                self._say(row)
            return
        cells = [_trimmed(row[2]) for row in body]
        width = max(map(len, cells))
        if header_rows(cells):
            self._header = cells[0]
            lines = body[0]
            self._rows(chain(body[1:], part), lines)
        else:
            if width != self._width:
                self._header = None
            self._rows(chain(body, part), None)
        self._width = width

    def _say(self, row: Row) -> None:
        text = " ".join(cell.strip() for cell in row[2] if cell.strip())
        self.draft.add_paragraph(text, _where(row, row), wrapped=False)

    def _rows(self, rows: Iterator[Row], header: Row | None) -> None:
        """Make blocks of the rows of one table. `header` is the row that names its columns, where it stands right above."""
        gathered: list[Row] = [] if header is None else [header]
        held: list[list[str]] = []
        chars = 0
        for row in rows:
            cells = _trimmed(row[2])
            if held and (len(held) >= BLOCK_ROWS or chars > BLOCK_CHARS):
                self._block(held, gathered)
                gathered, held, chars = [], [], 0
            gathered.append(row)
            held.append(cells)
            chars += sum(map(len, cells)) + 3 * len(cells)
        if held:
            self._block(held, gathered)
        elif header is not None:
            self._block([_trimmed(header[2])], gathered, alone=True)

    def _block(self, rows: list[list[str]], gathered: Sequence[Row], *, alone: bool = False) -> None:
        top = [] if alone or self._header is None else [self._header]
        width = max(map(len, [*top, *rows]))
        self._added += width * (len(rows) + len(top)) - sum(map(len, rows))
        if self._added > MOST_ADDED:
            raise DocumentTooLarge(f"{self.name} has rows of very different width: its tables would be millions of empty cells")
        table = Table(tuple(tuple(row + [""] * (width - len(row))) for row in [*top, *rows]), len(top))
        self.draft.add(Block("table", table_text(table), provenance=_where(gathered[0], gathered[-1]), table=table))


def _where(first: Row, last: Row) -> Provenance:
    lines = (first[0], last[1])
    return Provenance(lines=lines, locator=f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]}-{lines[1]}")


def _trimmed(cells: Sequence[str]) -> list[str]:
    """The cells without white space around them, and without empty ones at the end."""
    kept = [cell.strip() for cell in cells]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _filled(cells: Sequence[str]) -> int:
    return sum(1 for cell in cells if cell.strip())
