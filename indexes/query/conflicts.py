"""What in an answer disagrees: reported with its citations, and never resolved silently.

Three kinds: two versions of one family that both hold; contradicting assertions about the entities of the answer
(`asserted.py`); and differing numbers for one property of one thing in two documents (`differing.py`). Only evidence of the
answer and what the caller may see is looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from indexes.generation.snapshot import Snapshot
from indexes.query.asserted import contradictions
from indexes.query.differing import differing
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
    """Yield families of which an answer has two versions: both hold at that instant, so the reader must be told."""
    members: dict[tuple[str, str], list[tuple[str, Evidence]]] = defaultdict(list)
    for row, item in zip(rows, evidence, strict=True):
        if row.family is not None:
            members[row.family, row.access.tenant or ""].append((row.version or "without version", item))
    for (family, _), found in sorted(members.items(), key=lambda member: member[0]):
        told = sorted({version for version, _ in found})
        if len(told) > 1:
            yield Conflict(
                "versions", f"{family}: several versions hold at this instant ({', '.join(told)})",
                tuple(sorted({item.uri for _, item in found})), tuple(item.citation for _, item in found),
            )
