"""A picture read the right way round: scanned sheets lie on their side or head, and engines then read nonsense.

Read as it is first; where the engine is unsure of what it read, or what it found stands upright like turned lines, the other
turns are tried, and that which gives most sure letters is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parse.ocr.lines import Read, Reader, certainty

if TYPE_CHECKING:
    from ingest.parse.ocr.lines import Picture

SURE = 0.85
"""Certainty from which a reading is taken as it is: clean pages have .95 and more, turned ones .5 to .77."""
STANDING = 0.7
"""What letters are worth in lines that stand."""
FEW = 8
"""Characters that are too few to tell by how a picture lies."""


@dataclass(frozen=True, slots=True)
class Upright:
    """What was read, in pixels of the picture turned back, and by how much it had stood turned: 0, 90, 180, 270 clockwise."""

    turn: int
    reads: list[Read]
    picture: Picture


def read_upright(picture: Picture, reader: Reader) -> Upright:
    """Read a picture at the turn at which it makes sense."""
    import numpy as np

    def at(turn: int) -> Upright:
        turned = np.ascontiguousarray(np.rot90(picture, turn // 90))
        return Upright(turn, reader.read(turned), turned)

    best = at(0)
    on_side = _stands(best.reads)
    if not best.reads or (certainty(best.reads) >= SURE and not on_side):
        return best
    turns = (90, 270, 180) if on_side else (180, 90, 270)
    for turn in turns:
        found = at(turn)
        if _worth(found) > _worth(best):
            best = found
        if best.turn and certainty(best.reads) >= SURE and not _stands(best.reads):
            break
    return best


def _worth(found: Upright) -> float:
    """Letters read, those that the engine is unsure of counting little: nonsense has many of them. Lines that stand upright may
    have been read right, one by one, and are in the wrong order still."""
    return sum(len(read.text) * read.confidence**4 for read in found.reads) * (STANDING if _stands(found.reads) else 1)


def _stands(reads: list[Read]) -> bool:
    """Whether most of the text stands in boxes that are higher than wide."""
    letters = [(len(read.text), read.y1 - read.y0 > 1.5 * (read.x1 - read.x0)) for read in reads if len(read.text) > 1]
    total = sum(count for count, _ in letters)
    return total >= FEW and sum(count for count, tall in letters if tall) > 0.5 * total
