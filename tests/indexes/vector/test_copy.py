import os

import pytest

from indexes.vector.copy import copy_sparse


@pytest.mark.parametrize("kernel", [True, False])
def test_bytes_sizes_and_holes_are_copied(tmp_path, monkeypatch, kernel):
    if not kernel:
        monkeypatch.setattr(os, "copy_file_range", _unsupported)
    source = tmp_path / "source"
    (source / "deep" / "empty").mkdir(parents=True)
    (source / "nothing").touch()
    with (source / "deep" / "holes").open("wb") as file:
        file.truncate(64 << 20)
        file.seek(3 << 20)
        file.write(b"middle" * 1000)
    (source / "dense").write_bytes(os.urandom(3_000_000))
    copy_sparse(source, tmp_path / "target")
    for path in sorted(source.rglob("*")):
        there = tmp_path / "target" / path.relative_to(source)
        assert path.is_dir() == there.is_dir()
        if path.is_file():
            assert path.read_bytes() == there.read_bytes()
            assert there.stat().st_blocks <= path.stat().st_blocks + 16


def _unsupported(*_):
    raise OSError(38, "not here")
