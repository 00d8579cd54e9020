"""A deletion is believed only when it is plausible: what vanished is told from what was deleted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import MassDeletion, RootEmptied, RootUnavailable, UsageError


def word(number: int) -> str:
    """A word that stands in one document only, in one piece for every index."""
    return f"quag{chr(97 + number // 26)}{chr(97 + number % 26)}"


def filled(base: Any, count: int) -> Any:
    for number in range(count):
        base.write(f"{number // 10}/{number:03}.md", f"# Document {number}\n\n{word(number)} stands here.\n")
    base.run()
    return base


def test_vanished_root_is_unavailable_and_loses_nothing(base: Any) -> None:
    filled(base, 3)
    base.docs.rename(base.folder / "elsewhere")
    with pytest.raises(RootUnavailable, match="mount") as raised:
        base.run()
    assert raised.value.exit_code == 6 and raised.value.retryable
    assert base.found(word(1)) == ["0/001.md"]
    assert base.head() == 1


def test_emptied_root_is_refused_and_loses_nothing(base: Any) -> None:
    filled(base, 3)
    shutil.rmtree(base.docs / "0")
    with pytest.raises(RootEmptied, match="mounted") as raised:
        base.run()
    assert raised.value.exit_code == 1
    with pytest.raises(RootEmptied):
        base.run(allow_mass_delete=True)
    assert base.found(word(1)) == ["0/001.md"]


def test_mass_deletion_is_refused_until_it_is_allowed(base: Any) -> None:
    filled(base, 30)
    for number in range(11):
        base.delete(f"{number // 10}/{number:03}.md")
    with pytest.raises(MassDeletion, match="--allow-mass-delete") as raised:
        base.run()
    assert raised.value.exit_code == 1
    assert base.head() == 1
    assert base.found(word(3)) == ["0/003.md"]
    report = base.run(allow_mass_delete=True)
    assert report.sources["gone"] == 11
    assert base.found(word(3)) == []
    assert base.verify() == []


def test_ten_deletions_pass(base: Any) -> None:
    filled(base, 30)
    shutil.rmtree(base.docs / "0")
    assert base.run().sources["gone"] == 10


def test_share_of_a_large_root_passes(base: Any) -> None:
    base.set("sources", mass_delete_files=1)
    filled(base, 30)
    for number in range(3):
        base.delete(f"0/{number:03}.md")
    assert base.run().sources["gone"] == 3
    for number in range(3, 6):
        base.delete(f"0/{number:03}.md")
    with pytest.raises(MassDeletion):
        base.run()


def test_moved_folder_is_no_mass_deletion(base: Any) -> None:
    filled(base, 30)
    (base.docs / "0").rename(base.docs / "moved")
    (base.docs / "1").rename(base.docs / "also")
    report = base.run()
    assert (report.sources["renamed"], report.sources["gone"], report.sources["added"], report.embedded) == (20, 0, 0, 0)
    assert base.found(word(3)) == ["moved/003.md"]


def test_new_files_do_not_excuse_a_mass_deletion(base: Any) -> None:
    """As many new files as lost ones pass the look at names; their bytes tell that nothing was moved."""
    filled(base, 30)
    for number in range(12):
        base.delete(f"{number // 10}/{number:03}.md")
        base.write(f"new/{number}.md", f"# New {number}\n\nSomething else {number}.\n")
    with pytest.raises(MassDeletion):
        base.run()
    assert base.found(word(3)) == ["0/003.md"]
    assert base.run(allow_mass_delete=True).sources["gone"] == 12


def test_root_that_moved_as_a_whole_is_the_same_root(base: Any) -> None:
    filled(base, 3)
    there = base.folder / "another disk"
    there.mkdir()
    moved = shutil.move(base.docs, there)
    base.docs = there / "docs"
    report = base.run(base.docs)
    assert str(base.docs) == moved
    assert (report.published, report.sources["same"]) == (False, 3)


def test_unreadable_folder_keeps_its_documents(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.sources import scan

    filled(base, 12)
    listed = scan.list_folder
    locked = str((base.docs / "1").resolve())

    def refusing(path: str) -> Any:
        if path == locked:
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(scan, "list_folder", refusing)
    base.write("0/000.md", "# Document 0\n\nCHANGED\n")
    report = base.run()
    assert (report.sources["changed"], report.sources["gone"]) == (1, 0)
    assert any("docs/1" in warning and "Permission denied" in warning for warning in report.warnings)
    assert base.found("CHANGED") == ["0/000.md"]
    assert base.found(word(11)) == ["1/011.md"]
    check = base.check()
    assert (check.status, check.exit_code) == ("unknown", 6)
    assert any("1/011.md" in problem for problem in check.problems)


def test_root_of_which_nothing_can_be_looked_at_is_unavailable(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.sources import scan

    filled(base, 3)

    def refusing(path: str) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(scan, "list_folder", refusing)
    with pytest.raises(RootUnavailable, match="Permission denied"):
        base.run()
    assert base.found(word(1)) == ["0/001.md"]


def test_run_without_roots_says_to_name_a_folder(base: Any) -> None:
    from flows.pipeline import Options, run
    from ingest.progress import Silent

    with pytest.raises(UsageError, match="ingest run PATH"):
        run(base.settings, Options(), Silent())


def test_two_roots_live_side_by_side(new_base: Callable[..., Any]) -> None:
    base = new_base("side")
    base.write("one.md", "# One\n\nALPHA\n")
    base.run()
    other = base.folder / "wiki"
    other.mkdir()
    (other / "one.md").write_text("# One\n\nBETA\n")
    assert base.run(other).sources["added"] == 1
    assert {item.uri for item in base.search("ALPHA").evidence} == {"docs/one.md"}
    assert {item.uri for item in base.search("BETA").evidence} == {"wiki/one.md"}
    other.rename(base.folder / "gone")
    assert base.run(base.docs).published is False, "a root that is not asked for is not looked at"
    from flows.pipeline import Options, run
    from ingest.progress import Silent

    with pytest.raises(RootUnavailable):
        run(base.settings, Options(), Silent())
    assert {item.uri for item in base.search("BETA").evidence} == {"wiki/one.md"}
