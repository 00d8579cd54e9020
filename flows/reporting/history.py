"""Chunks and entities over generations: what the catalog still lists, and what the report before remembers of those pruned.

The catalog is believed where both know a generation. What a report remembers counts only if it speaks of this base: the oldest
generation that both know must be the same one, and nothing is taken from beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from flows.reporting.record import Parsed, Point
from ingest.store.catalog import Published
from ingest.store.layout import Layout

POINTS = 400
"""A year of nightly runs that each found something. The line is as long, the file grows no further."""


class Earlier:
    """The report before, as far as it can be read: history and what was counted of one snapshot. Nothing depends on it."""

    def __init__(self, layout: Layout, head: int) -> None:
        self._said: dict[str, Any] = {}
        for file in (layout.report("json"), layout.generation_report(head, "json")):
            try:
                said = orjson.loads(file.read_bytes())
            except (OSError, ValueError):
                continue
            if isinstance(said, dict) and said.get("format") == 1:
                self._said = said
                return

    def points(self) -> list[Point]:
        """The generations it knows."""
        try:
            return [
                Point(
                    int(point["generation"]), str(point["at"]), str(point["origin"]), str(point["snapshot"]),
                    int(point["sources"]), int(point["chunks"]), int(point["entities"]), int(point["edges"]),
                    int(point["assertions"]),
                )
                for point in self._said.get("history", ())
            ]
        except (LookupError, TypeError, ValueError):
            return []

    def parsers(self, snapshot: str) -> tuple[Parsed, ...]:
        """The documents by parser, if they were counted of this very snapshot."""
        if self._said.get("snapshot") != snapshot:
            return ()
        try:
            return tuple(
                Parsed(
                    str(row["media_type"]), str(row["parser"]), int(row["documents"]), int(row["failed"]),
                    int(row["pages"]) if row["pages"] is not None else None,
                )
                for row in self._said.get("parsers", ())
            )
        except (LookupError, TypeError, ValueError):
            return ()


def history(published: Sequence[Published], earlier: Earlier) -> tuple[Point, ...]:
    """Return the last generations, oldest first. `published`: those that are kept, in any order."""
    listed = {item.generation: point_of(item) for item in published}
    known = {point.generation: point for point in earlier.points()}
    shared = min(listed.keys() & known.keys(), default=None)
    if shared is not None and (known[shared].at, known[shared].snapshot) != (listed[shared].at, listed[shared].snapshot):
        known = {}  # of a base that was deleted and begun anew in the same folder
    oldest = min(listed, default=0)
    points = {number: point for number, point in known.items() if number < oldest} | listed
    return tuple(points[number] for number in sorted(points))[-POINTS:]


def point_of(published: Published) -> Point:
    """Return what a listed generation held, from the counts in its manifest."""
    counts = {table: int(digest.partition(":")[0]) for table, digest in published.manifest.catalog.items()}
    return Point(
        published.generation, published.published_at, published.origin, published.manifest.snapshot, counts["sources"],
        counts["chunks"], counts["entities"], counts["edges"], counts["assertions"],
    )

