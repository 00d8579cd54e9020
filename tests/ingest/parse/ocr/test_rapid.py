"""RapidOCR reads Chinese and English, the same twice, where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.parse.ocr.engine import reader
from ingest.parse.ocr.lines import certainty
from ingest.parse.ocr.rapid import slant

LINES = ["密钥每年更换一次", "KMS 3.2 then", "温度上限 30%"]


@pytest.fixture(scope="module")
def engine() -> Any:
    return reader("rapidocr", ("zh", "en"))


def test_lines_in_two_scripts_are_read_where_they_stand(engine: Any, draw: Any) -> None:
    reads = engine.read(draw(LINES))
    read_lines = [read.text for read in sorted(reads, key=lambda read: read.y0)]
    assert ["".join(line.split()) for line in read_lines] == ["".join(line.split()) for line in LINES]
    assert certainty(reads) > 0.9
    assert [50 <= read.x0 <= 70 for read in reads] == [True] * 3
    assert reads == engine.read(draw(LINES))


def test_sheet_laid_askew_gives_level_boxes(engine: Any, draw: Any) -> None:
    reads = engine.read(draw(LINES, askew=3))
    assert all(read.y1 - read.y0 < 70 for read in reads)
    assert max(read.x0 for read in reads) - min(read.x0 for read in reads) < 25


def test_white_sheet_has_no_lines(engine: Any, draw: Any) -> None:
    assert engine.read(draw([""] * 5)) == []


def test_few_or_short_lines_tell_nothing_of_a_slant() -> None:
    tilted = [(0.0, 0.0), (100.0, 5.0), (99.0, 15.0), (-1.0, 10.0)]
    assert slant([tilted] * 2) == 0
    assert 2.5 < slant([tilted] * 3) < 3.2
    assert slant([[(0.0, 0.0), (10.0, 3.0), (9.0, 12.0), (-1.0, 9.0)]] * 5) == 0
