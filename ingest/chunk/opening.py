"""Opening pieces: each form of block into the parts between which it may be cut, and the size up to which it may not.

Paragraphs open into sentences at any size. Code and tables open when they exceed the budget, into lines and rows; lists, FAQ
pairs, single rows and lines only when they exceed the hard maximum, and what is then cut says so (`partial`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from ingest.chunk.footnotes import Note
from ingest.chunk.fragments import fragments
from ingest.chunk.piece import INNER, NESTED, NO_LEAD, PART, Budget, Form, Lead, Piece
from ingest.chunk.prefix import shortened
from ingest.chunk.sentences import sentence_ends
from ingest.chunk.units import measure
from ingest.model.document import Table

_TOP_ITEM = re.compile(r"\n(?=\S)")
_COLUMNS_WORTH = 8
"""With less room than this (four characters) names of columns are left out of a prefix."""


def limit_of(form: Form, budget: Budget) -> int:
    """The size up to which a piece of this form stays whole."""
    if form == "prose":
        return 0
    if form == "sentence":
        return 2 * budget.most // 3
    if form in ("code", "table", "item"):
        return budget.most
    return budget.whole


def opens(piece: Piece, budget: Budget) -> bool:
    return piece.form != "whole" and piece.size > limit_of(piece.form, budget)


def opened(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    """Return the parts of a piece in order; the first takes over its place. Where there is only one (code of a single line, a
    list of one item), its own parts; where that has none, it no longer opens."""
    parts = _OPENERS[piece.form](piece, text, budget)
    if len(parts) < 2:
        inner = piece._replace(form=parts[0].form if parts else "whole")
        if inner.form in (piece.form, "whole"):
            return [piece._replace(form="whole")]
        return opened(inner._replace(partial=parts[0].partial), text, budget) if opens(inner, budget) else [inner]
    parts[0] = parts[0]._replace(rank=piece.rank, glued=piece.glued, repeat=piece.repeat, beside=piece.beside)
    return parts


def lead(text: str, budget: Budget) -> Lead:
    """Return `text` as something to repeat, or nothing where it would take over a quarter of the budget."""
    size = measure(text)
    return Lead(text, size) if 4 * size <= budget.most else NO_LEAD


def _parts(
    piece: Piece, text: str, ends: Iterable[int], form: Form, rank: int, budget: Budget,
    repeat: Lead = NO_LEAD, beside: Lead = NO_LEAD,
) -> list[Piece]:
    """The parts that end at `ends` (places in `text`, the last at the piece's end), without the white space between them."""
    parts = []
    kind, partial, size = piece.kind, piece.partial, budget.ruler.size
    trims = form in ("sentence", "whole")
    start = piece.start
    for end in ends:
        begin, stop = start, end
        while begin < stop and text[stop - 1].isspace():
            stop -= 1
        while trims and begin < stop and text[begin].isspace():
            begin += 1
        if begin < stop:
            parts.append(Piece(begin, stop, size(begin, stop), kind, form, rank, False, partial, repeat, None, beside))
        start = end
    return parts


def _line_ends(piece: Piece, text: str) -> list[int]:
    ends = []
    at = text.find("\n", piece.start, piece.end)
    while at >= 0:
        ends.append(at + 1)
        at = text.find("\n", at + 1, piece.end)
    return [*ends, piece.end]


def _prose(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    ends = [piece.start + end for end in sentence_ends(text[piece.start : piece.end])]
    if len(ends) < 2:
        return _fragments(piece, text, budget)
    said = Lead(piece.speaker, measure(piece.speaker)) if piece.speaker else piece.beside
    parts = _parts(piece, text, ends, "sentence", PART, budget, beside=said)
    # A semicolon is a poorer place to stop than a full stop.
    clauses = {index + 1 for index, part in enumerate(parts) if text[part.end - 1] == "；"}
    if clauses:
        parts = [part._replace(rank=NESTED) if index in clauses else part for index, part in enumerate(parts)]
    return [_with_notes(part, piece.notes, text) for part in parts] if piece.notes else parts


def _with_notes(part: Piece, notes: tuple[Note, ...], text: str) -> Piece:
    """A sentence with the footnotes that it cites: they go into the prefix of its child, so it is longer by them."""
    cited = tuple(note for note in notes if text.find(note.mark, part.start, part.end) >= 0)
    return part._replace(notes=cited, size=part.size + sum(note.text.size for note in cited))


def _fragments(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    """Cut where there is no better place. A third of the budget each, so that packing can still choose among the cuts."""
    if piece.size <= limit_of("sentence", budget):
        return [piece]
    cut = fragments(text, piece.start, piece.end, budget.most // 3)
    made = []
    for start, end, rank in cut:
        made.extend(_parts(piece._replace(start=start, end=end, partial=True), text, [end], "whole", rank, budget))
    return made


def _list(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    """Items of the first level with what is nested in them; the lead-in is repeated in front of later ones."""
    ends = [found.end() for found in _TOP_ITEM.finditer(text, piece.start, piece.end)]
    return _parts(piece._replace(partial=True), text, [*ends, piece.end], "item", PART, budget, piece.repeat)


def _item(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    """The lines of an item with nested ones, the sentences of a single line."""
    lines = _line_ends(piece, text)
    if len(lines) > 1:
        return _parts(piece, text, lines, "item", NESTED, budget, piece.repeat)
    ends = [piece.start + end for end in sentence_ends(text[piece.start : piece.end])]
    if len(ends) > 1:
        return _parts(piece, text, ends, "sentence", INNER, budget, piece.repeat)
    return [part._replace(repeat=piece.repeat) for part in _fragments(piece, text, budget)]


def _code(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    """Lines. The best place is behind an empty line and in front of one that is not indented."""
    lines = _parts(piece._replace(partial=True), text, _line_ends(piece, text), "atom", NESTED, budget)
    for number, (before, line) in enumerate(pairwise(lines), 1):
        if line.start - before.end > 1 and not text[line.start].isspace():
            lines[number] = line._replace(rank=PART)
    return lines


def _table(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    """The header as one part, then a part a row. Header and caption are repeated where they leave half the budget to rows."""
    ends = _line_ends(piece, text)
    table = piece.table
    headers = table.header_rows if table and len(table.rows) == len(ends) else 0
    if not table or not 0 < headers < len(ends):
        return _parts(piece, text, ends, "atom", PART, budget)
    header = _parts(piece, text, ends[headers - 1 : headers], "atom", PART, budget)[0]
    repeat, columns = _heading_of_rows(piece, text[header.start : header.end], table, budget)
    below = piece._replace(start=ends[headers - 1])
    first, *rows = _parts(below, text, ends[headers:], "atom", PART, budget, repeat, columns)
    return [header, first._replace(glued=True), *rows]


def _heading_of_rows(piece: Piece, header: str, table: Table, budget: Budget) -> tuple[Lead, Lead]:
    """What stands in front of rows in later children: caption and header, the header alone, or names for the prefix."""
    for text in (f"{piece.repeat.text}{header}\n", f"{header}\n"):
        size = measure(text)
        if 2 * size <= budget.most:
            return Lead(text, size), NO_LEAD
    if budget.columns < _COLUMNS_WORTH:
        return NO_LEAD, NO_LEAD
    names = shortened(", ".join(_column_names(table)), budget.columns)
    return NO_LEAD, Lead(names, measure(names))


def _column_names(table: Table) -> list[str]:
    """One name a column; rows of a header that has several are joined by a slash, repeated words said once."""
    columns = zip(*table.rows[: table.header_rows], strict=False)
    return [" / ".join(dict.fromkeys(" ".join(cell.split()) for cell in column if cell.strip())) for column in columns]


def _faq(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    """The question, and the answer's sentences; the question is repeated in front of what continues the answer."""
    split = text.find("\n", piece.start, piece.end)
    if split < 0:
        return _prose(piece._replace(partial=True), text, budget)
    ends = [split + 1 + end for end in sentence_ends(text[split + 1 : piece.end])]
    question, *answer = _parts(piece._replace(partial=True), text, [split + 1, *ends], "sentence", PART, budget)
    repeat = lead(text[question.start : split + 1], budget)
    return [question, *(part._replace(repeat=repeat, glued=not number) for number, part in enumerate(answer))]


_OPENERS: dict[Form, Callable[[Piece, str, Budget], list[Piece]]] = {
    "prose": _prose,
    "sentence": _fragments,
    "list": _list,
    "item": _item,
    "code": _code,
    "table": _table,
    "faq": _faq,
    "atom": _fragments,
}
