"""Differing numbers for one property of one thing, in two documents that hold at the same time.

The thing is one where both rows, with their titles and headings, name the same entities and no others of their kind, or belong to
one document family, and no version in title or headings differs. The property is one where clauses say the same words but for
those that say nothing of it (`measures.py`), and no code or capitalised word sets them apart. Everything else is left to the
reader: whoever is warned for nothing stops reading warnings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from indexes.generation.snapshot import Snapshot
from indexes.query.measures import Measure, measures
from ingest.model.entity import Entity, followed
from ingest.model.evidence import Conflict
from ingest.model.row import ChunkRow

_THINGS = ("product", "system", "interface", "capability", "standard", "document")
"""Types that properties are mostly told of; organisations, people and places stand beside them as makers and sites."""
_EDITION = re.compile(r"(?<![\d.])\d+(?:\.\d+)+(?![\d.])")


class Cited(Protocol):
    """What a conflict calls a row by: evidence, or its document."""

    @property
    def citation(self) -> str: ...

    @property
    def uri(self) -> str: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A row with what it speaks of, the words that this is called by, and the versions that it says it is of."""

    row: ChunkRow
    item: Cited
    subjects: frozenset[str]
    names: tuple[str, ...]
    editions: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Stated:
    piece: _Piece
    measure: Measure


def differing(snapshot: Snapshot, rows: Sequence[ChunkRow], evidence: Sequence[Cited]) -> Iterator[Conflict]:
    """Yield pairs of statements at odds, the first of each property, in the order of the evidence."""
    pieces = [
        _Piece(row, item, subjects, names, _editions(row))
        for row, item, (subjects, names) in zip(rows, evidence, _subjects(snapshot, rows), strict=True)
    ]
    pairs = [pair for pair in combinations(pieces, 2) if _comparable(*pair)]
    # Texts are read only where another one speaks of the same: of most answers none is.
    read = {piece for pair in pairs for piece in pair}
    stated = [_Stated(piece, measure) for piece in pieces if piece in read for measure in measures(piece.row.text, piece.names)]
    told: set[tuple[frozenset[str], str]] = set()
    for one, other in combinations(stated, 2):
        key = (one.measure.of, one.measure.kind)
        if key not in told and _at_odds(one, other):
            told.add(key)
            yield _conflict(one, [each for each in stated if each is one or _at_odds(one, each)])


def _comparable(one: _Piece, other: _Piece) -> bool:
    return one.row.source_id != other.row.source_id and _one_thing(one, other) and overlap(one.row, other.row)


def _at_odds(one: _Stated, other: _Stated) -> bool:
    return (
        _one_property(one.measure, other.measure) and abs(one.measure.number - other.measure.number) > 1e-9
        and _comparable(one.piece, other.piece)
    )


def _one_property(one: Measure, other: Measure) -> bool:
    sides = {one.side, other.side} - {""}
    return one.of == other.of and one.kind == other.kind and one.names == other.names and len(sides) < 2


def _one_thing(one: _Piece, other: _Piece) -> bool:
    """Editions are other things: that their numbers differ is what they are for."""
    if one.editions != other.editions and one.editions and other.editions:
        return False
    if one.row.family is not None and one.row.family == other.row.family:
        return one.subjects == other.subjects or not (one.subjects and other.subjects)
    return bool(one.subjects) and one.subjects == other.subjects


def _editions(row: ChunkRow) -> frozenset[str]:
    """The versions that a row says it is of."""
    said = _EDITION.findall(" ".join((row.title, *row.heading_path)))
    return frozenset({*said, *([row.version] if row.version is not None else [])})


def overlap(one: ChunkRow, other: ChunkRow) -> bool:
    """Return whether two rows hold at one time. Normalised instants compare as texts; an open side is before or behind all."""
    starts, ends = (one.valid_from or "", other.valid_from or ""), (one.valid_until or "~", other.valid_until or "~")
    return starts[0] < ends[1] and starts[1] < ends[0]


def _subjects(snapshot: Snapshot, rows: Sequence[ChunkRow]) -> list[tuple[frozenset[str], tuple[str, ...]]]:
    """What each row speaks of, and the words that its mentions have for entities: things where it mentions some, else all."""
    ids = sorted({id for row in rows for id in row.entity_ids})
    types, redirects = _types(snapshot, ids), snapshot.manifest.redirects
    said = snapshot.catalog.get("mentions", snapshot.generation, [row.chunk_id for row in rows]) if ids else {}
    called = {each["text"]: each["entity_id"] for fact in said.values() for each in fact.noun(dict)["mentions"]}
    found = []
    for row in rows:
        above = "\n".join((row.title, *row.heading_path))
        headed = [id for text, id in called.items() if text in above]
        meant = {followed(id, redirects): types.get(id, "") for id in (*row.entity_ids, *headed)}
        things = frozenset(id for id, type in meant.items() if type in _THINGS)
        found.append((things or frozenset(meant), tuple(text for text, id in called.items() if followed(id, redirects) in meant)))
    return found


def _types(snapshot: Snapshot, ids: Sequence[str]) -> Mapping[str, str]:
    facts = snapshot.catalog.every("entities", snapshot.generation, list(ids)) if ids else ()
    return {fact.id: fact.noun(Entity).type for fact in facts}


def _conflict(one: _Stated, all: Sequence[_Stated]) -> Conflict:
    # Documents tell who says what, and citations do not: those of several bases are numbered anew.
    values = " and ".join(dict.fromkeys(f"{each.measure.told!r} [{each.piece.item.uri}]" for each in all))
    return Conflict(
        "values", f"differing numbers in like words: {values}, as in {one.measure.clause!r}",
        tuple(sorted({each.piece.item.uri for each in all})), tuple(dict.fromkeys(each.piece.item.citation for each in all)),
    )
