"""What a question asks of several things, or of one that only papers in another language tell of: its vector goes half of the way
to the same question without the names.

    麻鸦网关一体机有多重  ->  half of it  +  half of `一体机有多重`

A name pulls a question to whatever stands under a title that has it. In one language words set that right. Across languages they
say little, and of the rows of a thing those that answer lie behind those that only call it by name; two names pull to rows that
call both, or to one of the two. Which rows have a name the registry tells anyway (`named.py`). The vector of the rest costs an
embedding more, so it is asked for only there: where several things are named, or where most of the rows that have the name are in
another language than what is asked of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ingest.model.language import language_of
from ingest.protocols import Hit


def goes_halfway(rest: str, lists: Mapping[str, Sequence[Hit]], having: Sequence[Collection[str]]) -> bool:
    """Whether several things are named, or most of the nearest rows that have the one that is are in another language than what
    is asked. `lists`: the nearest rows by language; `having`: of each thing the rows that have it."""
    own = language_of(rest)
    if own is None or len(having) > 1:
        return own is not None
    found = {language: sum(hit.chunk_id in rows for hit in hits for rows in having) for language, hits in lists.items()}
    return 2 * found.get(own, 0) < sum(found.values())


def halfway(question: Any, rest: Any) -> Any:
    """The unit vector between two."""
    import numpy as np

    between = question + rest
    return between / np.linalg.norm(between)
