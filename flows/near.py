"""Edges between passages of different sources that say the same, brought up to what a stage holds.

Which edges there are depends on the chunks in effect alone, never on the order in which they came: among the chunks that share a
key, sorted by id, each is compared with the next `REACH`. A run compares only chunks that came or went, and those near them in
that order; a first one, and one under other rules, compares all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from flows.alike import FINGERPRINT, LEAST, Shingles
from flows.assemble import edge_fact
from ingest.model.batches import batches
from ingest.model.edge import NEAR_DUPLICATE, PASSAGES, Edge
from ingest.steps import reached
from ingest.store.catalog import Fact, Stage
from ingest.store.layout import Layout
from ingest.store.passages import Passages

REACH = 32
"""Copies that each passage is joined with at most, in the order of ids, by one key: a footer of a thousand documents makes 32,000
edges, not half a million."""
_DIGITS = 4
_AT_ONCE = 500

Pair = tuple[str, str]


class Near:
    """`before`: the digest of the chunks in the generation that the stage starts from, None where there is none, or where edges
    were made by other rules."""

    def __init__(self, layout: Layout, stage: Stage, before: str | None) -> None:
        self._passages = Passages(layout.passages, FINGERPRINT)
        self._stage = stage
        self._before = before
        self._read: dict[str, tuple[str, Shingles]] = {}

    def __enter__(self) -> Near:
        return self

    def __exit__(self, *exception: object) -> None:
        self._passages.close()

    def update(self) -> bool:
        """Begin and end edges so that they are those of the chunks in effect. Returns whether any did."""
        began, ended = self._stage.moved("chunks")
        came, went = began - ended, ended - began
        if self._before is None:
            return self._stage.replace("edges", PASSAGES, self.all())
        if not came and not went:
            return False
        if not self._passages.covers(self._before):
            self._know(fact.id for fact in self._stage.standing("chunks"))
        self._know(sorted(came | went))
        groups = self._passages.sharing(sorted(came | went))
        candidates = sorted({chunk for group in groups.values() for chunk in group})
        now = {fact.id for fact, in_effect in self._stage.among("chunks", candidates) if in_effect}
        then = (now - came) | (went & set(candidates))
        moved = came | went
        wanted = self._pairs([chunk for chunk in group if chunk in now] for group in groups.values())
        held = self._pairs([chunk for chunk in group if chunk in then] for group in groups.values())
        wanted, held = wanted - held, held - wanted
        # A pair that a group lost may still meet in another, of which nothing came or went.
        kept = self._still(held, moved)
        return self._write(self._edges(wanted), self._edges(held - kept))

    def all(self) -> list[Fact]:
        """The edges of all chunks in effect, as facts."""
        in_effect = {fact.id for fact in self._stage.standing("chunks")}
        self._know(sorted(in_effect))
        groups = ([chunk for chunk in group if chunk in in_effect] for group in self._passages.all_sharing())
        return [edge_fact(edge) for edge in self._edges(self._pairs(groups))]

    def _pairs(self, groups: Iterable[Sequence[str]]) -> set[Pair]:
        return {(chunk, other) for group in groups for at, chunk in enumerate(group) for other in group[at + 1 : at + 1 + REACH]}

    def _still(self, pairs: set[Pair], moved: set[str]) -> set[Pair]:
        """Those of `pairs`, none of whose chunks moved, that another key brings together."""
        stay = {pair for pair in pairs if not moved & set(pair)}
        if not stay:
            return set()
        groups = self._passages.sharing(sorted({chunk for pair in stay for chunk in pair}))
        candidates = sorted({chunk for group in groups.values() for chunk in group})
        now = {fact.id for fact, in_effect in self._stage.among("chunks", candidates) if in_effect}
        return stay & self._pairs([chunk for chunk in group if chunk in now] for group in groups.values())

    def _edges(self, pairs: set[Pair]) -> list[Edge]:
        """The edges of those pairs that say the same in different sources."""
        self._load({chunk for pair in pairs for chunk in pair})
        made = []
        for chunk, other in sorted(pairs):
            (source, shingles), (other_source, others) = self._read[chunk], self._read[other]
            share = shingles.share(others) if source != other_source else 0.0
            if share >= LEAST:
                made.append(Edge(chunk, NEAR_DUPLICATE, other, PASSAGES, chunk, confidence=round(share, _DIGITS)))
        return made

    def _write(self, begun: Sequence[Edge], ended: Sequence[Edge]) -> bool:
        held = {fact.id for fact, in_effect in self._stage.among("edges", [edge.edge_id for edge in begun]) if in_effect}
        fresh = [edge_fact(edge) for edge in begun if edge.edge_id not in held]
        self._stage.end("edges", [edge.edge_id for edge in ended], PASSAGES)
        self._stage.begin("edges", fresh)
        reached("copies staged")
        return bool(fresh or ended)

    def _know(self, chunks: Iterable[str]) -> None:
        """See to it that the keys of these chunks are noted."""
        for part in batches(self._passages.unknown(chunks), _AT_ONCE):
            self._passages.put({fact.id: _shingles(fact)[1].keys() for fact, _ in self._stage.among("chunks", part)})

    def _load(self, chunks: set[str]) -> None:
        wanted = sorted(chunks - self._read.keys())
        self._read.update((fact.id, _shingles(fact)) for fact, _ in self._stage.among("chunks", wanted))


def _shingles(fact: Fact) -> tuple[str, Shingles]:
    """The source of a chunk and the shingles of what it does not repeat."""
    row = orjson.loads(fact.payload)
    return fact.source_id, Shingles(row["text"][row["overlap"] :])


def known(layout: Layout, digest: str) -> None:
    """Note that the keys of all chunks of a published generation, whose digest this is, are known: the next run need not look."""
    passages = Passages(layout.passages, FINGERPRINT)
    try:
        passages.cover(digest)
    finally:
        passages.close()
