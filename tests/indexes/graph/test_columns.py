"""Columns made without `pa.array` are what it would have made, and nothing of them asks for pandas."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from indexes.graph.columns import array_of, flat, numbers, texts, values

_texts = st.text(st.characters(exclude_categories=["Cs"]))


@settings(deadline=None)
@given(st.lists(st.none() | _texts))
def test_texts_are_what_arrow_makes_of_them(entries: list[str | None]) -> None:
    made = texts(entries)
    made.validate(full=True)
    assert made == pa.array(entries, pa.string())


@settings(deadline=None)
@given(st.lists(st.lists(_texts)))
def test_lists_of_texts_are_what_arrow_makes_of_them(entries: list[list[str]]) -> None:
    made = array_of(entries, pa.list_(pa.string()))
    made.validate(full=True)
    assert made == pa.array(entries, pa.list_(pa.string()))


def test_numbers_come_back_as_they_went_also_from_a_slice() -> None:
    held = np.arange(10, dtype=np.int32)
    assert values(numbers(held)).tolist() == held.tolist()
    assert values(numbers(held).slice(3, 4)).tolist() == [3, 4, 5, 6]
    assert values(numbers(held[:0])).tolist() == []


def test_a_column_without_pieces_is_empty() -> None:
    assert flat(pa.chunked_array([], pa.string())).to_pylist() == []
    assert flat(pa.chunked_array([texts(["a"]), texts(["b"])])).to_pylist() == ["a", "b"]


def test_a_graph_is_written_and_read_without_pandas() -> None:
    program = """
import sys, tempfile
from pathlib import Path
from indexes.graph.reader import open_reader
from indexes.graph.writer import GraphWriter
from ingest.model.edge import Edge
from ingest.model.predicate import Predicate
from ingest.progress import Silent
from ingest.protocols import GraphDelta

folder = Path(tempfile.mkdtemp())
edges = [Edge("urn:a", "links_to", "urn:b", "urn:a", "urn:a")]
for base, target in ((None, folder / "one"), (folder / "one", folder / "two")):
    GraphWriter().write(base, GraphDelta((), 0, frozenset(), edges, frozenset()), target, Silent())
reader = open_reader(folder / "two")
assert list(reader.edges()) == edges and list(reader.pairs()) == [] and reader.contents([]) == {}
assert reader.neighbors(["urn:a"], None, Predicate(None), 5) == []
sys.exit("pandas" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
