"""What in an answer disagrees: reported with its citations, and never resolved silently.

Three kinds: two versions of one family that both hold; contradicting assertions about the entities of the answer
(`asserted.py`); and differing numbers for one property of one thing in two documents (`differing.py`). Only evidence of the
answer and what the caller may see is looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from indexes.generation.snapshot import Snapshot
from indexes.query.asserted import contradictions
from indexes.query.differing import differing, overlap
from ingest.model.evidence import Conflict, Evidence
from ingest.model.predicate import Predicate
from ingest.model.row import ChunkRow


def conflicts(
    snapshot: Snapshot, predicate: Predicate, instant: str | None, rows: Sequence[ChunkRow], evidence: Sequence[Evidence]
) -> tuple[Conflict, ...]:
    """Return what disagrees among `evidence`, made of `rows`. `instant`: at which assertions must hold, None for any time."""
    return (
        *versions(rows, evidence), *contradictions(snapshot, predicate, instant, evidence),
        *differing(snapshot, rows, evidence),
    )


def versions(rows: Sequence[ChunkRow], evidence: Sequence[Evidence]) -> Iterator[Conflict]:
    """Yield families of which an answer has versions that hold at one time, so the reader must be told. One that follows another
    is none: a question about a range of time is answered by both."""
    members: dict[tuple[str, str], list[tuple[ChunkRow, Evidence]]] = defaultdict(list)
    for row, item in zip(rows, evidence, strict=True):
        if row.family is not None:
            members[row.family, row.access.tenant or ""].append((row, item))
    for (family, _), every in sorted(members.items(), key=lambda member: member[0]):
        found = [
            (row, item) for row, item in every if any(other.version != row.version and overlap(row, other) for other, _ in every)
        ]
        if found:
            yield Conflict(
                "versions", at_once(family, (row.version for row, _ in found)),
                tuple(sorted({item.uri for _, item in found})), tuple(item.citation for _, item in found),
            )


def at_once(family: str, versions: Iterable[str | None]) -> str:
    """Return the words for versions of a family that hold at one time, None being a document that names none: an answer and
    `conflicts_list` tell them alike."""
    told = sorted({version or "without version" for version in versions})
    return f"{family}: several versions hold at the same time ({', '.join(told)})"
