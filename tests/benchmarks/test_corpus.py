"""The made corpus is the same everywhere, and what the benchmarks say of it."""

from __future__ import annotations

from pathlib import Path

from benchmarks.corpus import SECTIONS, edit_paragraph, write_corpus
from flows.work import look
from ingest.settings import Settings


def test_a_seed_writes_the_same_bytes_and_another_does_not(tmp_path: Path) -> None:
    first, again, other = (
        [path.read_bytes() for path in write_corpus(tmp_path / name, 7, seed)] for name, seed in (("a", 7), ("b", 7), ("c", 8))
    )
    assert first == again
    assert not set(first) & set(other)


def test_a_document_becomes_twelve_chunks_of_seven_hundred_bytes(tmp_path: Path) -> None:
    for path in write_corpus(tmp_path, 6):
        children = look(path, Settings()).chunked.children
        assert len(children) == SECTIONS
        assert all(550 <= len(child.text.encode()) <= 900 for child in children)


def test_an_edited_paragraph_changes_one_chunk(tmp_path: Path) -> None:
    path = write_corpus(tmp_path, 2)[1]
    before = [child.text for child in look(path, Settings()).chunked.children]
    edit_paragraph(path, "that it was edited")
    after = [child.text for child in look(path, Settings()).chunked.children]
    assert len(before) == len(after) and sum(old != new for old, new in zip(before, after, strict=True)) == 1
