"""A parsed document as Markdown, for people to look at: what `ingest parse` prints. Only the body; pages are not told apart."""

from __future__ import annotations

import html
from collections.abc import Iterator

from ingest.model.document import Block, Document, Provenance, Span, Table


def pieces(document: Document) -> Iterator[str]:
    """Yield the body's blocks as Markdown, in reading order; a blank line belongs between two of them."""
    for block in document.blocks:
        if block.layer == "body":
            yield _block(block)


def placed_pieces(document: Document) -> Iterator[str]:
    """As `pieces`, all layers, each below a comment that says where it stands, what told its kind, and how sure that is."""
    for block in document.blocks:
        kind = block.kind if block.layer == "body" else f"{block.kind} ({block.layer})"
        how = block.evidence or ""
        sure = f"confidence {block.confidence:g}" if block.confidence < 1 else ""
        told = ", ".join(part for part in (kind, *_places(block.provenance), how, sure) if part)
        yield f"<!-- {told.replace('--', '- -')} -->\n{_block(block)}"


def _places(place: Provenance) -> Iterator[str]:
    for box in place.boxes:
        yield f"page {box.page} ({box.x0:g} {box.y0:g} {box.x1:g} {box.y1:g})"
    if place.lines is not None:
        yield f"lines {place.lines[0]} to {place.lines[1]}"
    if place.time is not None:
        yield f"{place.time[0]:g} s to {place.time[1]:g} s"
    if place.locator is not None:
        yield place.locator


def _block(block: Block) -> str:
    if block.kind == "heading":
        return f"{'#' * max(1, block.level)} {block.text}"
    if block.kind == "code":
        return f"```{block.code_language or ''}\n{block.text}\n```"
    if block.kind == "quote":
        return "\n".join(f"> {line}" for line in block.text.splitlines())
    if block.kind == "table" and block.table is not None:
        return _table(block.table)
    return block.text


def _table(table: Table) -> str:
    """One line a row, the first as the header; a bar inside a cell is escaped. Markdown has no cells over several rows or
    columns, and takes HTML for them."""
    if table.spans:
        return _html(table)
    rows = [f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |" for row in table.rows]
    rule = f"|{' --- |' * len(table.rows[0])}"
    return "\n".join([rows[0], rule, *rows[1:]])


def _html(table: Table) -> str:
    begins = {(span.row, span.column): span for span in table.spans}
    covered = {
        (span.row + down, span.column + right)
        for span in table.spans for down in range(span.rows) for right in range(span.columns) if down or right
    }
    lines = ["<table>"]
    for number, row in enumerate(table.rows):
        tag = "th" if number < table.header_rows else "td"
        cells = (
            f"<{tag}{_reach(begins.get((number, at)))}>{html.escape(' '.join(cell.split()), quote=False)}</{tag}>"
            for at, cell in enumerate(row) if (number, at) not in covered
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


def _reach(span: Span | None) -> str:
    """Return the attributes of a cell over several rows or columns."""
    if span is None:
        return ""
    down = f' rowspan="{span.rows}"' if span.rows > 1 else ""
    return down + (f' colspan="{span.columns}"' if span.columns > 1 else "")
