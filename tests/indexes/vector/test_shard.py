import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from indexes.vector.shard import Shard
from ingest.errors import BuildCorrupt, EngineUnavailable, StorageFailed


class PanicException(BaseException):
    """Named like what a panic in the engine's core raises."""


def _raising(error):
    def close():
        raise error

    return Shard(SimpleNamespace(close=close), Path("builds/vector/1/shard"))


@pytest.mark.parametrize(
    ("raised", "wanted"),
    [
        (Exception("Service runtime error: IO Error: No space left on device (os error 28)"), StorageFailed),
        (Exception("Service runtime error: Permission denied (os error 13)"), StorageFailed),
        (Exception("Service runtime error: failed to load segment"), BuildCorrupt),
        (PanicException("index out of bounds"), BuildCorrupt),
    ],
)
def test_what_the_engine_raises_leaves_as_an_error_of_ours_that_names_the_build(raised, wanted):
    with pytest.raises(wanted, match="builds/vector/1/shard"):
        _raising(raised).close()


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), TypeError("ours"), OSError("ours")])
def test_what_is_not_the_engines_passes(raised):
    with pytest.raises(type(raised)):
        _raising(raised).close()


def test_a_host_without_the_engine_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "qdrant_edge", None)
    with pytest.raises(EngineUnavailable, match="qdrant-edge-py"):
        Shard.create(tmp_path / "shard", 8)


def test_a_shard_does_not_change_once_it_is_sealed(tmp_path):
    import numpy as np

    from indexes.vector.format import point_id

    path = tmp_path / "shard"
    shard = Shard.create(path, 8)
    payload = {"gate": "g", "source_id": "s", "row_checksum": "c"}
    for number in range(40):
        shard.upsert([(point_id(f"urn:kb:chunk:{number:032x}"), np.ones(8, np.float32), payload)])
    shard.seal()
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert not [file for file in before if "journal" in file.name]
    for _ in range(3):
        Shard.open_sealed(path).close()
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
