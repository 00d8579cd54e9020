"""What one caller may see of a BM25 build on a server: the points over which words are counted, as `indexes.bm25.view` has it for
files. The server counts; each number is asked for once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from indexes.bm25.scoring import Scoring, mean_okapi_idf
from indexes.bm25.texts import encode
from indexes.qdrant.conditions import among, any_of, every
from indexes.qdrant.format import LENGTH, received
from indexes.qdrant.points import Points
from indexes.qdrant.rows import Rows, chunk_of
from ingest.errors import BuildCorrupt
from ingest.together import together

_LENGTHS = 1_000_000
"""More than there are: rows are chunks."""

Way = Sequence[str]


def having(way: Way) -> Any:
    """The condition of holding all terms of a way."""
    return every([among("terms", [term]) for term in way])


class View:
    """`where`: the conditions of the points that show. `rows`: how many these are; `length`: their terms, repeats counted."""

    def __init__(self, rows: Rows, scoring: Scoring, conditions: Sequence[Any]) -> None:
        """Raises BuildCorrupt where the server does not hold the length of every row."""
        self.points: Points = rows.points
        self.where = [*rows.where, *conditions]
        self._scoring = scoring
        self._holders: dict[str, int] = {}
        lengths = self.points.facet(LENGTH, self.where, _LENGTHS)
        self.rows = sum(lengths.values())
        self.length = sum(int(length) * count for length, count in lengths.items())
        held = self.points.count(self.where)
        if held != self.rows:
            raise BuildCorrupt(
                f"{self.rows} of {held} rows in the collection {self.points.collection} at {self.points.server.place} say how "
                "long they are; run: ingest run, and ingest verify --repair if that changes nothing"
            )

    @property
    def mean(self) -> float:
        """Of their lengths. There must be one."""
        return self.length / self.rows

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """How many of them hold each term."""
        missing = [term for term in terms if term not in self._holders]
        self._holders.update(zip(missing, together([partial(self._of_term, term) for term in missing]), strict=True))
        return {term: self._holders[term] for term in terms}

    def _of_term(self, term: str) -> int:
        return self.points.count([*self.where, among("terms", [term])])

    def holders(self, ways: Sequence[Way]) -> int:
        """How many of them have one of some ways."""
        return self.points.count([*self.where, any_of([having(way) for way in ways])])

    def idf(self, df: float) -> float:
        return self._scoring.idf(df, self.rows, lambda: self._mean_idf)

    @cached_property
    def _mean_idf(self) -> float:
        """See `indexes.bm25.mean_idf`. Reads the terms of every row, for formula okapi and terms that most rows hold."""
        frequency: Counter[str] = Counter()
        first: dict[str, str] = {}
        for record in self.points.scroll(self.where, ["chunk_id", "terms"]):
            chunk = chunk_of(record)
            for term in map(received, record.payload["terms"]):
                frequency[term] += 1
                first[term] = min(first.get(term, chunk), chunk)
        order = sorted(frequency, key=lambda term: (first[term], encode(term)))
        return mean_okapi_idf(np.array([frequency[term] for term in order], dtype=np.int64), self.rows)
