"""What came of one question, as numbers that can be added up.

Every metric is a fraction: a mean has 1 below the line for each question, a precision has 1 for those alone that it speaks of.
So one rule adds them up, resamples them and compares them, whatever they mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Part = tuple[float, float]
"""Above and below the line of a fraction, of one question."""


@dataclass(frozen=True, slots=True)
class Came:
    """One piece of evidence in place of what was expected: what a list of misses shows."""

    uri: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """`ranks`: of each passage that was needed, from 1; None: not found. `leaks`: what of `never` appeared. `missed`: why the
    question counts as a miss, empty where it does not. `error`: what was raised instead of a pack."""

    id: str
    category: str
    language: str
    query: str
    parts: dict[str, Part]
    ranks: tuple[int | None, ...]
    refused: bool
    milliseconds: float
    missed: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    needed_graph: bool = False
    error: str = ""
    came: tuple[Came, ...] = field(default=())
