"""Every visible character of a page is in exactly one block or told as left out, whatever stands on the page; and the same bytes
read the same."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.model.document import SEPARATOR, Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart

WORDS = ["alpha", "bravo", "数据", "分级", "charlie", "delta", "管理", "echo", "foxtrot", "golf"]
WIDTH = 595

once = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

parts = st.lists(
    st.one_of(
        st.tuples(st.just("prose"), st.integers(1, 6), st.sampled_from([8, 10, 14])),
        st.tuples(st.just("grid"), st.integers(2, 4), st.integers(2, 4)),
        st.tuples(st.just("rules"), st.integers(2, 5), st.integers(2, 4)),
        st.tuples(st.just("aligned"), st.integers(3, 6), st.integers(2, 4)),
        st.tuples(st.just("columns"), st.integers(3, 8), st.just(2)),
        st.tuples(st.just("list"), st.integers(2, 4), st.sampled_from(["•", "1.", "(a)"])),
    ),
    min_size=1,
    max_size=5,
)


def drawn(pdf: Any, page: list[tuple[str, int, Any]], serial: count[int]) -> list[Any]:
    """Draw parts below each other; every text holds a number of its own."""
    out: list[Any] = []
    y = 60.0

    def text(words: int) -> str:
        number = next(serial)
        return " ".join([*(WORDS[(number + i) % len(WORDS)] for i in range(words)), f"x{number}"])

    for kind, size, more in page:
        if kind == "prose":
            out += pdf.lines(50, y, [text(7) for _ in range(size)], size=more)
            y += size * more * 1.4 + 20
        elif kind == "columns":
            out += pdf.lines(50, y, [text(4) for _ in range(size)]) + pdf.lines(320, y, [text(4) for _ in range(size)])
            y += size * 14 + 24
        elif kind == "list":
            out += pdf.lines(60, y, [f"{more} {text(4)}" for _ in range(size)])
            y += size * 14 + 20
        else:
            rows = [[text(1) for _ in range(more)] for _ in range(size)]
            if kind == "grid":
                out += pdf.grid(50, y, [110] * more, 18, rows)
            elif kind == "rules":
                out += pdf.between_rules(50, y, [120] * more, rows)
            else:
                out += [pdf.Text(50 + 120 * j, y + 16 * i, cell) for i, row in enumerate(rows) for j, cell in enumerate(row)]
            y += size * 18 + 24
    return [one for one in out if not hasattr(one, "text") or one.y < 800]


def letters(text: str) -> Counter[str]:
    return Counter(char for char in text if char.isalnum())


def told(document: Document) -> Counter[str]:
    """Characters of all blocks; the cells of a table once, however many rows and columns they take."""
    found: Counter[str] = Counter()
    for block in document.blocks:
        found += letters(block.text)
        if block.table is not None:
            for span in block.table.spans:
                again = span.rows * span.columns - 1
                found -= Counter({char: n * again for char, n in letters(block.table.rows[span.row][span.column]).items()})
    return found


@once
@given(pages=st.lists(parts, min_size=1, max_size=3))
def test_every_character_is_in_exactly_one_block(pdf: Any, pages: list[list[tuple[str, int, Any]]]) -> None:
    serial = count()
    drawings = [drawn(pdf, page, serial) for page in pages]
    document = reader.parse(pdf.build(drawings), "file.pdf", ParsePart(), PDF)
    wanted = letters(" ".join(one.text for page in drawings for one in page if hasattr(one, "text")))
    assert told(document) == wanted
    assert not document.omissions


@once
@given(pages=st.lists(parts, min_size=1, max_size=2))
def test_parsing_twice_gives_the_same_and_spans_are_slices_of_the_text(pdf: Any, pages: list[list[tuple[str, int, Any]]]) -> None:
    serial = count()
    data = pdf.build([drawn(pdf, page, serial) for page in pages])
    document = reader.parse(data, "file.pdf", ParsePart(), PDF)
    assert reader.parse(data, "file.pdf", ParsePart(), PDF) == document
    bodies = [block for block in document.blocks if block.layer == "body"]
    for block in bodies:
        start, end = block.provenance.span or (0, 0)
        assert document.text[start:end] == block.text
        for box in block.provenance.boxes:
            assert 0 <= box.x0 < box.x1 <= WIDTH + 1
    assert document.text == SEPARATOR.join(block.text for block in bodies)
