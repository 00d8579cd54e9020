"""A trail says where a reader stood, and the next one keeps clear of the pages that it died of."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ingest.model.document import Gap
from ingest.parse.trail import Course, Trace, Trail, following, trailing

ranges = st.tuples(st.integers(1, 60), st.integers(0, 8)).map(lambda one: (one[0], one[0] + one[1]))


@given(st.integers(0, 60), st.integers(1, 25), st.lists(ranges, max_size=3), st.none() | ranges)
def test_windows_hold_every_page_once_but_those_left_out(
    pages: int, size: int, gaps: list[tuple[int, int]], careful: tuple[int, int] | None
) -> None:
    trail = Trail(Course(None, tuple(Gap(first, last, "it crashed") for first, last in gaps), careful))
    windows = list(trail.windows(pages, size))
    read = [page for first, last in windows for page in range(first, last + 1)]
    assert read == [page for page in range(1, pages + 1) if not any(first <= page <= last for first, last in gaps)]
    for first, last in windows:
        assert last - first < size
        assert careful is None or first == last or last < careful[0] or first > careful[1]


def test_suspects_are_the_pages_of_the_last_window_that_were_not_read(tmp_path: Path) -> None:
    file = tmp_path / "trail"
    assert Trace.of(file).suspects is None
    trail = Trail(Course(str(file)))
    assert Trace.of(file).suspects is None
    trail.at(1, 3)
    assert Trace.of(file).suspects == (1, 3)
    for page in (1, 2):
        trail.at(page, page)
        trail.through(page)
    assert Trace.of(file).suspects is None
    trail.at(3, 3)
    assert Trace.of(file).suspects == (3, 3)
    trail.close()


def test_another_reader_begins_anew_with_what_was_kept(tmp_path: Path) -> None:
    course = Course(str(tmp_path / "trail"))
    with following(course), trailing() as first:
        first.at(1, 1)
        first.through(1, {"text": "温度上限"})
        first.at(2, 2)
    with following(course), trailing() as second:
        assert (second.kept(1), second.kept(2)) == ({"text": "温度上限"}, None)
    trace = Trace.of(tmp_path / "trail")
    assert (trace.at, trace.through, trace.kept) == (None, set(), {1: {"text": "温度上限"}})


def test_line_that_a_killed_reader_did_not_finish_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "trail"
    file.write_bytes(b'{"begun":true}\n{"at":[1,25]}\n{"page":1}\n{"page":2,"kept":{"te')
    assert Trace.of(file).suspects == (2, 25)


def test_nobody_who_asks_leaves_no_trail(tmp_path: Path) -> None:
    with trailing() as trail:
        assert trail.is_plain
        trail.at(1, 1)
        trail.through(1)
    assert list(tmp_path.iterdir()) == []
