"""The mapped arrays of an opened graph build: nodes by id and number, and their edges either way.

Opening maps the files and reads none of them; a look-up touches the pages it needs.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.graph.format import COLUMNS, said, stored
from indexes.header import damaged

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Nodes:
    """Node ids, sorted by bytes, and kinds. A node is its place."""

    ids: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.kinds)

    def key(self, number: int) -> bytes:
        """The id in stored form, as bytes."""
        return self.ids[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def name(self, number: int) -> str:
        return said(self.key(number).decode())

    def find(self, name: str) -> int | None:
        """Return the number of a node, None when there is none: a binary search over the mapped ids."""
        wanted = stored(name).encode()
        place = bisect_left(range(len(self)), wanted, key=self.key)
        return place if place < len(self) and self.key(place) == wanted else None


@dataclass(frozen=True, slots=True)
class Direction:
    """Edges by the node at one end (`near`); columns as in docs/formats.md."""

    starts: NDArray[np.int64]
    ends: Ints
    relations: Ints
    evidence: Ints
    records: Ints

    def span(self, node: int) -> slice:
        return slice(int(self.starts[node]), int(self.starts[node + 1]))

    def near(self) -> Ints:
        """The near node of every edge, [edges]."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))


def open_nodes(folder: Path) -> Nodes:
    nodes = Nodes(*(_mapped(folder, f"nodes.{name}", dtype) for name, dtype in
                    (("ids", np.uint8), ("offsets", np.int64), ("kinds", np.uint8))))
    if len(nodes.offsets) != len(nodes.kinds) + 1 or nodes.offsets[-1] != len(nodes.ids):
        raise damaged(folder / "nodes.offsets.npy", "it does not match nodes.ids.npy and nodes.kinds.npy")
    return nodes


def open_direction(folder: Path, name: str, nodes: int) -> Direction:
    arrays = [_mapped(folder, f"{name}.{column}", np.int64 if column == "starts" else np.int32) for column in COLUMNS]
    starts, *columns = arrays
    if len(starts) != nodes + 1 or any(len(column) != starts[-1] for column in columns):
        raise damaged(folder / f"{name}.starts.npy", f"it does not match the other {name}.* files")
    return Direction(*arrays)


def _mapped(folder: Path, name: str, dtype: Any) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise damaged(path, error) from error
    if values.dtype != dtype or values.ndim != 1:
        raise damaged(path, f"{values.dtype} {values.shape} inside")
    mapped: NDArray[Any] = values.view(np.ndarray)
    return mapped
