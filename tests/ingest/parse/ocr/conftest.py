"""Pictures of text, drawn with the fonts of the fixtures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

FONT = Path(__file__).parents[4] / "fixtures" / "fonts" / "NotoSansCJKsc-Regular.subset.otf"

Drawing = Callable[..., Any]


def drawn(lines: Sequence[str], *, size: int = 34, width: int = 500, askew: float = 0.0) -> Any:
    """Greys of a sheet with lines of text, `size` pixels high."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFont

    sheet = Image.new("L", (width, 120 + int(2.2 * size) * len(lines)), 255)
    canvas, font = ImageDraw.Draw(sheet), ImageFont.truetype(str(FONT), size)
    for number, line in enumerate(lines):
        canvas.text((60, 60 + int(2.2 * size) * number), line, fill=0, font=font)
    return np.array(sheet.rotate(-askew, expand=True, fillcolor=255))


@pytest.fixture
def draw() -> Drawing:
    return drawn
