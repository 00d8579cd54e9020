"""Grouping children into parents: a section that fits, siblings packed together, or a long section in several parts."""

from __future__ import annotations

from typing import NamedTuple

from ingest.chunk.anchors import boundary_key
from ingest.chunk.crumbs import without_crumbs
from ingest.chunk.packing import window
from ingest.chunk.ranges import Group, Range


class Item(NamedTuple):
    """Children that stay together (indexes `[first, last)`): one child, or a subsection with all below it."""

    first: int
    last: int
    start: int
    size: int
    rank: int
    """Of the cut in front: 0 between sections, 1 inside one."""


def parents(section: Range, sizes: list[int], starts: list[int], text: str, least: int, most: int) -> list[Group]:
    """Return the parents of a document in reading order. `sizes` (halves of a unit) and `starts` are those of all children.

    What is left over between sections that need parents of their own joins a neighbour where it is small.
    """
    return without_crumbs(_grouped(section, sizes, starts, text, least, most), section, sizes, 2 * least // 3, most)


def _grouped(section: Range, sizes: list[int], starts: list[int], text: str, least: int, most: int) -> list[Group]:
    if section.first == section.last:
        return []
    if section.size <= most:
        return [Group(section.first, section.last)]
    groups: list[Group] = []
    run = [Item(child, child + 1, starts[child], sizes[child], 1) for child in range(section.first, section.own_last)]
    for below in section.subsections:
        if below.first == below.last:
            continue
        if below.size <= most:
            run.append(Item(below.first, below.last, starts[below.first], below.size, 0))
            continue
        groups += _packed(run, text, least, most)
        groups += _grouped(below, sizes, starts, text, least, most)
        run = []
    return groups + _packed(run, text, least, most)


def _packed(run: list[Item], text: str, least: int, most: int) -> list[Group]:
    """Cut a run of items into groups of allowed size, at the softest boundary; see `packing` for why by checksum."""
    groups = []
    rest = sum(item.size for item in run)
    at = 0
    while at < len(run):
        end = len(run) if rest <= most else _end(run, at, rest, text, least, most)
        groups.append(Group(run[at].first, run[end - 1].last))
        rest -= sum(item.size for item in run[at:end])
        at = end
    return groups


def _end(run: list[Item], at: int, rest: int, text: str, least: int, most: int) -> int:
    low, high = window(rest, least, most)
    size = 0
    last = at + 1
    found = []
    for index in range(at, len(run) - 1):
        size += run[index].size
        if size > most:
            break
        last = index + 1
        if low <= size <= high:
            found.append(index + 1)
    if not found:
        return last
    return min(found, key=lambda index: (run[index].rank, boundary_key(text, run[index].start)))
