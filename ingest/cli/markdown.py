"""A parsed document as Markdown, for people to look at: what `ingest parse` prints. Only the body; pages are not told apart."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.model.document import Block, Document, Table


def pieces(document: Document) -> Iterator[str]:
    """Yield the body's blocks as Markdown, in reading order; a blank line belongs between two of them."""
    for block in document.blocks:
        if block.layer == "body":
            yield _block(block)


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
    """One line a row, the first as the header: Markdown has no other form. A bar inside a cell is escaped."""
    rows = [f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |" for row in table.rows]
    rule = f"|{' --- |' * len(table.rows[0])}"
    return "\n".join([rows[0], rule, *rows[1:]])
