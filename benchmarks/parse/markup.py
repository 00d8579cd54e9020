"""What the scorer reads out of Markdown: text without emphasis, tables as trees, headings with what stands under each.

Engines write tables as pipes or as HTML; both become the same tags first, so that the form is not what is scored.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from lxml import html as lxml_html
from lxml.etree import ParserError

from benchmarks.parse.trees import Node

_BAR = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_RULE = re.compile(r":?-+:?")
_TABLE = re.compile(r"<table\b.*?</table>", re.IGNORECASE | re.DOTALL)
_WIDEST = 1000
"""Spans beyond are not believed."""
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_MARKS = ("***", "**", "*", "~~", "__", "_")
_EMPHASIS = [re.compile(rf"{re.escape(mark)}(\S|\S.*?\S){re.escape(mark)}", re.DOTALL) for mark in _MARKS]


def with_html_tables(markdown: str) -> str:
    """Return the text with every pipe table written as HTML. A row is padded, or cut, to the width of its table; an empty
    header, as some engines write over a table that has none, gives way to the first row."""
    lines = markdown.splitlines()
    out: list[str] = []
    at = 0
    while at < len(lines):
        end = _table_end(lines, at)
        if end == at:
            out.append(lines[at])
            at += 1
        else:
            out.append(_as_html([_cells(line) for n, line in enumerate(lines[at:end]) if n != 1]))
            at = end
    return "\n".join(out)


def plain(markdown: str) -> str:
    """Return the text in one line without emphasis, tables as HTML."""
    return html.unescape(folded(_without_emphasis(with_html_tables(markdown))))


def without_tables(markdown: str) -> str:
    """Return the text in one line without emphasis and without tables."""
    return html.unescape(folded(_without_emphasis(_TABLE.sub(" ", with_html_tables(markdown)))))


def tables(markdown: str) -> Node | None:
    """Return one tree of all tables, each of rows, each of cells (`td` with its spans and text), or None without a table."""
    found = tuple(_table(text) for text in _TABLE.findall(with_html_tables(markdown)))
    return Node("tables", "", found) if found else None


def headings(markdown: str) -> Node | None:
    """Return a tree of the document: headings side by side, whatever their level, the text under each as one node; None without
    a heading."""
    top: list[Node] = []
    title: str | None = None
    content: list[str] = []

    def close() -> None:
        text = folded(" ".join(content))
        under = (Node("content", text),) if text else ()
        top.extend(under if title is None else (Node("heading", title, under),))
        content.clear()

    for line in with_html_tables(markdown).splitlines():
        if match := _HEADING.fullmatch(line):
            close()
            title = folded(match[1])
        else:
            content.append(line)
    close()
    return None if title is None else Node("document", "", tuple(top))


def folded(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return " ".join(text.split())


def _cells(line: str) -> list[str]:
    """Return the cells of a line of a pipe table, none when it is not one. A bar written `\\|` belongs to its cell, and a line
    break written `<br>` is white space."""
    text = line.strip()
    if "|" not in text:
        return []
    cells = [_BREAK.sub(" ", cell).strip().replace("\\|", "|") for cell in _BAR.split(text)]
    if text.startswith("|"):
        cells = cells[1:]
    if cells and not cells[-1] and text.endswith("|"):
        cells = cells[:-1]
    return cells


def _table_end(lines: list[str], at: int) -> int:
    """Return the line after the table that begins here, or this line itself when none does."""
    if at + 1 >= len(lines) or not _cells(lines[at]):
        return at
    rule = _cells(lines[at + 1])
    if not rule or not all(_RULE.fullmatch(cell.replace(" ", "")) for cell in rule):
        return at
    end = at + 2
    while end < len(lines) and _cells(lines[end]):
        end += 1
    return end


def _as_html(rows: list[list[str]]) -> str:
    width = len(rows[0])
    if len(rows) > 1 and not any(rows[0]):
        rows = rows[1:]
    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        cells = [*row, *[""] * (width - len(row))][:width]
        lines.append("".join(f"<{tag}>{html.escape(cell, quote=False)}</{tag}>" for cell in cells))
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _without_emphasis(text: str) -> str:
    for mark in _EMPHASIS:
        text = mark.sub(r"\1", text)
    return text


def _table(text: str) -> Node:
    try:
        element = lxml_html.fragment_fromstring(text)
    except ParserError:
        return Node("table")
    rows = [row for row in element.iter("tr") if next(row.iterancestors("table"), None) is element]
    return Node("table", "", tuple(Node("tr", "", tuple(_row(row))) for row in rows))


def _row(row: lxml_html.HtmlElement) -> Iterator[Node]:
    for cell in row:
        if cell.tag in ("td", "th"):
            across, down = cell.get("colspan", "1"), cell.get("rowspan", "1")
            yield Node(f"td {across} {down}", folded(" ".join(cell.itertext())))


def grids(markdown: str) -> list[list[list[str]]]:
    """Return each table as rows of cells of equal width, a cell that spans several repeated in each of them."""
    found = tables(markdown)
    return [_grid(table) for table in found.children] if found else []


def _grid(table: Node) -> list[list[str]]:
    filled: dict[tuple[int, int], str] = {}
    for number, row in enumerate(table.children):
        column = 0
        for cell in row.children:
            while (number, column) in filled:
                column += 1
            across, down = (max(1, min(int(part), _WIDEST)) if part.isdigit() else 1 for part in cell.tag.split()[1:])
            filled.update({(number + i, column + j): cell.text for i in range(down) for j in range(across)})
    height, width = len(table.children), max((column + 1 for _, column in filled), default=0)
    return [[filled.get((i, j), "") for j in range(width)] for i in range(height)]
