"""What a run has to do, and which deletions it does not believe."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import MassDeletion, RootEmptied, RootUnavailable
from ingest.model.source import Revision, Root, source_id
from ingest.settings import SourcesPart
from ingest.sources.found import Scan, Scanned, Signature
from ingest.sources.plan import Known, Plan, guard, plan, renames
from ingest.sources.roots import Selection
from ingest.sources.scan import read, scan

PART = SourcesPart()
Tree = Callable[[dict[str, str | bytes]], Path]
LATER = 1 << 62
ROOT = Root("docs", "/docs")


def same(_: Known) -> str:
    return "f1"


def known_of(found: Scan) -> dict[str, Known]:
    """What the catalog knows after everything found was read."""
    known = {}
    for scanned in found.found:
        made = read(scanned, 1 << 20, now_ns=lambda: LATER)
        source = scanned.source
        known[source.id] = Known(
            source.id, source.root, source.path, made.revision, made.signature, made.sidecar_signature, "text/markdown",
                "f1", "ok", False
        )
    return known


def planned(root: Root, known: dict[str, Known], within: str | None = None, **more: object) -> Plan:
    selection = Selection(root, within)
    arguments = {"rehash": False, "allow_mass_delete": False, "fingerprint_of": same, **more}
    return plan(selection, scan(root, PART, within), known, PART, **arguments)  # type: ignore[arg-type]


def entry(path: str, content: str = "c", root: str = "docs") -> Known:
    signature = Signature(1, 2, 3, 4)
    return Known(source_id(root, path), root, path, Revision(content, "", 1), signature, None, "text/markdown", "f1", "ok",
        False)


def entries(*paths: str) -> dict[str, Known]:
    return {one.source_id: one for one in map(entry, paths)}


def test_what_has_not_changed_is_not_read(tree: Tree, root: Root) -> None:
    tree({"a.md": "x", "b.md": "y", "b.md.meta.yaml": "level: 1"})
    made = planned(root, known_of(scan(root, PART)))
    assert [one.known.path for one in made.unchanged] == ["a.md", "b.md"]
    assert (made.suspects, made.stale, made.retry, made.gone, made.kept) == ([], [], [], [], [])


def test_everything_is_in_one_list(tree: Tree, root: Root) -> None:
    base = tree({name: name for name in ("same.md", "edited.md", "gone.md", "side.md", "stale.md", "retry.md",
    "given-up.md", "unsettled.md")})
    known = {one.path: one for one in known_of(scan(root, PART)).values()}
    known["stale.md"] = replace(known["stale.md"], stage_fingerprints="f0")
    known["retry.md"] = replace(known["retry.md"], status="DocumentUnreadable", retryable=True)
    known["given-up.md"] = replace(known["given-up.md"], status="DocumentEncrypted")
    known["unsettled.md"] = replace(known["unsettled.md"], signature=None)
    (base / "gone.md").unlink()
    tree({"new.md": "n", "edited.md": "longer", "side.md.meta.yaml": "level: 2"})
    made = planned(root, {one.source_id: one for one in known.values()})
    assert [(one.scanned.source.path, one.why) for one in made.suspects] == [
        ("edited.md", "touched"), ("new.md", "new"), ("side.md", "sidecar"), ("unsettled.md", "unsettled"),
    ]
    assert [one.known.path for one in made.unchanged] == ["given-up.md", "same.md"]
    assert [(one.known.path, "f0" in one.reason and "f1" in one.reason) for one in made.stale] == [("stale.md", True)]
    assert [one.known.path for one in made.retry] == ["retry.md"]
    assert [one.path for one in made.gone] == ["gone.md"]
    assert made.known_in_root == 8


def test_an_edit_that_keeps_size_and_mtime_is_seen(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "old"})
    times = (base / "a.md").stat()
    known = known_of(scan(root, PART))
    (base / "a.md").write_text("new")
    os.utime(base / "a.md", ns=(times.st_atime_ns, times.st_mtime_ns))
    # ctime cannot be set; whatever its tick, the signature of a file this young would not have been recorded.
    young = read(scan(root, PART).found[0], 10)
    assert young.signature is None
    forgetting = {key: replace(one, signature=None) for key, one in known.items()}
    assert planned(root, forgetting).suspects[0].why == "unsettled"


def test_a_file_replaced_by_another_of_equal_size_and_times_is_seen(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "old"})
    known = known_of(scan(root, PART))
    times = (base / "a.md").stat()
    (base / "other").write_text("new")
    os.utime(base / "other", ns=(times.st_atime_ns, times.st_mtime_ns))
    (base / "other").rename(base / "a.md")
    assert planned(root, known).suspects[0].why == "touched"


def test_a_touched_file_is_read_and_a_rehash_reads_all(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x", "b.md": "y"})
    known = known_of(scan(root, PART))
    os.utime(base / "a.md", ns=(1, 1))
    assert [one.why for one in planned(root, known).suspects] == ["touched"]
    assert [one.why for one in planned(root, known, rehash=True).suspects] == ["rehash", "rehash"]


@pytest.mark.parametrize("change", ["edited", "removed", "added"])
def test_a_change_of_a_sidecar_alone_is_seen(tree: Tree, root: Root, change: str) -> None:
    base = tree({"a.md": "x", "b.md": "y", "b.md.meta.yaml": "level: 1"})
    known = known_of(scan(root, PART))
    if change == "edited":
        tree({"b.md.meta.yaml": "level: 33"})
    elif change == "removed":
        (base / "b.md.meta.yaml").unlink()
    else:
        tree({"a.md.meta.yaml": "level: 2"})
    (suspect,) = planned(root, known).suspects
    assert (suspect.scanned.source.path, suspect.why) == ("a.md" if change == "added" else "b.md", "sidecar")


def test_a_young_sidecar_is_read_again(tree: Tree, root: Root) -> None:
    tree({"a.md": "x", "a.md.meta.yaml": "level: 1"})
    known = {key: replace(one, sidecar_signature=None) for key, one in known_of(scan(root, PART)).items()}
    assert planned(root, known).suspects[0].why == "unsettled"


def test_a_file_whose_metadata_cannot_be_trusted_is_never_unchanged(tree: Tree, root: Root) -> None:
    tree({"a.pdf": "x"})
    known = known_of(scan(root, PART))
    tree({"a.meta.yaml": "users: [li.na]"})
    assert [one.why for one in planned(root, known).suspects] == ["problem"]


def test_a_path_narrows_what_can_be_gone(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x", "sub/b.md": "y", "sub2/c.md": "z"})
    known = known_of(scan(root, PART))
    for path in ("a.md", "sub/b.md", "sub2/c.md"):
        (base / path).unlink()
    assert [one.path for one in planned(root, known, "sub").gone] == ["sub/b.md"]
    assert [one.path for one in planned(root, known, "a.md").gone] == ["a.md"]
    assert planned(root, known, "other").gone == []
    assert planned(root, known, "sub").known_in_root == 3


def test_other_roots_are_passed_over(tree: Tree, root: Root) -> None:
    tree({"a.md": "x"})
    known = known_of(scan(root, PART)) | {"other": entry("b.md", root="other")}
    made = planned(root, known)
    assert (made.gone, made.known_in_root) == ([], 1)


def test_what_cannot_be_looked_at_is_kept() -> None:
    known = entries("a.md", "private/b.md", "private/deep/c.md", "private2/d.md", "e.md")
    found = Scan([scanned("a.md")], [], ["private", "e.md"])
    made = plan(Selection(ROOT), found, known, PART, fingerprint_of=same)
    assert [one.path for one in made.kept] == ["e.md", "private/b.md", "private/deep/c.md"]
    assert [one.path for one in made.gone] == ["private2/d.md"]


def scanned(path: str) -> Scanned:
    from ingest.model.source import Source

    return Scanned(Source("docs", path), "/docs", "/docs/" + path, Signature(1, 2, 3, 4))


# --- guards


def test_a_root_that_had_sources_and_has_none_is_an_error() -> None:
    for allow in (False, True):
        with pytest.raises(RootEmptied, match="mounted") as caught:
            plan(Selection(ROOT), Scan([], [], []), entries("a.md"), PART, allow_mass_delete=allow, fingerprint_of=same)
        assert caught.value.exit_code == 1
    with pytest.raises(RootUnavailable):
        plan(Selection(ROOT), Scan([], [], ["private"]), entries("private/a.md"), PART, fingerprint_of=same)


def test_the_last_file_can_be_deleted_by_its_path() -> None:
    made = plan(Selection(ROOT, "a.md"), Scan([], [], []), entries("a.md"), PART, fingerprint_of=same)
    assert [one.path for one in made.gone] == ["a.md"]
    guard(made, {}, PART)


def test_an_empty_root_that_never_had_sources_is_fine() -> None:
    assert plan(Selection(ROOT), Scan([], [], []), {}, PART, fingerprint_of=same).gone == []


@pytest.mark.parametrize(("known", "gone", "refused"), [(20, 10, False), (20, 11, True), (500, 50, False), (500, 51, True),
    (5, 4, False)])
def test_deleting_more_than_a_tenth_or_ten_is_refused(known: int, gone: int, refused: bool) -> None:
    names = [f"{i:03}.md" for i in range(known)]
    found = Scan([scanned(name) for name in names[gone:]], [], [])

    def attempt(allow: bool) -> Plan:
        made = plan(Selection(ROOT), found, entries(*names), PART, allow_mass_delete=allow, fingerprint_of=same)
        guard(made, {}, PART, allow_mass_delete=allow)
        return made

    assert len(attempt(True).gone) == gone
    if refused:
        with pytest.raises(MassDeletion, match="--allow-mass-delete"):
            attempt(False)
    else:
        attempt(False)


def test_the_guard_counts_the_whole_root_when_narrowed() -> None:
    known = entries(*(f"a/{i}.md" for i in range(15)), *(f"b/{i}.md" for i in range(200)))
    made = plan(Selection(ROOT, "a"), Scan([], [], []), known, PART, fingerprint_of=same)
    guard(made, {}, PART)
    assert len(made.gone) == 15


def move(count: int, kept: int = 0) -> tuple[Plan, dict[str, str]]:
    """A folder of `count` files that was moved, all but `count - kept` of them unchanged."""
    known = {one.source_id: one for one in (entry(f"old/{i:03}.md", f"hash-{i}") for i in range(count))}
    found = Scan([scanned(f"new/{i:03}.md") for i in range(count)], [], [])
    made = plan(Selection(ROOT), found, known, PART, fingerprint_of=same)
    return made, {f"new/{i:03}.md": f"hash-{i}" if i < kept else "other" for i in range(count)}


def test_a_moved_folder_passes_the_guard() -> None:
    made, added = move(500, kept=500)
    moved = renames(made.gone, added)
    assert moved == {f"new/{i:03}.md": f"old/{i:03}.md" for i in range(500)}
    guard(made, moved, PART)


def test_a_folder_replaced_by_other_files_does_not_pass() -> None:
    made, added = move(500, kept=449)
    with pytest.raises(MassDeletion, match="51 of 500"):
        guard(made, renames(made.gone, added), PART)
    guard(made, renames(made.gone, added), PART, allow_mass_delete=True)


def test_a_deleted_folder_is_refused_before_anything_is_read() -> None:
    names = [f"{i:03}.md" for i in range(500)]
    with pytest.raises(MassDeletion):
        plan(Selection(ROOT), Scan([scanned("new.md")], [], []), entries(*names), PART, fingerprint_of=same)


# --- renames


def test_equal_files_are_paired_by_name_then_by_path() -> None:
    gone = [entry("a/x.md", "c"), entry("a/y.md", "c"), entry("b/z.md", "c"), entry("q.md", "other")]
    assert renames(gone, {"n/y.md": "c", "n/1.md": "c", "n/2.md": "c", "n/3.md": "c", "w.md": "unknown"}) == {
        "n/1.md": "a/x.md", "n/2.md": "b/z.md", "n/y.md": "a/y.md",
    }
    assert renames(gone, {}) == {}
    assert renames([], {"a.md": "c"}) == {}


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz")), max_size=8, unique_by=lambda one: one[0]),
    st.dictionaries(st.sampled_from("ghijkl"), st.sampled_from("xyz"), max_size=8),
    st.randoms(),
)
@settings(deadline=None)
def test_pairs_are_one_to_one_and_independent_of_order(gone: list[tuple[str, str]], added: dict[str, str],
    random: object) -> None:
    known = [entry(path, content) for path, content in gone]
    moved = renames(known, added)
    assert len(set(moved.values())) == len(moved)
    contents = dict(gone)
    assert all(contents[old] == added[new] for new, old in moved.items())
    for content in "xyz":
        both = min(list(contents.values()).count(content), list(added.values()).count(content))
        assert sum(1 for new in moved if added[new] == content) == both
    items = list(added.items())
    random.shuffle(known)  # type: ignore[attr-defined]
    random.shuffle(items)  # type: ignore[attr-defined]
    assert renames(known, dict(items)) == moved
