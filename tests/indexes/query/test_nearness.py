"""How near a question without its names comes: to rows of what it names, beside those of others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from indexes.query.nearness import Nearness, nearness
from ingest.model.predicate import Predicate
from ingest.model.row import ChunkRow
from ingest.protocols import Hit

VECTORS = {
    "ours: address": (0.6, 0.8, 0.0), "theirs: address": (0.6, 0.78, 0.174), "theirs: price": (0.9, 0.0, 0.436),
    "theirs: fee": (0.8, 0.0, 0.6), "ihre: Preis": (1.0, 0.0, 0.0),
}


class Reader:
    def by_language(self, query: Any, predicate: Predicate, limit: int) -> dict[str, list[Hit]]:
        hits = (Hit(name, float(np.array(vector) @ query)) for name, vector in VECTORS.items())
        near = sorted(hits, key=lambda hit: -hit.score)
        german = [hit for hit in near if hit.chunk_id == "ihre: Preis"]
        return {"de": german, "en": [hit for hit in near if hit not in german]}

    def vectors(self, chunk_ids: list[str]) -> dict[str, bytes]:
        return {name: np.array(VECTORS[name], np.float32).tobytes() for name in chunk_ids}


def near(asked: tuple[float, float, float], language: str = "en-GB") -> Nearness | None:
    snapshot = SimpleNamespace(vector=Reader())
    row = cast("ChunkRow", SimpleNamespace(chunk_id="ours: address", language=language))
    return nearness(cast("Any", snapshot), np.array(asked, np.float32), Predicate(), [row])


def test_what_only_others_tell_is_nearer_to_their_rows() -> None:
    price, address = near((1.0, 0.0, 0.0)), near((0.6, 0.8, 0.0))
    assert price is not None and address is not None
    assert price.own < address.own and price.above < 0 < address.above
    assert price.ahead == 0.5 and address.ahead == 0


def test_a_row_like_the_own_one_is_not_counted_as_passing_it() -> None:
    found = near((0.6, 0.78, 0.174))
    assert found is not None and found.ahead == 0, "the same section of another paper is nearer, and says that there is one here"


def test_rows_are_compared_in_the_language_of_the_thing() -> None:
    german = near((1.0, 0.0, 0.0), "de")
    assert german is not None and german.above < -0.3, "one row is in German, and the own one is far from the question"
    assert near((1.0, 0.0, 0.0), "fr") is None
