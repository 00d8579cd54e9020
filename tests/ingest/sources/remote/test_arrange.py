"""A listing makes the scan that the same files make in a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import RootUnavailable
from ingest.model.source import Root
from ingest.protocols import Fetched, Listed, Unlisted
from ingest.settings import RootPart, SourcesPart
from ingest.sources.found import Scan
from ingest.sources.remote.arrange import arranged
from ingest.sources.remote.place import Place
from ingest.sources.scan import scan

FILES = {
    "a.md": "x", "a.md.meta.yaml": "users: [li]", "sub/b.md": "x", "sub/b.meta.yaml": "users: [li]", "sub/.hidden": "x",
    "sub/~$lock.docx": "x", ".ingestignore": "*.log\nold/\n", "x.log": "x", "old/c.md": "x", "keep/.ingestignore": "!x.log\n",
    "keep/x.log": "x", "keep/orphan.meta.yaml": "users: []", "deep/d/e/f.md": "x", "deep.meta.yaml": "users: [li]",
    "base/catalog.db": "x", "base/lock": "x", "两/文.md": "x",
}


class Held:
    """A connector over a dictionary."""

    def __init__(self, files: dict[str, str], **other: Any) -> None:
        self.files, self.other = files, other

    def listing(self, known: Any, within: str | None = None) -> Any:
        yield from (Listed(path, path, "t", len(text)) for path, text in self.files.items())
        yield from self.other.get("unlisted", ())

    def read(self, listed: Listed, most: int) -> Fetched:
        if listed.path in self.other.get("refused", ()):
            raise PermissionError("no")
        return Fetched(self.files[listed.path].encode(), "t")

    def find(self, path: str) -> Listed | None:
        return None

    def close(self) -> None: ...


def look(files: dict[str, str], within: str | None = None, patterns: tuple[str, ...] = (), **other: Any) -> Scan:
    place = Place(Root("docs", "held://docs"), RootPart(), 1000)
    place._connector = Held(files, **other)
    return arranged(place, place.listing({}), SourcesPart(ignore=patterns), within)


def told(found: Scan) -> tuple[Any, ...]:
    """What a scan says, without what tells a file from an object."""
    return (
        [(one.source, one.real_sidecar and one.real_sidecar.rpartition("/")[2], one.problem) for one in found.found],
        found.skipped, found.unreadable,
    )


@pytest.mark.parametrize("within", [None, "sub", "sub/b.md", "keep/x.log", "x.log", "old", "nothing", "deep/d", "base"])
def test_a_listing_and_a_folder_are_the_same_scan(tree: Callable[[dict[str, str]], Path], root: Root, within: str | None) -> None:
    tree(FILES)
    assert told(look(FILES, within)) == told(scan(root, SourcesPart(), within))


names = st.sampled_from(["a", "b.md", "b.md.meta.yaml", "b.meta.yaml", "B.md", ".hidden", "x.log", "文", "c~", "d.META.YML"])
trees = st.dictionaries(st.lists(names, min_size=1, max_size=3).map("/".join), st.sampled_from(["x", ""]), max_size=8)


@settings(max_examples=60, deadline=None)
@given(trees, st.randoms())
def test_any_listing_is_that_of_a_folder_in_any_order(files: dict[str, str], random: Any) -> None:
    import tempfile

    files = {path: text for path, text in files.items() if not any(other.startswith(path + "/") for other in files)}
    with tempfile.TemporaryDirectory() as made:
        for path, text in files.items():
            file = Path(made) / "docs" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (Path(made) / "docs").mkdir(exist_ok=True)
        expected = told(scan(Root("docs", f"{made}/docs"), SourcesPart(ignore=("*.log",))))
    shuffled = list(files.items())
    random.shuffle(shuffled)
    assert told(look(dict(shuffled), patterns=("*.log",))) == expected


@pytest.mark.parametrize("key", ["../up.md", "a/../../up.md", "/absolute.md", "a//b.md", "./a.md", "a/.", ".."])
def test_a_key_that_is_no_path_below_the_root_is_told_and_not_taken(key: str) -> None:
    found = look({"good.md": "x", key: "x"})
    assert [one.source.path for one in found.found] == ["good.md"]
    assert "no path below the root" in found.skipped[0].reason


def test_control_characters_are_escaped_and_told() -> None:
    found = look({"a\nb.md": "x", "c\\d.md": "x"})
    assert [one.source.path for one in found.found] == ["a%0Ab.md", "c%5Cd.md"]
    assert len(found.skipped) == 2


def test_an_object_and_a_folder_of_one_name_are_both_there() -> None:
    assert [one.source.path for one in look({"a": "x", "a/b.md": "x"}).found] == ["a", "a/b.md"]


def test_names_that_are_the_same_once_normalised_are_told() -> None:
    found = look({"e\u0301.md": "x", "\u00e9.md": "x"})
    assert [one.real for one in found.found] == ["\u00e9.md"] and "same after normalisation" in found.skipped[0].reason
    assert found.found[0].elsewhere is not None and found.found[0].elsewhere.listed.key == "\u00e9.md"


def test_what_could_not_be_looked_at_is_kept() -> None:
    found = look({"a.md": "x"}, unlisted=[Unlisted("shut", "it may not be listed", kept=True), Unlisted("pipe", "no file")])
    assert found.unreadable == ["shut"] and [one.path for one in found.skipped] == ["pipe", "shut"]


def test_a_folder_whose_patterns_cannot_be_read_is_kept_and_not_shown() -> None:
    found = look({"sub/.ingestignore": "x", "sub/a.md": "x", "b.md": "x"}, refused=("sub/.ingestignore",))
    assert found.unreadable == ["sub"] and [one.source.path for one in found.found] == ["b.md"]
    with pytest.raises(RootUnavailable, match="ingestignore"):
        look({".ingestignore": "x", "b.md": "x"}, refused=(".ingestignore",))


def test_a_listing_without_end_is_refused() -> None:
    with pytest.raises(RootUnavailable, match=r"sources\.max_listed"):
        look({f"{number}.md": "x" for number in range(1001)})
