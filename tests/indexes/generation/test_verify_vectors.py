"""Vectors against the cache and against the model; the cache against its hashes."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from indexes.generation.verify.vectors import Sample
from ingest.store.cache import checksum_of


def wrong(behind: Any, text: str, dimensions: int = 256) -> bytes:
    """Have the cache and the vector index hold the same wrong vector for a row. Returns it."""
    row = behind.row(text)
    vector = np.zeros(dimensions, np.float32)
    vector[3] = 1
    cache_says(behind, row, vector.tobytes())
    behind.rebuilt("vector", behind.rows().values(), vectors={row.chunk_id: vector})
    return vector.tobytes()


def cache_says(behind: Any, row: Any, value: bytes) -> None:
    key = hashlib.sha256(row.embed_text.encode()).hexdigest()
    checksum = checksum_of("embed:hash-256-1", key, value)
    with behind.cache() as db:
        changed = db.execute("update entries set value = ?, checksum = ? where key = ?", (value, checksum, key)).rowcount
    assert changed == 1


def test_vector_that_is_wrong_in_index_and_cache_is_found_by_embedding_anew(behind: Any) -> None:
    wrong(behind, "cedar")
    assert behind.found(deep=True, sample=0) == set()
    assert behind.found(deep=True, every=True) == {("altered vector", "vector"), ("cache entry", "cache/embed:hash-256-1")}


def test_sample_of_all_rows_finds_what_all_does(behind: Any) -> None:
    wrong(behind, "cedar")
    assert behind.found(deep=True) == behind.found(deep=True, every=True) != set()


def test_cache_that_is_wrong_alone_is_a_cache_entry_and_no_altered_vector(behind: Any) -> None:
    row = behind.row("cedar")
    vector = np.zeros(256, np.float32)
    vector[3] = 1
    cache_says(behind, row, vector.tobytes())
    assert behind.found(deep=True, sample=0) == {("cache entry", "cache/embed:hash-256-1")}


def test_equal_bases_give_the_equal_sample_in_any_order(behind: Any) -> None:
    rows = list(behind.rows().values())
    one, other = Sample(2), Sample(2)
    one.offer(rows)
    for row in reversed(rows):
        other.offer([row])
    assert one.chosen() == other.chosen()
    assert len(one.chosen()) == 2 < len(rows)
    assert set(one.chosen()) < {row.chunk_id for row in rows}
    nobody = Sample(0)
    nobody.offer(rows)
    assert nobody.chosen() == {}


def test_larger_sample_holds_the_smaller_one(behind: Any) -> None:
    rows = list(behind.rows().values())
    chosen = []
    for most in range(len(rows) + 2):
        sample = Sample(most)
        sample.offer(rows)
        chosen.append(set(sample.chosen()))
    assert all(small <= large for small, large in pairwise(chosen))
    assert len(chosen[-1]) == len(rows)


def test_engine_that_is_not_here_could_not_tell_and_is_never_clean(behind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.embed.hash.fingerprint", lambda dimensions: "hash of another version")
    assert behind.found() == set()
    assert behind.found(deep=True) == {("could not tell", "vector")}
    assert "hash of another version" in behind.finding("could not tell", deep=True).detail
    assert behind.found(deep=True, sample=0) == set()


def test_vectors_without_a_cached_embedding_could_not_tell_unless_all_are_embedded(behind: Any) -> None:
    (behind.base.kb / "cache/cache.db").unlink()
    assert behind.found(deep=True, sample=0) == {("could not tell", "vector")}
    assert len(behind.finding("could not tell", deep=True, sample=1).ids) == len(behind.rows()) - 1
    assert behind.found(deep=True, every=True) == set()
    assert not (behind.base.kb / "cache/cache.db").exists(), "verifying writes nothing"


def test_other_aspects_are_compared_without_a_cache_too(behind: Any) -> None:
    from ingest.model.access import Access

    (behind.base.kb / "cache/cache.db").unlink()
    behind.replaced("vector", behind.row("QUOKKA"), access=Access())
    assert behind.found(deep=True, every=True) == {("altered access rule", "vector")}


@pytest.mark.parametrize("stage", ["chunks", "made", "embed:hash-256-1"])
def test_damaged_cache_entries_are_named_by_stage(behind: Any, stage: str) -> None:
    with behind.cache() as db:
        (key,) = db.execute("select key from entries where stage = ? limit 1", (stage,)).fetchone()
        db.execute("update entries set value = cast('x' || value as blob) where stage = ? and key = ?", (stage, key))
    assert behind.found() == set()
    found = behind.finding("cache entry", deep=True, every=True)
    assert (found.where, found.ids) == (f"cache/{stage}", (key,))


@pytest.mark.parametrize("value", ["text", 7, 1.5])
def test_cache_entries_of_another_type_are_damaged_ones(behind: Any, value: object) -> None:
    with behind.cache() as db:
        db.execute("update entries set value = ? where stage = 'made'", (value,))
    assert ("cache entry", "cache/made") in behind.found(deep=True)
    behind.base.write("more.md", "# More\n\nA birch.\n")
    behind.base.run()


def test_cache_that_cannot_be_opened_is_named(behind: Any) -> None:
    for path in (behind.base.kb / "cache").glob("cache.db*"):
        path.unlink()
    (behind.base.kb / "cache/cache.db").write_bytes(b"no database" * 100)
    assert ("cache entry", "cache") in behind.found(deep=True)
    assert behind.found() == set()
