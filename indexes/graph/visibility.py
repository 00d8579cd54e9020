"""Which nodes a predicate lets be seen: chunks that it admits, and the sources, parents and entities that such chunks bring.

A mask over all nodes, made in a few vectorised passes over the arrays that searches use, and kept until another predicate asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexes.graph.arrays import Direction, Ints, Nodes
from indexes.graph.format import FROM_ROW, said
from ingest.model.gate import Gates
from ingest.model.predicate import Predicate

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


class Visibility:
    """`chunks`: gate and source of chunks.parquet; `chunk_nodes`: the node of each of its rows."""

    def __init__(self, nodes: Nodes, out: Direction, chunks: pa.Table, chunk_nodes: NDArray[np.int64], gates: Gates) -> None:
        self._nodes = len(nodes)
        self._gates = gates
        self._chunk_nodes = chunk_nodes
        self._gate_of = _coded(chunks["gate"])
        self._source_of = _coded(chunks["source_id"])
        made = np.flatnonzero(out.records == FROM_ROW)
        self._subjects, self._objects, self._evidence = out.near()[made], out.ends[made], out.evidence[made]
        self._last: tuple[Predicate, NDArray[np.bool_]] | None = None

    def of(self, predicate: Predicate) -> NDArray[np.bool_]:
        """Return the mask, [nodes]; do not write into it."""
        last = self._last
        if last is not None and last[0] == predicate:
            return last[1]
        visible = np.zeros(self._nodes, bool)
        visible[self._chunk_nodes[self._admitted(predicate)]] = True
        shown = visible[self._evidence]
        visible[self._subjects[shown]] = True
        visible[self._objects[shown]] = True
        self._last = (predicate, visible)
        return visible

    def _admitted(self, predicate: Predicate) -> NDArray[np.bool_]:
        """[rows]: which rows the predicate admits."""
        allowed = self._gates.admitted(predicate)
        gates, codes = self._gate_of
        admitted: NDArray[np.bool_] = np.array([gate in allowed for gate in gates], bool)[codes]
        if predicate.sources is not None:
            sources, codes = self._source_of
            listed = set(predicate.sources)
            admitted &= np.array([said(source) in listed for source in sources], bool)[codes]
        return admitted


def _coded(column: Any) -> tuple[list[str], Ints]:
    """Return the distinct values of a column, and the place of each row's value among them."""
    from indexes.graph.columns import flat, values  # Arrow is not needed to open a build

    encoded = flat(column).dictionary_encode()
    return encoded.dictionary.to_pylist(), values(encoded.indices)
