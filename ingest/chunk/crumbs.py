"""Parents that came out small although their section is not: the lines between a chapter's title and its first long section, a
short section between two long ones.

Such a crumb joins the neighbour in front or behind, or both are cut anew where each becomes large enough. A parent that is one
whole section stays as it is, however short: it is all there is to say.
"""

from __future__ import annotations

from ingest.chunk.ranges import Group, Range


def without_crumbs(groups: list[Group], document: Range, sizes: list[int], least: int, most: int) -> list[Group]:
    """Return the groups, those below `least` joined with a neighbour. Sizes in halves of a unit; groups cover all children."""
    if len(groups) < 2:
        return groups
    sections = {(section.first, section.last) for section in _all(document)}
    settled: list[Group] = []
    waiting = list(reversed(groups))
    while waiting:
        group = waiting.pop()
        if _size(group, sizes) >= least or (group.first, group.last) in sections:
            settled.append(group)
            continue
        behind = _joined(group, waiting[-1], sizes, least, most) if waiting else []
        before = _joined(settled[-1], group, sizes, least, most) if settled else []
        if behind and (not before or len(behind) <= len(before)):
            waiting.pop()
            settled += behind
        elif before:
            settled[-1:] = before
        else:
            settled.append(group)
    return settled


def _all(section: Range) -> list[Range]:
    return [section, *(inner for below in section.subsections for inner in _all(below))]


def _size(group: Group, sizes: list[int]) -> int:
    return sum(sizes[group.first : group.last])


def _joined(one: Group, other: Group, sizes: list[int], least: int, most: int) -> list[Group]:
    """Both as one group, or as two that are large enough and as equal as can be; nothing where neither is possible."""
    total = _size(one, sizes) + _size(other, sizes)
    if total <= most:
        return [Group(one.first, other.last)]
    best: tuple[int, int] | None = None
    left = 0
    for child in range(one.first, other.last - 1):
        left += sizes[child]
        if left >= least and total - left >= least and max(left, total - left) <= most:
            candidate = abs(total - 2 * left), child + 1
            best = candidate if best is None else min(best, candidate)
    return [Group(one.first, best[1]), Group(best[1], other.last)] if best else []
