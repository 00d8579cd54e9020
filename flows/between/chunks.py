"""The chunks of one document on either side, paired: by id; where it was renamed, by text; else what went with what came."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from flows.between.nouns import ChunkChange
from ingest.store.catalog import Fact

EXCERPT = 120
"""Characters of a text that are shown; enough to know it again."""
_BEFORE = 24
"""Characters shown before the place at which two texts begin to differ."""
_CHECKSUMS = frozenset(("row_checksum", "text_checksum"))
_OF_PLACE = frozenset(("chunk_id", "source_id", "parent_id"))
"""Fields that are others wherever a document was renamed, and say nothing else."""


@dataclass(frozen=True, slots=True)
class Held:
    """A chunk on one side."""

    id: str
    checksum: str
    position: int
    row: dict[str, Any]

    @property
    def heading(self) -> tuple[str, ...]:
        return tuple(self.row["heading_path"])

    @property
    def text(self) -> str:
        return " ".join(str(self.row["text"][self.row["overlap"] :]).split())


def held(facts: Iterable[Fact]) -> list[Held]:
    """Return the chunks that facts are."""
    return [Held(fact.id, fact.checksum, fact.position, orjson.loads(fact.payload)) for fact in facts]


def paired(before: list[Held], after: list[Held], *, renamed: bool) -> tuple[list[ChunkChange], int]:
    """Return the changes in reading order, and how many chunks only moved with their document."""
    was = {chunk.id: chunk for chunk in before}
    now = {chunk.id: chunk for chunk in after}
    placed: list[tuple[int, int, ChunkChange]] = []
    for id in was.keys() & now.keys():
        if was[id].checksum != now[id].checksum:
            placed.append((now[id].position, 1, _rewritten(was[id], now[id], frozenset())))
    went = sorted((was[id] for id in was.keys() - now.keys()), key=lambda chunk: chunk.position)
    came = sorted((now[id] for id in now.keys() - was.keys()), key=lambda chunk: chunk.position)
    moved = 0
    if renamed:
        moves, went, came = _moves(went, came)
        for old, new in moves:
            change = _rewritten(old, new, _OF_PLACE)
            moved += not change.fields
            if change.fields:
                placed.append((new.position, 1, change))
    beside = _beside(went, came)
    placed.extend((chunk.position, 0, _only("removed", chunk, beside.get(chunk.id))) for chunk in went)
    placed.extend((chunk.position, 2, _only("added", chunk, beside.get(chunk.id))) for chunk in came)
    return [change for _, _, change in sorted(placed, key=lambda item: (item[0], item[1], item[2].id))], moved


def _rewritten(old: Held, new: Held, apart_from: frozenset[str]) -> ChunkChange:
    fields = sorted(
        name for name in old.row.keys() | new.row.keys()
        if name not in _CHECKSUMS and name not in apart_from and old.row.get(name) != new.row.get(name)
    )
    return ChunkChange(
        "rewritten", new.id, new.heading, new.text[:EXCERPT], tuple(fields), old.id if old.id != new.id else ""
    )


def _moves(went: list[Held], came: list[Held]) -> tuple[list[tuple[Held, Held]], list[Held], list[Held]]:
    """Pairs of equal text below equal headings, in order, and what is left over on either side."""
    waiting: dict[tuple[Any, ...], list[Held]] = defaultdict(list)
    for chunk in reversed(went):
        waiting[chunk.heading, chunk.row["text"]].append(chunk)
    moves, fresh = [], []
    for chunk in came:
        same = waiting[chunk.heading, chunk.row["text"]]
        if same:
            moves.append((same.pop(), chunk))
        else:
            fresh.append(chunk)
    moved = {old.id for old, _ in moves}
    return moves, [chunk for chunk in went if chunk.id not in moved], fresh


def _beside(went: list[Held], came: list[Held]) -> dict[str, str]:
    """Id -> the text of the chunk on the other side that stood under the same heading, one to one and in order."""
    waiting: dict[tuple[str, ...], list[Held]] = defaultdict(list)
    for chunk in reversed(went):
        waiting[chunk.heading].append(chunk)
    beside = {}
    for chunk in came:
        if waiting[chunk.heading]:
            old = waiting[chunk.heading].pop()
            beside[chunk.id], beside[old.id] = old.text, chunk.text
    return beside


def _only(what: Any, chunk: Held, other: str | None) -> ChunkChange:
    return ChunkChange(what, chunk.id, chunk.heading, _excerpt(chunk.text, other))


def _excerpt(text: str, other: str | None) -> str:
    """The first words of a text, or those from shortly before it stops being like `other`."""
    if other is None:
        return text[:EXCERPT]
    shorter = min(len(text), len(other))
    same = next((place for place in range(shorter) if text[place] != other[place]), shorter)
    start = max(0, min(same - _BEFORE, len(text) - EXCERPT))
    return ("…" if start else "") + text[start : start + EXCERPT]
