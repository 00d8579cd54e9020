"""Which editions a query asks for, and which it therefore does not.

A version in words narrows nothing by itself: a document without a version, or one of another product, may hold the answer. It
says that *other editions of the same document* are not wanted. So of each family that has the version, the other versions are
left out; where no edition that shows has it, or where the question compares editions, nothing is. Where the only edition that has
it no longer holds, or not yet, the question is about the time at which it did: answered from the edition that replaced it, it
would be answered wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache

from entities.folding import NAME
from indexes.bm25.terms import tokens
from indexes.generation.snapshot import Snapshot
from indexes.query.plan.reading import Match, Reading
from indexes.query.plan.rules import Rules
from ingest.model.instant import parse_instant
from ingest.model.language import HAN
from ingest.model.predicate import Editions, Predicate
from ingest.model.row import ChunkRow
from ingest.protocols import Bm25Reader

_NUMERALS = {char: str(number) for number, char in enumerate("零一二三四五六七八九十")}
_AFFIXES = re.compile(
    r"^(?:version|ver\.?|release|rev\.?|v|版本号?|第)\s*\.?\s*(?=[\d一二三四五六七八九十])|\s*(?:版本?|年版|edition)$"
)
OTHER = "other"
HELD = "versions:held"
"""Id under which a plan tells that the time of the question is that of the edition that it names."""
_LAST_WORD = re.compile(rf"([{HAN}]{{1,2}}|[^\W_{HAN}]+)[\s的]*$")


def stated(reading: Reading, rules: Rules, dates: Iterable[tuple[int, int]]) -> Iterator[Match]:
    """Yield where versions stand, no two at one place, none inside a date."""
    taken: list[tuple[int, int]] = list(dates)
    for match in reading.matches(rules.of("version")):
        if all(match.end <= start or end <= match.start for start, end in taken):
            taken.append((match.start, match.end))
            yield match


@lru_cache(maxsize=4096)
def normal(version: str) -> str:
    """The form in which versions are compared: `V2.0`, `2.0 版` and `version 2.0` are 2.0."""
    folded = NAME(version).text.strip()
    bare = _AFFIXES.sub("", _AFFIXES.sub("", folded)).strip()
    return _NUMERALS.get(bare, bare)


def written(versions: Collection[str], held: Collection[str]) -> frozenset[str]:
    """Those of the versions that rows hold which are meant by some in normal form: exactly; else but for zeros at the end; else
    with further parts (2.1 is 2.1.3, too, where there is no 2.1)."""
    found: set[str] = set()
    for version in versions:
        for same in (_equal, _but_for_zeros, _with_parts):
            meant = {each for each in held if same(version, normal(each))}
            if meant:
                found |= meant
                break
    return frozenset(found)


def editions(versions: Collection[str], bm25: Bm25Reader, predicate: Predicate) -> Editions | None:
    """The editions that some versions (in normal form) ask for; None: no row that shows has one
    of them. What has no version may be about any, and stays."""
    held = bm25.versions(predicate)
    meant = written(versions, held)
    if not meant:
        return None
    families = bm25.families(meant, predicate) & bm25.families(held - meant, predicate)
    return Editions(families, meant | {""})


def when_held(
    versions: Collection[str], query: str, named: frozenset[str], befores: Sequence[str] | None, snapshot: Snapshot,
    predicate: Predicate, instant: str,
) -> str | None:
    """Return the instant nearest to `instant` at which the edition held, or will hold, that some versions (in normal form) ask
    for; None where there is none, or where it holds.

    Of the rows that have a version at any time, the one that has most of the query is looked at. It counts where it mentions an
    entity that is `named`, or has the words that the versions stand behind, each the last one of a text of `befores`: `Python
    3.1` asks for nobody's manual of 3.1. `befores` None: an edition that holds has the version, only what is named counts."""
    anytime = replace(predicate, as_of=None, during=None)
    meant = written(versions, snapshot.bm25.versions(anytime))
    hits = snapshot.bm25.rank(query, replace(anytime, versions=tuple(sorted(meant))), 1).hits if meant else []
    rows = snapshot.catalog.get("chunks", snapshot.generation, [hit.chunk_id for hit in hits])
    for row in (fact.noun(ChunkRow) for fact in rows.values()):
        beside = befores is not None and all(_has_last_word(row, before) for before in befores)
        if not beside and named.isdisjoint(row.entity_ids):
            continue
        if row.valid_until is not None and row.valid_until <= instant:
            return parse_instant(datetime.fromisoformat(row.valid_until) - timedelta(seconds=1))
        if row.valid_from is not None and row.valid_from > instant:
            return row.valid_from
    return None


def _has_last_word(row: ChunkRow, before: str) -> bool:
    """Whether a row has the word at the end of a text; also where there is none."""
    word = _LAST_WORD.search(before)
    return word is None or set(tokens(word[1])) <= set(tokens("\n".join([row.title, *row.heading_path, row.text])))


def _equal(version: str, held: str) -> bool:
    return version == held


def _but_for_zeros(version: str, held: str) -> bool:
    return version[:1].isdigit() and _bare(version) == _bare(held)


def _bare(version: str) -> str:
    return re.sub(r"(?:\.0)+$", "", version)


def _with_parts(version: str, held: str) -> bool:
    return version[:1].isdigit() and held.startswith(f"{version}.")
