"""Which engine reads: as set, or the first that is here; its version is in the fingerprint, also when it is gone."""

from __future__ import annotations

import pytest

from ingest.parse.ocr import engine, tesseract

BOTH = ("zh", "en")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of what is installed."""
    names: set[str] = set()
    monkeypatch.setattr(engine, "_installed", lambda package: "3.10.0" if package in names else None)
    monkeypatch.setattr("shutil.which", lambda program: f"/bin/{program}" if program in names else None)
    monkeypatch.setattr(tesseract, "installed_packs", lambda: frozenset({"chi_sim", "eng"}))
    monkeypatch.setattr(tesseract, "version", lambda: "5.3.0")
    return names


def test_auto_takes_rapidocr_then_tesseract_then_none(here: set[str]) -> None:
    assert engine.resolved("auto", BOTH) == "off"
    here.add("tesseract")
    assert engine.resolved("auto", BOTH) == "tesseract"
    here.update(("rapidocr", "onnxruntime"))
    assert engine.resolved("auto", BOTH) == "rapidocr"


def test_rapidocr_without_its_runtime_and_tesseract_without_a_pack_are_not_here(here: set[str]) -> None:
    here.update(("rapidocr", "tesseract"))
    assert not engine.is_here("rapidocr", BOTH)
    assert not engine.is_here("tesseract", ("zh", "ja"))


def test_marks_tell_engine_version_and_languages(here: set[str]) -> None:
    assert engine.mark("rapidocr", BOTH) == "rapidocr absent"
    assert engine.mark("tesseract", BOTH) == "tesseract absent"
    here.update(("rapidocr", "onnxruntime", "tesseract"))
    assert engine.mark("rapidocr", BOTH) == "rapidocr 3.10.0"
    assert engine.mark("tesseract", BOTH) == "tesseract 5.3.0 zh+en"
    assert engine.mark("off", BOTH) == "ocr off"


def test_no_engine_reads_nothing() -> None:
    assert engine.reader("off", BOTH) is None
