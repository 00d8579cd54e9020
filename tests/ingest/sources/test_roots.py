"""From what was typed to roots, none inside another."""

import os
from pathlib import Path

import pytest

from ingest.errors import UsageError
from ingest.model.source import Root
from ingest.sources.roots import Selection, resolve


@pytest.fixture
def place(tmp_path: Path) -> Path:
    base = tmp_path.resolve()
    for folder in ("docs/sub/deep", "other/docs", "manuals"):
        (base / folder).mkdir(parents=True)
    for file in ("docs/a.md", "docs/sub/b.md", "other/docs/c.md", "manuals/手册.pdf"):
        (base / file).write_text("x")
    return base


def docs(place: Path) -> Root:
    return Root("docs", str(place / "docs"))


def test_a_new_folder_becomes_a_root_with_its_name(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [Selection(docs(place))]
    assert resolve([place / "docs"], {}) == expected
    assert resolve([str(place / "docs") + "/"], {}) == expected
    assert resolve([place / "manuals/../docs"], {}) == expected
    monkeypatch.chdir(place / "docs")
    assert resolve(["."], {}) == expected
    assert resolve([place / "docs"], {}, "kb") == [Selection(Root("kb", str(place / "docs")))]


def test_a_link_to_a_folder_is_that_folder(place: Path) -> None:
    (place / "link").symlink_to("docs")
    assert resolve([place / "link"], {}) == [Selection(docs(place))]
    assert resolve([place / "link/sub"], {"docs": docs(place)}) == [Selection(docs(place), "sub")]
    registered = Root("docs", str(place / "link"))
    assert resolve([place / "docs/a.md"], {"docs": registered}) == [Selection(registered, "a.md")]


def test_a_path_below_a_root_narrows_it(place: Path) -> None:
    known = {"docs": docs(place)}
    for path, within in [("docs", None), ("docs/sub", "sub"), ("docs/sub/b.md", "sub/b.md"), ("docs/gone.md", "gone.md"),
                         ("docs/gone/x.md", "gone/x.md"), ("docs/a.md.meta.yaml", "a.md"), ("docs/.meta.yaml", ".meta.yaml"),
                         ("docs/re\u0301sume\u0301.md", "r\u00e9sum\u00e9.md")]:
        assert resolve([place / path], known) == [Selection(docs(place), within)]
    assert resolve([os.fsdecode(os.fsencode(place / "docs") + b"/\xb2.md")], known) == [Selection(docs(place), "%B2.md")]


def test_a_link_inside_a_root_is_its_own_path(place: Path) -> None:
    (place / "docs/link").symlink_to("sub")
    assert resolve([place / "docs/link/b.md"], {"docs": docs(place)}) == [Selection(docs(place), "link/b.md")]


def test_a_single_file_makes_its_folder_the_root(place: Path) -> None:
    assert resolve([place / "manuals/手册.pdf"], {}) == [Selection(Root("manuals", str(place / "manuals")), "手册.pdf")]


def test_parts_of_a_selected_root_are_in_it_already(place: Path) -> None:
    whole = [Selection(docs(place))]
    assert resolve([place / "docs/sub", place / "docs", place / "docs/a.md", place / "docs"], {}) == whole
    known = {"docs": docs(place)}
    assert resolve([place / "docs/sub/b.md", place / "docs/sub", place / "docs/sub/deep", place / "docs/a.md"], known) == [
        Selection(docs(place), "a.md"), Selection(docs(place), "sub"),
    ]
    # A name that begins alike is no part of it.
    (place / "docs/sub2").mkdir()
    assert len(resolve([place / "docs/sub", place / "docs/sub2"], known)) == 2


def test_without_paths_all_registered_roots_are_selected(place: Path) -> None:
    known = {"manuals": Root("manuals", "/gone"), "docs": docs(place)}
    assert resolve([], known) == [Selection(docs(place)), Selection(Root("manuals", "/gone"))]
    assert resolve([], known, "docs") == [Selection(docs(place))]
    with pytest.raises(UsageError, match="nothing"):
        resolve([], {})
    with pytest.raises(UsageError, match="no root called"):
        resolve([], known, "x")


def test_a_folder_around_a_root_is_refused(place: Path) -> None:
    known = {"sub": Root("sub", str(place / "docs/sub"))}
    with pytest.raises(UsageError, match="twice"):
        resolve([place / "docs"], known)
    with pytest.raises(UsageError, match="twice"):
        resolve([place], known)
    with pytest.raises(UsageError, match="twice"):
        resolve([place / "docs/a.md"], known)


def test_two_folders_of_one_name_are_refused_with_the_remedy(place: Path) -> None:
    with pytest.raises(UsageError, match="--name") as caught:
        resolve([place / "other/docs"], {"docs": docs(place)})
    assert caught.value.exit_code == 2
    with pytest.raises(UsageError, match="--name"):
        resolve([place / "docs", place / "other/docs"], {})
    with pytest.raises(UsageError, match="--name"):
        resolve([place / "manuals"], {"docs": docs(place)}, "docs")
    assert resolve([place / "other/docs"], {"docs": docs(place)}, "docs2") == [Selection(Root("docs2",
        str(place / "other/docs")))]


def test_a_root_whose_folder_is_gone_has_moved(place: Path) -> None:
    known = {"docs": Root("docs", str(place / "checkout-1/docs"))}
    assert resolve([place / "docs"], known) == [Selection(docs(place))]
    assert resolve([place / "docs/a.md"], known) == [Selection(docs(place), "a.md")]
    assert resolve([place / "manuals"], known, "docs") == [Selection(Root("docs", str(place / "manuals")))]
    through_a_file = {"docs": Root("docs", str(place / "docs/a.md/docs"))}
    assert resolve([place / "other/docs"], through_a_file) == [Selection(Root("docs", str(place / "other/docs")))]


def test_a_root_that_cannot_be_looked_at_has_not_moved(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.stat

    def refusing(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if str(path).startswith("/mnt/share"):
            raise PermissionError(13, "Permission denied")
        return real(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refusing)
    with pytest.raises(UsageError, match="--name"):
        resolve([place / "docs"], {"docs": Root("docs", "/mnt/share/docs")})


def test_a_path_that_is_nowhere_is_refused(place: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        resolve([place / "nowhere"], {"docs": docs(place)})


def test_a_name_is_for_one_new_root(place: Path) -> None:
    with pytest.raises(UsageError, match="two folders"):
        resolve([place / "docs", place / "manuals"], {}, "kb")
    with pytest.raises(UsageError, match="leave out --name"):
        resolve([place / "docs/sub"], {"docs": docs(place)}, "kb")
    assert resolve([place / "docs/sub"], {"docs": docs(place)}, "docs") == [Selection(docs(place), "sub")]


@pytest.mark.parametrize("name", ["", " ", "a/b", "..", ".", "a\nb", "a\\b"])
def test_names_that_cannot_stand_in_a_citation_are_refused(place: Path, name: str) -> None:
    with pytest.raises(UsageError, match="--name"):
        resolve([place / "docs"], {}, name)
    with pytest.raises(UsageError, match="--name"):
        resolve(["/"], {})


def test_a_selection_covers_what_is_in_it(place: Path) -> None:
    part = Selection(docs(place), "sub")
    assert [part.covers(path) for path in ("sub", "sub/b.md", "sub2/b.md", "a.md", "x/sub")] == [True, True, False, False,
        False]
    assert Selection(docs(place)).covers("anything")
