"""What rows have in common, beside their text: which editions there are, and whether any has a window.

Counted over columns that a segment has for its rows, so that a question costs one pass over numbers, whatever is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.mask import Mask
from indexes.bm25.merge import Part
from ingest.model.instant import BEGIN, END


def editions(part: Part, mask: Mask | None) -> set[tuple[str, str]]:
    """(family, version) of the live rows of a segment that the mask admits and that have a version."""
    family, version = (part.segment.columns.texts[name] for name in ("family", "version"))
    if not any(version.values.all()):
        return set()
    wide = len(version.values)
    pairs = _shown(part, mask, family.codes.astype(np.int64) * wide + version.codes)
    numbers = np.flatnonzero(np.bincount(pairs)).tolist() if len(family.values) * wide < len(pairs) else np.unique(pairs).tolist()
    found = ((family.values[number // wide], version.values[number % wide]) for number in numbers)
    return {(first, second) for first, second in found if second}


def dated(part: Part, mask: Mask | None) -> bool:
    """Whether a live row of a segment that the mask admits has a window."""
    begins, ends = (part.segment.columns.numbers[name] for name in ("valid_from", "valid_until"))
    return bool(_shown(part, mask, (begins > BEGIN) | (ends < END)).any())


def _shown(part: Part, mask: Mask | None, values: NDArray[Any]) -> NDArray[Any]:
    if part.alive is not None:
        mask = part.alive if mask is None else mask & part.alive
    return values if mask is None else values[mask]
