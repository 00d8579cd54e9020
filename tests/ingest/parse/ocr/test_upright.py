"""A sheet is read at the turn at which it makes sense, and at others only when it does not as it lies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ingest.parse.ocr.lines import Read
from ingest.parse.ocr.upright import read_upright


class Marked:
    """Reads well where the dark corner is at the top left, and nonsense elsewhere; counts how often it was asked."""

    name = "marked"

    def __init__(self) -> None:
        self.asked = 0

    def read(self, picture: Any) -> list[Read]:
        self.asked += 1
        if picture.min() == 255:
            return []
        height, width = picture.shape
        if picture[0, 0] == 0:
            return [Read("the lines of a page", 0, 0, width, 10, 0.97)]
        if picture[-1, -1] == 0:
            return [Read("sened lo e page xx", 0, 0, width, 10, 0.6)]
        return [Read("ee n lo xx pa", 0, 0, 10, height, 0.7)]


def sheet(turn: int) -> Any:
    """A sheet with a dark corner that has been turned clockwise."""
    picture = np.full((100, 60), 255, dtype=np.uint8)
    picture[0, 0] = 0
    return np.rot90(picture, -turn // 90)


@pytest.mark.parametrize(("turn", "asked"), [(0, 1), (90, 2), (180, 2), (270, 3)])
def test_every_turn_is_found(turn: int, asked: int) -> None:
    reader = Marked()
    found = read_upright(sheet(turn), reader)
    assert (found.turn, reader.asked) == (turn, asked)
    assert [read.text for read in found.reads] == ["the lines of a page"]
    assert found.picture.shape == (100, 60) and found.picture[0, 0] == 0


def test_lines_that_stand_and_can_be_read_are_turned_all_the_same() -> None:
    """Engines turn a single line that stands; the order of such lines would be that of another page."""

    class Clever(Marked):
        def read(self, picture: Any) -> list[Read]:
            reads = super().read(picture)
            return [Read(read.text, read.x0, read.y0, read.x1, read.y1, 0.98 if read.y1 > 10 else 0.97) for read in reads]

    assert read_upright(sheet(90), Clever()).turn == 90


def test_sheet_without_text_is_read_once() -> None:
    reader = Marked()
    assert read_upright(np.full((100, 60), 255, dtype=np.uint8), reader).reads == []
    assert reader.asked == 1
