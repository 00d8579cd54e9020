"""Documents built by hand, and what must hold of every document's chunks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ingest.chunk.invariants import violations
from ingest.chunk.structure import chunk
from ingest.model.chunk import Chunked
from ingest.model.document import Block, Document, Provenance, Table, laid_out, table_text
from ingest.settings import ChunkPart


def heading(text: str, level: int = 1) -> Block:
    return Block("heading", text, level=level)


def table(header: tuple[str, ...], *rows: tuple[str, ...]) -> Block:
    cells = Table((header, *rows))
    return Block("table", table_text(cells), table=cells)


def document(*blocks: Block) -> Document:
    """A document whose block number n stands on lines 10 n to 10 n + 5 of its source."""
    numbered = [
        Block(
            block.kind,
            block.text,
            level=block.level,
            layer=block.layer,
            table=block.table,
            provenance=Provenance(lines=(10 * n, 10 * n + 5)),
        )
        for n, block in enumerate(blocks)
    ]
    return Document("text/markdown", "by hand", None, laid_out(numbered))


@pytest.fixture
def build() -> type[Builder]:
    return Builder


class Builder:
    """Names for what tests build documents of."""

    document = staticmethod(document)
    heading = staticmethod(heading)
    table = staticmethod(table)

    @staticmethod
    def paragraph(text: str) -> Block:
        return Block("paragraph", text)

    @staticmethod
    def settings(**settings: object) -> ChunkPart:
        return ChunkPart.model_validate(settings)

    @staticmethod
    def cut(made: Document, title: str = "手册", **settings: object) -> Chunked:
        return chunk(made, source_id="urn:kb:source:1", title=title, settings=ChunkPart.model_validate(settings))


@pytest.fixture
def holds() -> Callable[..., None]:
    return check


def check(made: Document, chunked: Chunked, settings: ChunkPart, source_id: str = "urn:kb:source:1") -> None:
    """Assert every invariant of chunking."""
    assert violations(made, chunked, settings, source_id) == []
