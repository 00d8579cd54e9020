"""Lines of a picture are found where they are drawn; letters and areas are none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ingest.parse.ocr.rulings import rulings


def sheet() -> Any:
    return np.full((400, 600), 255, dtype=np.uint8)


def test_a_grid_gives_its_lines() -> None:
    picture = sheet()
    for y in (50, 100, 150):
        picture[y : y + 2, 40:560] = 60
    for x in (40, 300, 558):
        picture[50:152, x : x + 2] = 60
    found = sorted(rulings(picture, 60, 8))
    level = [one for one in found if one[1] == one[3]]
    upright = [one for one in found if one[0] == one[2]]
    assert [round(one[1]) for one in level] == [50, 100, 150]
    assert [round(one[0]) for one in upright] == [40, 300, 558]
    assert all(one[2] - one[0] >= 515 for one in level)


def test_a_line_broken_by_the_scanner_is_one() -> None:
    picture = sheet()
    picture[50:52, 40:560] = 60
    picture[50:52, 200:202] = 255
    assert len(list(rulings(picture, 60, 8))) == 1


def test_letters_and_areas_are_no_lines(draw: Any) -> None:
    assert list(rulings(draw(["密钥每年更换一次", "温度上限"]), 66, 8)) == []
    picture = sheet()
    picture[50:100, 40:560] = 60
    assert list(rulings(picture, 60, 8)) == []


def test_picture_narrower_than_a_line_has_none() -> None:
    assert list(rulings(np.zeros((20, 20), dtype=np.uint8), 60, 8)) == []
