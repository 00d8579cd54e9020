"""Tesseract's table becomes lines; what it lacks is said with its remedy. The table was recorded from version 5.3.0."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from ingest.errors import EngineUnavailable, ParserFailed
from ingest.parse.ocr import tesseract
from ingest.parse.ocr.tesseract import TesseractReader

PROGRAM = """#!{python}
import sys
if "--list-langs" in sys.argv:
    print("List of available languages (3):\\nchi_sim\\neng\\nosd")
elif "--version" in sys.argv:
    print("tesseract 5.3.0\\n leptonica-1.82.0")
else:
    sheet = sys.stdin.buffer.read()
    assert sheet.startswith(b"P5\\n40 30\\n255\\n") and len(sheet) == 13 + 1200, sheet[:20]
    assert sys.argv[1:] == ["stdin", "stdout", "-l", "chi_sim+eng", "--psm", "3", "tsv"], sys.argv
    {act}
"""
SHEET = np.full((30, 40), 255, dtype=np.uint8)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], TesseractReader]]:
    """Put a program on the path that answers as tesseract does, and at a sheet does `act`."""

    def install(act: str) -> TesseractReader:
        file = tmp_path / "tesseract"
        file.write_text(PROGRAM.format(python=sys.executable, act=act), encoding="utf-8")
        file.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        forget()
        return TesseractReader(("zh", "en"))

    yield install
    forget()


def forget() -> None:
    for cached in (tesseract.program, tesseract.version, tesseract.installed_packs):
        cached.cache_clear()


def test_words_become_lines(installed: Callable[[str], TesseractReader]) -> None:
    table = Path(__file__).with_name("tesseract.tsv")
    reads = installed(f"sys.stdout.buffer.write(open({str(table)!r}, 'rb').read())").read(SHEET)
    assert [read.text for read in reads] == ["密钥每年更换一次", "KMS 3.2 then", "温度上限 30%"]
    assert all(0.3 < read.confidence <= 1 and read.x0 >= 55 for read in reads)


def test_words_far_apart_are_texts_of_their_own(installed: Callable[[str], TesseractReader]) -> None:
    row = "5\\t1\\t1\\t1\\t1\\t{0}\\t{1}\\t10\\t40\\t20\\t96\\t{2}\\n"
    table = "header\\n" + row.format(1, 10, "plan") + row.format(2, 60, "A") + row.format(3, 300, "500")
    reads = installed(f"sys.stdout.write('{table}')").read(SHEET)
    assert [read.text for read in reads] == ["plan A", "500"]


def test_program_that_gives_up_fails_the_page(installed: Callable[[str], TesseractReader]) -> None:
    with pytest.raises(ParserFailed, match=r"gave up on a page .*no memory"):
        installed("sys.exit('no memory')").read(SHEET)


def test_language_without_a_pack_names_the_package(installed: Callable[[str], TesseractReader]) -> None:
    installed("pass")
    with pytest.raises(EngineUnavailable, match="tesseract-ocr-jpn"):
        TesseractReader(("zh", "ja"))


def test_absent_program_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    forget()
    with pytest.raises(EngineUnavailable, match="tesseract-ocr-chi-sim"):
        TesseractReader(("zh", "en"))
    forget()
