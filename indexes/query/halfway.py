"""What a question asks of something that only papers in another language tell of: its vector goes half of the way to the same
question without the name.

    麻鸦网关一体机有多重  ->  half of it  +  half of `一体机有多重`

A name pulls a question to whatever stands under a title that has it, in the same language no more than words can set right. Across
languages words say little, and of the rows of a thing those that answer lie behind those that only call it by name. Which rows
have the name, the registry tells anyway (`named.py`). The vector of the rest costs an embedding more, so it is asked for only
where it must be: where most of the rows that have the name are in another language than what is asked of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ingest.model.language import language_of
from ingest.protocols import Hit


def abroad(rest: str, lists: Mapping[str, Sequence[Hit]], named: Collection[str]) -> bool:
    """Whether most of the nearest rows that have what is named, of `lists` by language, are in another language than `rest`."""
    own = language_of(rest)
    having = {language: sum(hit.chunk_id in named for hit in hits) for language, hits in lists.items()}
    return own is not None and 2 * having.get(own, 0) < sum(having.values())


def halfway(question: Any, rest: Any) -> Any:
    """The unit vector between two."""
    import numpy as np

    between = question + rest
    return between / np.linalg.norm(between)
