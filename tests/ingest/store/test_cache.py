"""The cache: what is put is got, what is damaged is absent, and nothing else is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ingest.errors import StorageFailed
from ingest.store.cache import Cache


def test_values_come_back_by_stage_and_key(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache" / "cache.db")
    many = {f"key{number}": bytes([number % 256]) * number for number in range(1200)}
    cache.put_many("embed", many)
    assert cache.get_many("embed", [*many, "absent"]) == many
    assert cache.get_many("parse", list(many)) == {}
    cache.close()
    reopened = Cache(tmp_path / "cache" / "cache.db")
    assert reopened.get_many("embed", ["key7"]) == {"key7": b"\x07" * 7}
    reopened.close()


def test_damaged_entry_is_absent_and_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    cache = Cache(path)
    cache.put_many("embed", {"good": b"one", "bad": b"two"})
    with sqlite3.connect(path) as other:
        other.execute("update entries set value = ? where key = 'bad'", (b"twa",))
    assert cache.get_many("embed", ["good", "bad"]) == {"good": b"one"}
    cache.put_many("embed", {"bad": b"two"})
    assert cache.get_many("embed", ["bad"]) == {"bad": b"two"}
    cache.close()


def test_entry_of_another_name_is_absent(tmp_path: Path) -> None:
    """What one flipped bit in SQLite's index makes of a look-up: the row of another, whole in itself."""
    path = tmp_path / "cache.db"
    cache = Cache(path)
    cache.put_many("embed", {"mine": b"one", "other": b"two"})
    with sqlite3.connect(path) as damage:
        value, checksum = damage.execute("select value, checksum from entries where key = 'other'").fetchone()
        damage.execute("update entries set value = ?, checksum = ? where key = 'mine'", (value, checksum))
    assert cache.get_many("embed", ["mine", "other"]) == {"other": b"two"}
    assert [(key, whole) for _, key, whole in cache.entries()] == [("mine", False), ("other", True)]
    cache.close()


def test_index_that_lost_an_entry_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    cache = Cache(path)
    cache.put_many("embed", {"QUOKKA": b"one"})
    cache.check()
    cache.close()
    data = bytearray(path.read_bytes())
    data[data.index(b"QUOKKA")] ^= 1
    path.write_bytes(data)
    damaged = Cache(path)
    with pytest.raises(StorageFailed, match="delete the file"):
        damaged.check()
    damaged.close()


def test_file_that_is_no_cache_is_a_storage_error_that_says_it_may_be_deleted(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"garbage" * 1000)
    with pytest.raises(StorageFailed, match="delete the file"):
        Cache(tmp_path / "cache.db")
