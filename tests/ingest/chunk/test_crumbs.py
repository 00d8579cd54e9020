"""Parents that came out small join a neighbour, unless they are a section of their own."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.crumbs import without_crumbs
from ingest.chunk.ranges import Group, Range


def flat(sizes: list[int]) -> Range:
    return Range(0, len(sizes), len(sizes), sum(sizes), [])


def test_crumb_joins_the_neighbour_with_room() -> None:
    sizes = [900, 100, 500]
    groups = [Group(0, 1), Group(1, 2), Group(2, 3)]
    assert without_crumbs(groups, flat(sizes), sizes, 400, 1000) == [Group(0, 1), Group(1, 3)]


def test_crumb_and_a_full_neighbour_are_cut_anew() -> None:
    sizes = [250, 250, 250, 250, 100]
    assert without_crumbs([Group(0, 4), Group(4, 5)], flat(sizes), sizes, 400, 1000) == [Group(0, 2), Group(2, 5)]


def test_whole_section_stays_however_short() -> None:
    sizes = [900, 100, 900]
    sections = [Range(n, n + 1, n + 1, sizes[n], []) for n in range(3)]
    groups = [Group(n, n + 1) for n in range(3)]
    assert without_crumbs(groups, Range(0, 0, 3, 1900, sections), sizes, 400, 1000) == groups


def test_crumb_that_fits_nowhere_stays() -> None:
    sizes = [1000, 100]
    assert without_crumbs([Group(0, 1), Group(1, 2)], flat(sizes), sizes, 400, 1000) == [Group(0, 1), Group(1, 2)]


@given(st.lists(st.lists(st.integers(1, 400), min_size=1, max_size=5), min_size=1, max_size=9))
def test_every_child_stays_in_one_parent_in_order(parts: list[list[int]]) -> None:
    sizes = [size for part in parts for size in part]
    groups, at = [], 0
    for part in parts:
        groups.append(Group(at, at + len(part)))
        at += len(part)
    made = without_crumbs(groups, flat(sizes), sizes, 400, 1000)
    assert [made[0].first, *(group.last for group in made)] == [0, *(group.first for group in made[1:]), len(sizes)]
    assert sum(sum(sizes[g.first : g.last]) < 400 for g in made) <= sum(sum(sizes[g.first : g.last]) < 400 for g in groups)


def test_introduction_of_a_long_chapter_is_not_a_parent_alone(build: Any, holds: Any) -> None:
    rule = "每天两点备份全部配置，失败时重试三次，每次间隔十分钟，结果写入审计日志。"
    made = build.document(
        build.heading("运维"), build.paragraph(rule), build.heading("备份", 2), *(build.paragraph(rule * 4) for _ in range(9)),
        build.heading("恢复", 2), *(build.paragraph(rule * 4) for _ in range(9)),
    )  # fmt: skip
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    assert all(400 <= parent.units <= 1000 for parent in chunked.parents)
