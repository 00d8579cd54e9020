"""Children by number: those of a section, and those of a parent."""

from __future__ import annotations

from typing import NamedTuple


class Group(NamedTuple):
    """Children `[first, last)` of one parent."""

    first: int
    last: int


class Range(NamedTuple):
    """What the children of a section and of all below it come to: indexes `[first, last)`, and their size."""

    first: int
    own_last: int
    last: int
    size: int
    subsections: list[Range]
