from __future__ import annotations

from typing import Any

from ingest.chunk.sections import Section, outline


def _paths(section: Section) -> list[tuple[tuple[str, ...], int]]:
    return [(section.path, len(section.blocks)), *(entry for below in section.subsections for entry in _paths(below))]


def test_levels_may_skip_and_come_back(build: Any) -> None:
    p = build.paragraph("text")
    headings = [build.heading(name, level) for name, level in (("A", 1), ("C", 4), ("B", 2), ("D", 1))]
    made = build.document(p, *(block for heading in headings for block in (heading, p)))
    assert _paths(outline(made)) == [((), 1), (("A",), 2), (("A", "C"), 2), (("A", "B"), 2), (("D",), 2)]


def test_a_bare_heading_leads_its_first_subsection(build: Any) -> None:
    made = build.document(build.heading("A", 1), build.heading("B", 2), build.heading("C", 3), build.paragraph("text"))
    assert _paths(outline(made)) == [((), 0), (("A",), 0), (("A", "B"), 0), (("A", "B", "C"), 4)]


def test_a_bare_heading_does_not_move_to_a_sibling(build: Any) -> None:
    made = build.document(build.heading("A", 2), build.heading("B", 2), build.paragraph("text"))
    assert _paths(outline(made)) == [((), 0), (("A",), 1), (("B",), 2)]


def test_headings_enter_paths_on_one_line_and_bounded(build: Any) -> None:
    p = build.paragraph("text")
    made = build.document(build.heading("A\n  long  one", 1), p, build.heading("很" * 1000, 1), p)
    first, second = (section.path[0] for section in outline(made).subsections)
    assert first == "A long one"
    assert len(second) == 300
    assert second.endswith("…")


def test_a_bare_heading_as_long_as_a_chunk_is_not_handed_down(build: Any) -> None:
    long = "关于设备保管与归还的若干规定" * 12
    made = build.document(build.heading(long, 1), build.heading("范围", 2), build.paragraph("适用于所有部门。"))
    assert [count for _, count in _paths(outline(made))] == [0, 1, 2]
    assert [child.heading_path[-1] for child in build.cut(made).children if child.text.startswith("范围")] == ["范围"]
