"""How the cells of a table in a text file are told apart: `,`, tab, `;`, `|` or `，`, with what quotes, below what header.

Every candidate cuts a sample; the one wins whose rows agree in width and whose cells read like cells: a number, a date, an
address, or words without another candidate between them (after `1,5;2,5` is cut at its commas, `5;2` stays, which is nothing).
Where no candidate makes rows of two cells and more that agree, the text is no table, and None is the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from ingest.parse.csv_rows import rows_of

CANDIDATES = (",", "\t", ";", "|", "，")
SAMPLE_CHARS = 64 * 1024
SAMPLE_ROWS = 200

AGREEING = 0.5
"""The share of rows that must have the usual width, where only the name speaks for a table; three rows are enough of any."""

_DECLARED = re.compile(r"\Asep=(.)\s*\n")
_NUMBER = re.compile(
    r"[-+(]?\s*[$€£¥￥]?\s*(?:\d{1,3}(?:[,.'\u00a0 ]\d{3})+|\d+)?(?:[.,]\d+)?(?:[eE][-+]?\d+)?\s*(?:%|‰|元|万|亿|[$€£¥])?\)?"
)
_DATE = re.compile(
    r"\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?|月)?"
    r"(?:[T ]\s*\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|[-+]\d{2}:?\d{2}|[AaPp][Mm])?)?"
    r"|\d{1,2}:\d{2}(?::\d{2})?"
)
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_ADDRESS = re.compile(r"\w+://\S+|[\w.+-]+@[\w-]+\.[\w.]+")


@dataclass(frozen=True, slots=True)
class Dialect:
    """`start`: characters in front of the table that only declare it (`sep=;`)."""

    delimiter: str
    quote: str = '"'
    start: int = 0


def sniff(text: str, preferred: str | None = None) -> Dialect | None:
    """Return how the beginning of `text` is written as a table. `preferred`: the delimiter that the file's name speaks for."""
    if declared := _DECLARED.match(text[:16]):
        return Dialect(declared[1], start=declared.end())
    lines = _sample(text)
    best, best_score = None, 0.0
    for delimiter in CANDIDATES:
        if not any(delimiter in line for line in lines):
            continue
        quote = _quote(lines, delimiter)
        score = _score(_cut(lines, delimiter, quote), delimiter) * (1.2 if delimiter == preferred else 1.0)
        if score > best_score:
            best, best_score = Dialect(delimiter, quote), score
    return best


def is_plainly_a_table(text: str) -> bool:
    """Whether a text without a telling name is a table: four rows and more, all of one width, and none that reads like prose.

    Commas stand in sentences, and a list of tab-indented lines is no table, so all of it must hold for the whole sample.
    """
    first = [line for line in text[:4096].split("\n", 9)[:9] if line.strip()][:4]
    if not any(first[0].count(c) > 0 and len({line.count(c) for line in first}) == 1 for c in CANDIDATES if first):
        return False
    found = sniff(text)
    if found is None:
        return False
    rows = _cut(_sample(text[found.start :]), found.delimiter, found.quote)
    width = len(rows[0])
    if len(rows) < 4 or width < (2 if found.delimiter == "\t" else 3) or any(len(row) != width for row in rows):
        return False
    cells = [cell for row in rows for cell in row]
    spaced = sum(1 for row in rows for cell in row[1:] if cell.startswith(" "))
    long = sum(1 for cell in cells if len(cell) > 60 and not _ADDRESS.match(cell))
    stopped = sum(1 for row in rows if row[-1].rstrip().endswith((".", "。", "!", "?", "！", "？")))
    indented = any(row[0][:1].isspace() for row in rows) or not any(row[0] for row in rows)
    return not indented and spaced * 4 < len(cells) and long * 10 < len(cells) and stopped * 3 < len(rows)


def header_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return 1 where the first row names the columns, 0 where it is data like those below.

    Data shows by a number or date in a column that has them below, by the same cell twice, or by a cell as long as a sentence.
    Most tables have a header, so that a first row of words above words is taken for one.
    """
    if len(rows) < 2:
        return 0
    first, others = rows[0], rows[1:SAMPLE_ROWS]
    names = [cell.strip() for cell in first if cell.strip()]
    if not names or len(set(names)) < len(names) or any(len(name) > 80 or "\n" in name.strip() for name in names):
        return 0
    for at, cell in enumerate(first):
        below = [row[at] for row in others if at < len(row) and row[at].strip()]
        # Years over figures are names of columns, unless all columns look like that.
        names_it = _YEAR.fullmatch(cell.strip()) and not all(map(is_value, names))
        if is_value(cell) and not names_it and below and sum(map(is_value, below)) >= 0.5 * len(below):
            return 0
    return 1


def is_value(cell: str) -> bool:
    """Whether a cell is a number, a date or a time."""
    text = cell.strip()
    if len(text) > 40 or not any(map(str.isdigit, text)):
        return False
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def _sample(text: str) -> list[str]:
    head = text[:SAMPLE_CHARS]
    lines = head.split("\n")
    if len(text) > SAMPLE_CHARS and len(lines) > 1:
        lines.pop()  # cut somewhere
    return [line for line in lines if line.strip()][: SAMPLE_ROWS * 2]


def _cut(lines: Sequence[str], delimiter: str, quote: str) -> list[list[str]]:
    return [cells for _, _, cells in islice(rows_of(lines, delimiter, quote), SAMPLE_ROWS)]


def _quote(lines: Sequence[str], delimiter: str) -> str:
    """`'` where cells are wrapped in it and none in `"`."""
    joined = delimiter + delimiter.join(lines) + delimiter
    edge = re.escape(delimiter)
    single = len(re.findall(rf"(?<={edge})'[^'\n]*'(?={edge})", joined))
    return "'" if single > 2 and not re.search(rf'(?<={edge})"', joined) else '"'


def _score(rows: Sequence[Sequence[str]], delimiter: str) -> float:
    """How much a cut looks like a table: width that agrees, times the share of cells that read like cells."""
    widths = Counter(len(row) for row in rows)
    width = max(widths, key=lambda one: (widths[one] * min(one, 3), one), default=1)
    if width < 2:
        return 0.0
    agreeing = widths[width] / len(rows)
    if (agreeing < AGREEING and widths[width] < 3) or (widths[width] < 2 and len(rows) > 1):
        return 0.0
    others = [other for other in CANDIDATES if other != delimiter]
    cells = [cell for row in rows if len(row) == width for cell in row]
    clean = sum(1 for cell in cells if _is_clean(cell, others))
    return agreeing * (width - 1) / width * (0.1 + clean / len(cells))


def _is_clean(cell: str, others: Sequence[str]) -> bool:
    text = cell.strip()
    if not text or is_value(text) or _ADDRESS.fullmatch(text):
        return True
    if any(other in text for other in others if other not in ",，"):
        return False
    # A comma inside words is followed by a space or stands between Han characters; between letters it parts cells.
    return not re.search(r",(?=\S)", text)
