"""RapidOCR: PP-OCR models through ONNX, which come with its package and read Chinese, English and figures on one line.

One thread, so that sums are made in one order. The classifier of upside-down lines is off: it turns clean ones.
"""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, radians, sin
from statistics import median
from typing import TYPE_CHECKING, Any

from ingest.errors import ExtraMissing
from ingest.parse.ocr.lines import Read

if TYPE_CHECKING:
    from ingest.parse.ocr.lines import Picture

LONGEST = 4000
"""Pixels of a side up to which the engine looks at a picture as it is."""
SLANTED = 0.3
"""Degrees from which a whole picture is taken to be laid askew."""


class RapidReader:
    """The engine, its models loaded. Raises ExtraMissing."""

    name = "rapidocr"

    def __init__(self) -> None:
        try:
            import onnxruntime  # type: ignore[import-untyped]  # noqa: F401  # the package asks for it only when it reads
            from rapidocr import RapidOCR
        except ImportError:
            raise ExtraMissing("reading scanned pages with rapidocr", "ocr") from None
        self._engine: Any = RapidOCR(
            params={
                "Global.use_cls": False,
                "Global.log_level": "error",
                "Global.max_side_len": LONGEST,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def read(self, picture: Picture) -> list[Read]:
        import numpy as np

        found = self._engine(np.repeat(picture[:, :, None], 3, axis=2))
        if not found.txts:
            return []
        quads = [[(float(x), float(y)) for x, y in box] for box in found.boxes]
        height, width = picture.shape
        askew = slant(quads)
        return [
            Read(text, *_straightened(quad, askew, width / 2, height / 2), float(score))
            for quad, text, score in zip(quads, found.txts, found.scores, strict=True)
            if text.strip()
        ]


Quad = list[tuple[float, float]]


def slant(quads: list[Quad]) -> float:
    """Return by how many degrees the long lines of a picture are turned, 0 where that is too little to matter."""
    angles = []
    for (ax, ay), (bx, by), (cx, cy), _ in quads:
        long, high = hypot(bx - ax, by - ay), hypot(cx - bx, cy - by)
        if long > 5 * high:
            angles.append(degrees(atan2(by - ay, bx - ax)))
    found = median(angles) if len(angles) >= 3 else 0.0
    return found if SLANTED <= abs(found) <= 20 else 0.0


def _straightened(quad: Quad, askew: float, x: float, y: float) -> tuple[float, float, float, float]:
    """Return the box of a line in the picture turned back around its middle (x, y)."""
    if not askew:
        xs, ys = [point[0] for point in quad], [point[1] for point in quad]
        return min(xs), min(ys), max(xs), max(ys)
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    width, height = hypot(bx - ax, by - ay), hypot(cx - bx, cy - by)
    mx, my = (ax + bx + cx + dx) / 4 - x, (ay + by + cy + dy) / 4 - y
    back = radians(-askew)
    mx, my = x + mx * cos(back) - my * sin(back), y + mx * sin(back) + my * cos(back)
    return mx - width / 2, my - height / 2, mx + width / 2, my + height / 2
