"""What in an answer disagrees: reported, and never resolved silently."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ingest.model.evidence import Conflict, Evidence
from ingest.model.row import ChunkRow


def conflicts(rows: Sequence[ChunkRow], evidence: Sequence[Evidence]) -> tuple[Conflict, ...]:
    """Two versions of one family in one answer: both hold at that instant, so the reader must be told."""
    members: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row, item in zip(rows, evidence, strict=True):
        if row.family is not None:
            members[(row.family, row.access.tenant or "")][item.uri] = row.version or "without version"
    return tuple(
        Conflict(
            "versions",
            f"{family}: several versions hold at this instant ({', '.join(sorted(set(uris.values())))})",
            tuple(sorted(uris)),
        )
        for (family, _), uris in sorted(members.items())
        if len(set(uris.values())) > 1
    )
