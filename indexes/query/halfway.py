"""What a question asks of several things, or of one that only papers in another language tell of: its vector goes half of the way
to the same question without the names.

    麻鸦网关一体机有多重  ->  half of it  +  half of `一体机有多重`

A name pulls a question to whatever stands under a title that has it. In one language words set that right. Across languages they
say little, and of the rows of a thing those that answer lie behind those that only call it by name; two names pull to rows that
call both, or to one of the two. Which rows have a name the registry tells anyway (`named.py`). The vector of the rest costs an
embedding more, so it is asked for only there: where several things are named, or where most of the rows that have the name are in
another language than what is asked of it.

In the latter case, what is said of other things in the question's own language helps, too: a passage lies nearer to one that says
the same in another language than a question does. So the vector goes some way on to the rows of its own language that are nearest
to what is asked: by what sets these apart from others of it, for what they share says the language and the subject of all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from indexes.generation.snapshot import Snapshot
from ingest.model.language import language_of
from ingest.model.predicate import Predicate
from ingest.protocols import Hit

ONWARD = 0.6
"""Of the way to the rows of the question's own language. On questions across languages to the third of the made world that is
for calibration (docs/evaluation.md) .3 gives .874 nDCG@10, .6 .884, 1 .882, where none gives .856."""
_ROWS = 3
_OTHERS = 40
"""Nearest rows of the language from which those are set apart: .903 on 180 more such questions, .884 where they are taken as they
are; on the 90 in other words (`fixtures/eval/harder.jsonl`) .883 and .861."""


def abroad(rest: str, lists: Mapping[str, Sequence[Hit]], having: Sequence[Collection[str]]) -> str | None:
    """Return the language of what is asked where most of the nearest rows that have what is named are in another, else None.
    `lists`: the nearest rows by language; `having`: of each thing the rows that have it."""
    own = language_of(rest)
    found = {language: sum(hit.chunk_id in rows for hit in hits for rows in having) for language, hits in lists.items()}
    return own if own is not None and 2 * found.get(own, 0) < sum(found.values()) else None


def halfway(question: Any, rest: Any) -> Any:
    """The unit vector between two."""
    return _unit(question + rest)


def onward(snapshot: Snapshot, query: Any, rest: Any, language: str, predicate: Predicate) -> Any:
    """A query's vector on its way to the rows of a language that are nearest to `rest`, as far as the caller may see them."""
    import numpy as np

    nearest = [hit.chunk_id for hit in snapshot.vector.by_language(rest, predicate, _OTHERS).get(language, [])]
    if len(nearest) <= _ROWS:
        return query
    held = snapshot.vector.vectors(nearest)
    rows = np.stack([np.frombuffer(held[chunk], np.float32) for chunk in nearest])
    return _unit(query + np.float32(ONWARD) * _unit(rows[:_ROWS].mean(axis=0) - rows.mean(axis=0)))


def _unit(vector: Any) -> Any:
    import numpy as np

    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector
