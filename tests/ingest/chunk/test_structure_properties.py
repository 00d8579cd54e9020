"""Every invariant of chunking, over documents nobody would write."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.chunk.structure import chunk
from ingest.model.document import Block, Document, Table, laid_out, table_text
from ingest.settings import ChunkPart

ZH = st.text("数据库备份策略说明系统配置，、；：。！？（）“”", min_size=1, max_size=80)
EN = st.lists(
    st.sampled_from(["The", "server", "v2.1", "logs.", "e.g.", "Dr.", "3.14", "Restart:", "why?", "https://a.b/c?d=1", "No."]),
    min_size=1,
    max_size=40,
).map(" ".join)
ODD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
SENTENCES = st.lists(ZH | EN | ODD, min_size=1, max_size=12).map(" ".join)
HUGE = st.sampled_from(["无" * 900, "word " * 700, "x" * 9000, "a,b;" * 900, "🙂\u200d🙂" * 800])
TEXT = SENTENCES | SENTENCES | SENTENCES | HUGE
LINE = (ZH | EN | ODD).map(lambda text: " ".join(text.split()) or "-")


def blocks_of(kind: str) -> st.SearchStrategy[Block]:
    lines = st.lists(LINE, min_size=1, max_size=25)
    if kind == "heading":
        return st.builds(lambda text, level: Block("heading", text, level=level), ZH | ZH | EN | EN | HUGE, st.integers(1, 6))
    if kind == "list":
        items = st.lists(st.tuples(st.sampled_from(["- ", "  - ", "1. "]), LINE), min_size=1, max_size=25)
        single = HUGE.map(lambda text: Block("list", f"- {text}"))
        return items.map(lambda made: Block("list", "\n".join(mark + line for mark, line in made))) | single
    if kind == "code":
        coded = st.lists(LINE | st.just("") | LINE.map(lambda line: "    " + line), min_size=1, max_size=40)
        return coded.map(lambda made: Block("code", "\n".join(made) + "\nend")) | HUGE.map(lambda text: Block("code", text))
    if kind == "faq":
        return st.builds(lambda question, answer: Block("faq", f"{question}\n{answer}"), LINE, TEXT)
    if kind == "table":
        return st.integers(1, 6).flatmap(
            lambda width: st.builds(_table, st.lists(st.tuples(*[LINE] * width), min_size=1, max_size=30), st.integers(0, 2))
        )
    if kind == "formula":
        return lines.map(lambda made: Block("formula", "\n".join(made)))
    return st.builds(lambda text: Block(kind, text), TEXT)  # type: ignore[arg-type]


def _table(rows: list[tuple[str, ...]], header_rows: int) -> Block:
    cells = Table(tuple(rows), min(header_rows, len(rows)))
    return Block("table", table_text(cells), table=cells)


KINDS = ("heading", "heading", "paragraph", "list", "table", "code", "faq", "quote", "caption", "footnote", "formula")
HIDDEN = TEXT.map(lambda text: Block("paragraph", text, layer="furniture"))
LEAD_IN = ZH.map(lambda text: Block("paragraph", text + "："))
MARK = st.sampled_from(["（一）", "（二）", "1、", "2.", "① ", "表 1："])
ITEM = st.builds(lambda mark, text: Block("paragraph", mark + text), MARK, TEXT)
BLANK = st.just(Block("paragraph", " \n"))
BLOCK = st.one_of(*(blocks_of(kind) for kind in KINDS), HIDDEN, LEAD_IN, LEAD_IN, ITEM, ITEM, BLANK)
DOCUMENT = st.lists(BLOCK, max_size=20).map(lambda blocks: Document("text/plain", "made", None, laid_out(blocks)))
SETTINGS = st.sampled_from(
    [
        ChunkPart(),
        ChunkPart(),
        ChunkPart(overlap=False),
        ChunkPart(child_min=30, child_max=60, atomic_max=120, parent_min=100, parent_max=200),
        ChunkPart(child_min=50, child_max=60, atomic_max=10, parent_min=300, parent_max=50),
    ]
)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(made=DOCUMENT, part=SETTINGS, title=st.sampled_from(["", "手册", "A guide to everything " * 20]))
def test_every_invariant_holds(made: Document, part: ChunkPart, title: str, holds: Any) -> None:
    chunked = chunk(made, source_id="urn:kb:source:1", title=title, settings=part)
    holds(made, chunked, part)
    assert chunked == chunk(made, source_id="urn:kb:source:1", title=title, settings=part)
