"""Which engines parse is recorded at the first publish and kept; a machine that lacks one says so where it matters."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import EngineUnavailable, ExtraMissing
from ingest.parse.ocr import engine


def paper(text: str = "Topics keep messages for 14 days.") -> bytes:
    from fpdf import FPDF

    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=12)
    pdf.text(30, 100, text)
    return bytes(pdf.output())


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of OCR packages that count as installed; the program tesseract does not."""
    names = {"rapidocr", "onnxruntime"}
    monkeypatch.setattr(engine, "_installed", lambda package: "3.10.0" if package in names else None)
    monkeypatch.setattr("shutil.which", lambda program: None)
    return names


def engines(base: Any) -> dict[str, str]:
    with base.catalog() as catalog:
        found: dict[str, str] = catalog.published(catalog.head()).manifest.engines
    return found


def test_what_auto_came_to_is_recorded(base: Any, here: set[str]) -> None:
    base.write("paper.pdf", paper())
    base.run()
    assert (engines(base)["pdf"], engines(base)["ocr"]) == ("liteparse", "rapidocr")


def test_machine_that_lacks_an_engine_cannot_tell_and_does_not_run(base: Any, here: set[str]) -> None:
    base.write("paper.pdf", paper())
    base.run()
    here.clear()
    with pytest.raises(EngineUnavailable, match=r"rapidocr.*concord-kb\[ocr\].*--re-engine"):
        base.run()
    check = base.check()
    assert (check.status, check.exit_code) == ("unknown", 6)
    assert base.run(re_engine=True).exit_code == 0
    assert engines(base)["ocr"] == "off"


def test_base_without_a_pdf_runs_without_the_engine(base: Any, here: set[str]) -> None:
    base.write("手册.md")
    base.run()
    here.clear()
    base.write("more.md", "# More\n\nText.\n")
    assert base.run().exit_code == 0


def test_engine_that_is_added_where_there_was_none_is_taken(base: Any, here: set[str]) -> None:
    here.clear()
    base.write("paper.pdf", paper())
    base.run()
    assert engines(base)["ocr"] == "off"
    here.update(("rapidocr", "onnxruntime"))
    assert base.check().status == "stale"
    base.run()
    assert engines(base)["ocr"] == "rapidocr"
    assert base.check().status == "fresh"


def test_engine_that_was_recorded_is_kept_though_auto_would_now_take_another(base: Any, here: set[str]) -> None:
    base.write("paper.pdf", paper())
    base.run()
    base.set("parse", accept_agpl=True)
    assert base.check().status == "fresh"
    base.run()
    assert engines(base)["pdf"] == "liteparse"
    base.run(re_engine=True)
    assert engines(base)["pdf"] == "pymupdf"
    base.set("parse", accept_agpl=False)
    with pytest.raises(EngineUnavailable, match="accept_agpl"):
        base.run()


def test_engine_that_settings_name_must_be_here(base: Any, here: set[str]) -> None:
    here.clear()
    base.write("paper.pdf", paper())
    base.set("parse", ocr="rapidocr")
    with pytest.raises(ExtraMissing, match=r"concord-kb\[ocr\]"):
        base.run()
