"""Which editions a query asks for, and which it therefore does not.

A version in words narrows nothing by itself: a document without a version, or one of another product, may hold the answer. It
says that *other editions of the same document* are not wanted. So of each family that has the version, the other versions are
left out; where no edition that shows has it, or where the question compares editions, nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from entities.folding import NAME
from indexes.query.plan.reading import Match, Reading
from indexes.query.plan.rules import Rules
from ingest.model.predicate import Editions, Predicate
from ingest.protocols import Bm25Reader

_NUMERALS = {char: str(number) for number, char in enumerate("零一二三四五六七八九十")}
_AFFIXES = re.compile(
    r"^(?:version|ver\.?|release|rev\.?|v|版本号?|第)\s*\.?\s*(?=[\d一二三四五六七八九十])|\s*(?:版本?|年版|edition)$"
)
OTHER = "other"


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


def _equal(version: str, held: str) -> bool:
    return version == held


def _but_for_zeros(version: str, held: str) -> bool:
    return version[:1].isdigit() and _bare(version) == _bare(held)


def _bare(version: str) -> str:
    return re.sub(r"(?:\.0)+$", "", version)


def _with_parts(version: str, held: str) -> bool:
    return version[:1].isdigit() and held.startswith(f"{version}.")
