"""Documents built by hand, and what must hold of every document's chunks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from ingest.chunk.sentences import sentence_ends
from ingest.chunk.structure import chunk
from ingest.chunk.units import measure
from ingest.model.chunk import Child, Chunked
from ingest.model.document import Block, Document, Provenance, Table, laid_out, table_text
from ingest.settings import ChunkPart

PROSE = {"paragraph", "quote", "heading", "caption", "footnote"}


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
    def cut(made: Document, title: str = "手册", **settings: object) -> Chunked:
        return chunk(made, source_id="urn:kb:source:1", title=title, settings=ChunkPart.model_validate(settings))


@pytest.fixture
def holds() -> Callable[[Document, Chunked, ChunkPart], None]:
    return check


def check(made: Document, chunked: Chunked, settings: ChunkPart) -> None:
    """Assert every invariant of chunking. Knows the model, not how the chunker works."""
    text = made.text
    _reassembles(text, chunked.children)
    _walls_hold(made, chunked)
    for child in chunked.children:
        start, end = _span(child)
        assert child.text[child.overlap :] == text[start:end]
        assert child.subject
        assert child.prefix
        assert measure(child.prefix) <= settings.child_max
        assert child.units == -(-(measure(child.prefix) + measure(child.text)) // 3)
        _overlap_is_repeated(made, child)
        _nothing_atomic_is_cut(made, child)
        _provenance_is_merged(made, child)
        _size_is_kept(made, child, settings)
    _parents_hold(text, chunked)
    assert len({child.chunk_id for child in chunked.children}) == len(chunked.children)
    assert len({parent.parent_id for parent in chunked.parents}) == len(chunked.parents)


def _span(child: Child) -> tuple[int, int]:
    assert child.provenance.span
    return child.provenance.span


def _touched(made: Document, child: Child) -> list[Block]:
    """The blocks of which the child's slice has some text."""
    start, end = _span(child)
    return [
        block
        for block in made.blocks
        if block.layer == "body"
        and block.provenance.span
        and block.text[max(start - block.provenance.span[0], 0) : max(end - block.provenance.span[0], 0)].strip()
    ]


def _reassembles(text: str, children: tuple[Child, ...]) -> None:
    at = 0
    for child in children:
        start, end = _span(child)
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()


def _walls_hold(made: Document, chunked: Chunked) -> None:
    """All text of a child lies in one section, under its path; headings in it come first and lead to that section."""
    places = _sections(made)
    for child in chunked.children:
        start, end = _span(child)
        inside = [place for place in places if place[3][0] < end and start < place[3][1] and place[0].text.strip()]
        own = [(path, section) for block, path, section, _ in inside if block.kind != "heading"]
        assert len({section for _, section in own}) <= 1
        assert all(path == child.heading_path for path, _ in own)
        kinds = [block.kind for block, *_ in inside]
        headings = [path for block, path, *_ in inside if block.kind == "heading"]
        assert kinds[: len(headings)] == ["heading"] * len(headings)
        assert all(path == child.heading_path[: len(path)] for path in headings)
        assert all(len(left) < len(right) for left, right in pairwise(headings))
        if not own:
            assert headings[-1] == child.heading_path


def _sections(made: Document) -> list[tuple[Block, tuple[str, ...], int, tuple[int, int]]]:
    """Every body block with its path, the number of its section, and its span."""
    found = []
    stack: list[tuple[int, str]] = []
    section = 0
    for block in made.blocks:
        if block.layer != "body":
            continue
        if block.kind == "heading":
            while stack and stack[-1][0] >= block.level:
                stack.pop()
            name = " ".join(block.text.split())
            stack.append((block.level, name if len(name) <= 300 else name[:299].rstrip() + "…"))
            section += 1
        assert block.provenance.span
        found.append((block, tuple(name for _, name in stack), section, block.provenance.span))
    return found


def _overlap_is_repeated(made: Document, child: Child) -> None:
    """What is repeated stands somewhere before the child; where it is prose, it is one sentence, the last before it."""
    repeated = child.text[: child.overlap]
    start, _ = _span(child)
    assert repeated.strip() in made.text[:start]
    if not repeated or _touched(made, child)[0].kind not in PROSE:
        return
    begin = start - child.overlap
    assert made.text[begin:start] == repeated
    for block in made.blocks:
        first, last = block.provenance.span or (0, 0)
        if block.layer == "body" and first <= begin < last:
            ends = [first + len(block.text) - len(block.text.lstrip()) + end for end in sentence_ends(block.text.strip())]
            assert not [end for end in ends if begin < end < min(start, first + len(block.text.rstrip()))]


def _nothing_atomic_is_cut(made: Document, child: Child) -> None:
    """No row, line of code, or pair begins or ends inside a child, but for what says `/part`."""
    start, end = _span(child)
    for block in made.blocks:
        if block.layer != "body" or block.kind not in ("table", "code", "faq", "list", "formula"):
            continue
        assert block.provenance.span
        first, last = block.provenance.span
        for edge in (start, end):
            if not (first < edge < last and block.text[: edge - first].strip() and block.text[edge - first :].strip()):
                continue
            if block.kind == "table":
                assert "\n" in made.text[edge - 1 : edge + 1] or child.kind.endswith("/part") or child.kind != "table"
            else:
                assert child.kind == f"{block.kind}/part" or child.kind.partition("/")[0] != block.kind


def _provenance_is_merged(made: Document, child: Child) -> None:
    lines = [block.provenance.lines for block in _touched(made, child) if block.provenance.lines]
    if lines:
        assert child.provenance.lines is not None
        assert min(first for first, _ in lines) <= child.provenance.lines[0]
        assert child.provenance.lines[1] <= max(last for _, last in lines)


def _size_is_kept(made: Document, child: Child, settings: ChunkPart) -> None:
    """Text without anything atomic never exceeds the budget; with it, not the hard maximum and what is repeated or tied."""
    if {block.kind for block in _touched(made, child)} <= PROSE:
        assert child.units <= settings.child_max + 1
    else:
        assert child.units <= max(settings.atomic_max, settings.child_max) + settings.child_max


def _parents_hold(text: str, chunked: Chunked) -> None:
    order = list(dict.fromkeys(child.parent_id for child in chunked.children))
    assert order == [parent.parent_id for parent in chunked.parents]
    for parent in chunked.parents:
        mine = [child for child in chunked.children if child.parent_id == parent.parent_id]
        start, end = _span(mine[0])[0], _span(mine[-1])[1]
        assert parent.provenance.span == (start, end)
        assert parent.text == text[start:end]
        assert all(child.heading_path[: len(parent.heading_path)] == parent.heading_path for child in mine)
