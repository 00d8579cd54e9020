"""What is read in a picture: lines with their boxes and confidence, and the seam that engines stand behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    """Greys, shape [height, width], 0 is black."""


@dataclass(frozen=True, slots=True)
class Read:
    """A piece of text without a gap, as it was read. Pixels from the top left; `confidence` from 0 to 1."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float


class Reader(Protocol):
    """An engine. The same picture gives the same lines; one that shows no text gives none."""

    name: str

    def read(self, picture: Picture) -> list[Read]: ...


def certainty(reads: list[Read]) -> float:
    """Return how sure the engine is of a character, on average; 0 where nothing was read."""
    letters = sum(len(read.text) for read in reads)
    return sum(len(read.text) * read.confidence for read in reads) / letters if letters else 0.0
