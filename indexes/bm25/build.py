"""A build: a folder of segments, and one file that says which of their rows are alive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from indexes.bm25.arrayfile import ArrayFile, narrowed, write_arrays
from indexes.bm25.merge import Part
from indexes.bm25.segment import open_segment
from indexes.header import damaged

KIND = "build"
FILE = "build.bm25"


@dataclass(frozen=True)
class Build:
    """The segments of a build, oldest first, each with its live rows."""

    parts: tuple[Part, ...]
    terms: str
    """Fingerprint of the rules that made the terms."""

    @cached_property
    def rows(self) -> int:
        """Live rows."""
        return sum(part.live_rows for part in self.parts)

    @cached_property
    def length(self) -> int:
        """Terms of all live rows, repeats counted."""
        return sum(int(part.live(part.segment.lengths).sum(dtype=np.int64)) for part in self.parts)


def open_build(folder: Path) -> Build:
    """Open a build; see `arrayfile` and `segment` for what is checked. Raises BuildCorrupt."""
    file = ArrayFile(folder / FILE, KIND)
    file.check()
    try:
        listed = [(str(entry["name"]), int(entry["rows"])) for entry in file.meta["segments"]]
        build = Build(tuple(_part(folder, file, number, *entry) for number, entry in enumerate(listed)), str(file.meta["terms"]))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise damaged(file.path, error) from error
    return build


def _part(folder: Path, file: ArrayFile, number: int, name: str, rows: int) -> Part:
    segment = open_segment(folder, name)
    if segment.rows != rows:
        raise damaged(file.path, f"segment {name} has {segment.rows} rows instead of {rows}")
    if f"dead.{number}" not in file:
        return Part(segment)
    alive = np.ones(rows, dtype=np.bool_)
    alive[file[f"dead.{number}"]] = False
    return Part(segment, alive)


def write_build(folder: Path, parts: Sequence[Part], terms: str) -> None:
    """Write the file that makes `folder` a build of segments that are there already."""
    build = Build(tuple(parts), terms)
    segments = [{"name": part.segment.name, "rows": part.segment.rows} for part in parts]
    meta = {"terms": terms, "rows": build.rows, "length": build.length, "segments": segments}
    dead = {f"dead.{at}": narrowed(np.flatnonzero(~part.alive)) for at, part in enumerate(parts) if part.alive is not None}
    write_arrays(folder / FILE, KIND, meta, dead)
