"""What a question asks of several things, or of one that only papers in another language tell of: its vector goes half of the way
to the same question without the names.

    麻鸦网关一体机有多重  ->  half of it  +  half of `一体机有多重`

A name pulls a question to whatever stands under a title that has it. In one language words set that right. Across languages they
say little, and of the rows of a thing those that answer lie behind those that only call it by name; two names pull to rows that
call both, or to one of the two. Which rows have a name the registry tells anyway (`named.py`). The vector of the rest costs an
embedding more, so it is asked for only there: where several things are named, or where most of the rows that have the name are in
another language than what is asked of it.

In the latter case two things more help. What is said of other things in the question's own language: a passage lies nearer to one
that says the same in another language than a question does. So the vector goes some way on to the rows of its own language that
are nearest to what is asked, by what sets these apart from the others of it. And the question is placed as if it were asked in the
language of the rows (`ingest.embed.questions`): else those that have words of its own, a script or a table, come first, whatever
is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from indexes.generation.snapshot import Snapshot
from ingest.embed.questions import ENGINES, as_if_asked_in
from ingest.model.language import language_of
from ingest.model.predicate import Predicate
from ingest.protocols import Hit

ONWARD = 0.6
"""Of the way to the rows of the question's own language. On 180 questions across languages to the third of the made world that is
for calibration (docs/evaluation.md) .4 gives .931 nDCG@10, .6 .938, .8 .921, and none .887."""
_ROWS = 3
_OTHERS = 40
"""Nearest rows of the language that those are set apart from. Without it .922."""


def abroad(rest: str, lists: Mapping[str, Sequence[Hit]], having: Sequence[Collection[str]]) -> tuple[str, str] | None:
    """Return the language of what is asked and that of most of the nearest rows that have what is named, where most of these are
    not in the former; else None. `lists`: the nearest rows by language; `having`: of each thing the rows that have it."""
    own = language_of(rest)
    found = {language: sum(hit.chunk_id in rows for hit in hits for rows in having) for language, hits in lists.items()}
    if own is None or 2 * found.get(own, 0) >= sum(found.values()):
        return None
    return own, max(found, key=lambda language: (language != own, found[language], language))


def halfway(question: Any, rest: Any) -> Any:
    """The unit vector between two."""
    return _unit(question + rest)


def crossed(snapshot: Snapshot, query: Any, rest: Any, languages: tuple[str, str], predicate: Predicate) -> Any:
    """A query's vector on its way from its own language to that of the rows. `languages`: both, as `abroad` has them; `rest`: the
    vector of what is asked."""
    own, other = languages
    went = _onward(snapshot, query, rest, own, predicate)
    return as_if_asked_in(other, went, own) if snapshot.manifest.engines.get("embed") in ENGINES else went


def _onward(snapshot: Snapshot, query: Any, rest: Any, language: str, predicate: Predicate) -> Any:
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
