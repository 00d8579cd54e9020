"""Makes a sealed BM25 build from the last one and what changed since.

Segments of the base are linked, not copied; removed and replaced rows are marked dead in the new build's own file; the rows
that came make one new segment, which swallows segments that are small beside it or largely dead. So a change costs what it
changes, and now and then a little more. From empty, the result is one segment that depends on the set of rows only.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from indexes.bm25.build import Build, open_build, write_build
from indexes.bm25.format import FINGERPRINT, TERMS
from indexes.bm25.gather import MOST_TOKENS, Gatherer
from indexes.bm25.merge import Part, write_segment
from indexes.bm25.segment import file_name, open_segment
from ingest.errors import StorageFailed
from ingest.model.generation import IndexKind
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.protocols import Bm25Delta

SMALL = 3
"""A segment of at most this many times the rows gathered so far is merged with them: sizes of those that stay grow fourfold."""
MOSTLY_DEAD = 0.25
"""A segment with a larger share of dead rows is rewritten: they cost time in every search."""

_STAGE = "bm25"


class Bm25Writer:
    """IndexWriter of `Bm25Delta`. A row of the delta replaces one of the same id, whether or not it is listed as removed."""

    kind: IndexKind = "bm25"
    fingerprint = FINGERPRINT

    def __init__(self, most_tokens: int = MOST_TOKENS) -> None:
        """`most_tokens`: see `gather`; it bounds memory and never shows in the result."""
        self._most_tokens = most_tokens

    def write(self, base: Path | None, delta: Bm25Delta, target: Path, progress: Progress) -> dict[str, str]:
        """See IndexWriter. Raises BuildCorrupt for a damaged base, StorageFailed when the disk is full or fails."""
        try:
            return self._write(base, delta, target, progress)
        except OSError as error:
            what = f"the BM25 index cannot be written to {target}: {error.strerror}"
            raise StorageFailed(f"{what}; check free space and permissions") from error

    def _write(self, base: Path | None, delta: Bm25Delta, target: Path, progress: Progress) -> dict[str, str]:
        old = open_build(base) if base is not None else Build((), TERMS)
        target.mkdir(parents=True)
        pieces = target / "pieces"
        pieces.mkdir()
        progress.start(_STAGE, delta.count, "chunks")
        came, contents = self._gather(delta.rows, pieces, progress)
        kept, swallowed = _sorted_out(_without(old, delta.removed | contents.keys()), len(contents))
        if base is not None:
            for name in (file_name(part.segment.name) for part in kept):
                _link(base / name, target / name)
        for part in swallowed:  # what is damaged must not be copied under a fresh checksum
            part.segment.check()
        if came or swallowed:
            kept.append(Part(open_segment(target, write_segment([*swallowed, *came], target))))
        shutil.rmtree(pieces)
        write_build(target, kept, TERMS)
        progress.finish(_STAGE)
        return contents

    def _gather(self, rows: Iterable[ChunkRow], pieces: Path, progress: Progress) -> tuple[list[Part], dict[str, str]]:
        """Index the rows. Pieces but the last go to disk until they are merged."""
        gatherer = Gatherer(self._most_tokens)
        came: list[Part] = []
        contents: dict[str, str] = {}
        for row in rows:
            gatherer.add(row)
            progress.advance(_STAGE)
            if gatherer.full:
                segment, hashes = gatherer.take()
                contents |= hashes
                came.append(Part(open_segment(pieces, write_segment([Part(segment)], pieces))))
        if not gatherer.empty:
            segment, hashes = gatherer.take()
            contents |= hashes
            came.append(Part(segment))
        return came, contents


def _without(old: Build, gone: frozenset[str] | set[str]) -> list[Part]:
    """The base's segments with more of their rows dead; those with none left are dropped."""
    wanted = sorted(gone)
    parts = []
    for part in old.parts:
        places = [place for place in part.segment.chunk_ids.find_many(wanted) if place >= 0]
        if places:
            alive = np.ones(part.segment.rows, dtype=np.bool_) if part.alive is None else part.alive.copy()
            alive[places] = False
            part = Part(part.segment, alive)
        if part.live_rows:
            parts.append(part)
    return parts


def _sorted_out(parts: list[Part], gathered: int) -> tuple[list[Part], list[Part]]:
    """Which segments stay, and which are merged with the `gathered` new rows."""
    kept: list[Part] = []
    swallowed: list[Part] = []
    for part in reversed(parts):
        dead = part.segment.rows - part.live_rows
        if part.live_rows <= SMALL * gathered or dead > MOSTLY_DEAD * part.segment.rows:
            swallowed.append(part)
            gathered += part.live_rows
        else:
            kept.append(part)
    return kept[::-1], swallowed


def _link(sealed: Path, new: Path) -> None:
    """Hard-link a file that nobody writes again; copy it where the file system has no links."""
    try:
        os.link(sealed, new)
    except OSError:
        shutil.copyfile(sealed, new)
