"""What a look at a root finds, and what never becomes a source."""

import os
import random
import socket
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.errors import MetadataInvalid, RootUnavailable, SettingsInvalid
from ingest.model.source import Root
from ingest.settings import SourcesPart
from ingest.sources.scan import MOST_LINKS, Scan, Scanned, read, scan

PART = SourcesPart()
Tree = Callable[[dict[str, str | bytes]], Path]


def paths(found: Scan) -> list[str]:
    return [one.source.path for one in found.found]


def reasons(found: Scan) -> dict[str, str]:
    return {one.path: one.reason for one in found.skipped}


def one(found: Scan, path: str) -> Scanned:
    return next(scanned for scanned in found.found if scanned.source.path == path)


def test_files_are_found_in_the_order_of_their_paths(tree: Tree, root: Root) -> None:
    tree({"b.md": "b", "a/z.txt": "z", "a/手册.md": "m", "a-1.md": "x", "空.md": ""})
    found = scan(root, PART)
    assert paths(found) == sorted(["b.md", "a/z.txt", "a/手册.md", "a-1.md", "空.md"])
    assert (found.skipped, found.unreadable) == ([], [])
    assert one(found, "a/手册.md").source.uri == "docs/a/手册.md"


def test_a_signature_is_that_of_the_file(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "hello", "a.md.meta.yaml": "level: 1"})
    scanned = scan(root, PART).found[0]
    status = (base / "a.md").stat()
    assert tuple(scanned.stat) == (5, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    assert scanned.sidecar_stat is not None
    assert scanned.sidecar_stat.size == 8
    assert scanned.file == base.resolve() / "a.md"


@pytest.mark.parametrize(
    "name",
    [".hidden.md", ".git/config", "~$plan.docx", "x.tmp", "X.TMP", ".DS_Store", "Thumbs.db", "desktop.ini", "a.md~",
    ".a.md.swp", "a.swp",
     "#a.md#", "film.mp4.part", "a.crdownload", ".ingestignore"],
)
def test_hidden_and_temporary_files_are_no_sources(tree: Tree, root: Root, name: str) -> None:
    tree({"kept.md": "x", f"sub/{name}": "y"})
    assert paths(scan(root, PART)) == ["kept.md"]


@pytest.mark.parametrize("name", ["#notes.md", "a~b.md", "tmp.md", "temporary.part.md", "Ａ.md"])
def test_names_that_only_look_temporary_are_sources(tree: Tree, root: Root, name: str) -> None:
    tree({name: "x"})
    assert len(scan(root, PART).found) == 1


def test_a_knowledge_base_inside_a_root_is_not_read(tree: Tree, root: Root) -> None:
    tree({"a.md": "x", "kb/catalog.db": "x", "kb/builds/vector/1/x.bin": "x"})
    found = scan(root, PART)
    assert paths(found) == ["a.md"]
    assert "knowledge base" in reasons(found)["kb"]


# --- roots that are not there


def test_a_root_that_is_missing_or_no_folder_is_unavailable(tree: Tree, tmp_path: Path) -> None:
    base = tree({"a.md": "x"})
    for location in (tmp_path / "gone", base / "a.md", base / "a.md" / "below"):
        with pytest.raises(RootUnavailable, match="docs") as caught:
            scan(Root("docs", str(location)), PART)
        assert caught.value.exit_code == 6


def test_a_root_that_cannot_be_listed_is_unavailable(tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    deny(tree({"a.md": "x"}), monkeypatch)
    with pytest.raises(RootUnavailable, match="Permission denied"):
        scan(root, PART)


def deny(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make one folder unreadable, for any user that runs the tests."""
    real = os.scandir

    def refusing(path: str) -> object:
        if os.path.realpath(path) == os.path.realpath(folder):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", refusing)


def test_a_folder_that_cannot_be_listed_is_not_taken_for_empty(
    tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree({"a.md": "x", "private/b.md": "y", "private/deep/c.md": "z"})
    deny(base / "private", monkeypatch)
    found = scan(root, PART)
    assert paths(found) == ["a.md"]
    assert found.unreadable == ["private"]
    assert "kept" in reasons(found)["private"]


def test_a_file_that_cannot_be_looked_at_is_not_taken_for_gone(
    tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree({"a.md": "x", "b.md": "y"})
    (base / "c.md").symlink_to("b.md")
    real = Path.lstat

    def refusing(path: Path) -> os.stat_result:
        if path.name == "b.md":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "lstat", refusing)
    found = scan(root, PART)
    assert paths(found) == ["a.md", "b.md"]
    assert found.unreadable == ["c.md"]


# --- narrowing


@pytest.mark.parametrize(
    ("within", "expected"),
    [("a", ["a/1.md", "a/b/2.md"]), ("a/b", ["a/b/2.md"]), ("a/1.md", ["a/1.md"]), ("3.md", ["3.md"]), ("gone.md", []),
    ("a/gone", []),
     ("3.md/below", []), ("a/", ["a/1.md", "a/b/2.md"]), (None, ["3.md", "a/1.md", "a/b/2.md"])],
)
def test_a_path_narrows_the_scan(tree: Tree, root: Root, within: str | None, expected: list[str]) -> None:
    tree({"a/1.md": "x", "a/b/2.md": "x", "3.md": "x", "3.md.meta.yaml": "level: 1"})
    assert paths(scan(root, PART, within)) == expected


def test_narrowing_finds_what_a_whole_scan_finds(tree: Tree, root: Root) -> None:
    base = tree({"a/1.md": "x", "a/1.md.meta.yaml": "level: 1", "a/skip.log": "x", ".ingestignore": "*.log",
    "a/.hidden/x.md": "x"})
    (base / "link").symlink_to("a")
    whole = scan(root, PART)
    for scanned in whole.found:
        assert scan(root, PART, scanned.source.path).found == [scanned]
    for path in ("a/skip.log", "a/.hidden/x.md"):
        narrowed = scan(root, PART, path)
        assert narrowed.found == []
        assert narrowed.skipped, "asked for by name, so its absence is explained"


# --- ignoring


def test_ignore_files_work_as_in_git(tree: Tree, root: Root) -> None:
    tree({
        ".ingestignore": "# 注释\n*.log\n!keep.log\n/top.md\nbuild/\n草稿*\nnever/\n!never/x.md\n",
        "a.log": "", "keep.log": "", "top.md": "", "sub/top.md": "", "build/x.md": "", "sub/build/y.md": "",
        "sub/草稿一.md": "",
        "never/x.md": "", "sub/.ingestignore": "!a.log\n*.txt\n/only-here.md\n", "sub/a.log": "", "sub/b.txt": "", "b.txt": "",
        "sub/only-here.md": "", "sub/deep/only-here.md": "", "sub/deep/a.log": "", "sub/deep/.ingestignore": "*.log\n",
        "buildings": "",
    })
    assert paths(scan(root, PART)) == [
        "b.txt", "buildings", "keep.log", "sub/a.log", "sub/deep/only-here.md", "sub/top.md",
    ]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        # A folder that a pattern brings back does not bring back what another one ignores in it.
        ({".ingestignore": "*.log\n", "bar/.ingestignore": "!d\n", "bar/d/c.log": "", "bar/d/e.md": ""}, ["bar/d/e.md"]),
        ({".ingestignore": "bar/\n!foo/\n", "foo/bar/a.md": "", "foo/b.md": ""}, ["foo/b.md"]),
        # `a/**` is what is in a, not a itself, so single files of it can be brought back.
        ({".ingestignore": "a/**\n!a/keep.md\n", "a/keep.md": "", "a/b.md": ""}, ["a/keep.md"]),
        ({".ingestignore": "a/**\n!a\n", "a/a/a": "", "a/b": ""}, ["a/a/a"]),
        ({".ingestignore": "*\n!*/\n!*.md\n", "a/b/c.md": "", "a/b/c.txt": ""}, ["a/b/c.md"]),
        ({".ingestignore": "a/\n", "a/b.md": "", "c/a/d.md": "", "c/e/a": ""}, ["c/e/a"]),
    ],
)
def test_patterns_name_entries_and_not_what_is_below_them(
    tree: Tree, root: Root, files: dict[str, str | bytes], found: list[str]
) -> None:
    tree(files)
    assert paths(scan(root, PART)) == found


def test_patterns_of_settings_come_before_those_of_files(tree: Tree, root: Root) -> None:
    tree({"a.bak": "", "b.bak": "", "c/d.bak": "", ".ingestignore": "!b.bak\n", "x.md": ""})
    assert paths(scan(root, SourcesPart(ignore=("*.bak",)))) == ["b.bak", "x.md"]


def test_patterns_match_names_in_any_normal_form(tree: Tree, root: Root) -> None:
    tree({unicodedata.normalize("NFD", "café.md"): "", ".ingestignore": "café.md\n"})
    assert paths(scan(root, PART)) == []
    tree({".ingestignore": unicodedata.normalize("NFD", "café.md\n")})
    assert paths(scan(root, PART)) == []


def test_a_pattern_of_settings_that_cannot_be_read_is_an_error(tree: Tree, root: Root) -> None:
    tree({"a.md": ""})
    for pattern in ("!", "[z-a]"):
        with pytest.raises(SettingsInvalid, match="ignore"):
            scan(root, SourcesPart(ignore=(pattern,)))


@pytest.mark.parametrize("content", ["!", "[z-a]\n"])
def test_an_ignore_file_that_cannot_be_read_hides_its_folder(tree: Tree, root: Root, content: str) -> None:
    tree({"a.md": "", "private/.ingestignore": content, "private/secret.md": ""})
    found = scan(root, PART)
    assert paths(found) == ["a.md"]
    assert found.unreadable == ["private"]


def test_an_ignore_file_that_is_a_link_out_of_the_root_or_a_pipe_hides_its_folder(
    tree: Tree, root: Root, tmp_path: Path
) -> None:
    base = tree({"a.md": "", "one/x.md": "", "two/y.md": ""})
    (tmp_path / "elsewhere").write_text("*.log")
    (base / "one/.ingestignore").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(base / "two/.ingestignore")
    found = scan(root, PART)
    assert paths(found) == ["a.md"]
    assert found.unreadable == ["one", "two"]


# --- sidecars


def test_sidecars_belong_to_their_file_and_are_no_sources(tree: Tree, root: Root) -> None:
    tree({"a.pdf": "x", "a.pdf.meta.yaml": "level: 1", "报告.docx": "y", "报告.docx.meta.yaml": "level: 2", "b.md": "z"})
    found = scan(root, PART)
    assert paths(found) == ["a.pdf", "b.md", "报告.docx"]
    assert {s.source.path: s.sidecar.name if s.sidecar else None for s in found.found} == {
        "a.pdf": "a.pdf.meta.yaml", "报告.docx": "报告.docx.meta.yaml", "b.md": None,
    }


def test_a_sidecar_works_even_when_a_pattern_ignores_it(tree: Tree, root: Root) -> None:
    tree({"a.md": "x", "a.md.meta.yaml": "level: 1", ".ingestignore": "*.yaml\n*.meta.*\n"})
    assert scan(root, SourcesPart(ignore=("*.yaml",))).found[0].sidecar is not None


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_a_sidecar_belongs_to_its_file_in_any_normal_form(tree: Tree, root: Root, forms: tuple[str, str]) -> None:
    file, sidecar = (unicodedata.normalize(form, "café.md") for form in forms)  # type: ignore[arg-type]
    tree({file: "x", sidecar + ".meta.yaml": "level: 1"})
    (scanned,) = scan(root, PART).found
    assert scanned.source.path == unicodedata.normalize("NFC", "café.md")
    assert scanned.sidecar is not None


def test_an_orphan_sidecar_is_reported(tree: Tree, root: Root) -> None:
    tree({"a.md": "x", "gone.pdf.meta.yaml": "level: 1", "._x.md.meta.yaml": "apple", ".hidden.md": "",
        ".hidden.md.meta.yaml": ""})
    found = scan(root, PART)
    assert paths(found) == ["a.md"]
    assert list(reasons(found)) == ["gone.pdf.meta.yaml"]


@pytest.mark.parametrize(
    "sidecar",
    ["report.meta.yaml", "report.pdf.meta.yml", "REPORT.PDF.meta.yaml", "report.pdf.META.YAML", "Report.Meta.Yml",
    "report.pdf.meta.yaml.txt",
     ".meta.yaml", ".meta.yml"],
)
def test_a_misnamed_sidecar_withholds_what_it_was_meant_for(tree: Tree, root: Root, sidecar: str) -> None:
    tree({"d/report.pdf": "x", f"d/{sidecar}": "level: 3", "e/report.pdf": "y"})
    found = scan(root, PART)
    assert paths(found) == ["d/report.pdf", "e/report.pdf"]
    assert one(found, "e/report.pdf").problem is None
    with pytest.raises(MetadataInvalid, match=r"sidecar|meta"):
        read(one(found, "d/report.pdf"), 100)


def test_a_misnamed_sidecar_does_not_touch_files_that_have_their_own(tree: Tree, root: Root) -> None:
    tree({"r.pdf": "x", "r.pdf.meta.yaml": "level: 1", "r.docx": "y", "r.meta.yaml": "level: 1"})
    found = scan(root, PART)
    assert one(found, "r.pdf").problem is None
    assert one(found, "r.docx").problem is not None


def test_a_sidecar_beside_a_folder_withholds_all_that_is_in_it(tree: Tree, root: Root) -> None:
    tree({"private/a.md": "x", "private/deep/b.md": "y", "private.meta.yaml": "users: [li.na]", "c.md": "z"})
    found = scan(root, PART)
    assert [(s.source.path, s.problem is None) for s in found.found] == [
        ("c.md", True), ("private/a.md", False), ("private/deep/b.md", False),
    ]


def test_two_sidecars_of_one_file_withhold_it(tree: Tree, root: Root) -> None:
    nfc, nfd = (unicodedata.normalize(form, "é.md.meta.yaml") for form in ("NFC", "NFD"))
    tree({"\u00e9.md": "x", nfc: "level: 1", nfd: "level: 2"})
    assert scan(root, PART).found[0].problem is not None


def test_a_sidecar_that_is_no_file_or_leads_out_withholds_its_file(tree: Tree, root: Root, tmp_path: Path) -> None:
    base = tree({"a.md": "x", "b.md": "x", "c.md": "x", "d.md": "x", "shared/policy.yaml": "level: 2"})
    (base / "a.md.meta.yaml").mkdir()
    os.mkfifo(base / "b.md.meta.yaml")
    (tmp_path / "policy.yaml").write_text("level: 0")
    (base / "c.md.meta.yaml").symlink_to(tmp_path / "policy.yaml")
    (base / "d.md.meta.yaml").symlink_to("shared/policy.yaml")
    found = scan(root, PART)
    assert [one(found, f"{name}.md").problem is None for name in "abcd"] == [False, False, False, True]
    assert read(one(found, "d.md"), 100).sidecar == b"level: 2"


def test_a_broken_link_as_sidecar_withholds_its_file(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x"})
    (base / "a.md.meta.yaml").symlink_to("nowhere")
    assert scan(root, PART).found[0].problem is not None


# --- links


def test_a_link_that_stays_inside_is_a_source_of_its_own_path(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x", "sub/b.md": "y"})
    (base / "link.md").symlink_to("a.md")
    (base / "folder").symlink_to("sub")
    (base / "absolute.md").symlink_to(base / "a.md")
    found = scan(root, PART)
    assert paths(found) == ["a.md", "absolute.md", "folder/b.md", "link.md", "sub/b.md"]
    assert read(one(found, "folder/b.md"), 10).data == b"y"
    assert read(one(found, "link.md"), 10).data == b"x"


def test_a_link_that_leaves_the_root_is_reported_and_not_followed(tree: Tree, root: Root, tmp_path: Path) -> None:
    base = tree({"a.md": "x"})
    (tmp_path / "docs-private").mkdir()
    (tmp_path / "docs-private/secret.md").write_text("s")
    for name, target in [("out.md", "../docs-private/secret.md"), ("folder", "../docs-private"), ("up", ".."), ("etc", "/etc"),
                         ("chain", "folder/secret.md"), ("nowhere", "missing.md"), ("self", "self")]:
        (base / name).symlink_to(target)
    found = scan(root, PART)
    assert paths(found) == ["a.md"]
    assert set(reasons(found)) | set(found.unreadable) == {"out.md", "folder", "up", "etc", "chain", "nowhere", "self"}


def test_links_in_a_circle_end(tree: Tree, root: Root) -> None:
    base = tree({"a/x.md": "x", "b/y.md": "y"})
    (base / "a/to-b").symlink_to("../b")
    (base / "b/to-a").symlink_to("../a")
    (base / "a/self").symlink_to(".")
    (base / "a/root").symlink_to("..")
    found = scan(root, PART)
    assert paths(found) == ["a/to-b/y.md", "a/x.md", "b/to-a/x.md", "b/y.md"]
    assert "back" in reasons(found)["a/self"]


def test_links_inside_links_are_bounded(tree: Tree, root: Root) -> None:
    base = tree({f"f{i}/x.md": "x" for i in range(12)})
    for i in range(11):
        for j in range(3):
            (base / f"f{i}/l{j}").symlink_to(f"../f{i + 1}")
    found = scan(root, PART)
    assert max(path.count("/l") for path in paths(found)) == MOST_LINKS
    assert len(found.found) <= 12 * (1 + 3 + 9 + 27)


def test_a_link_has_the_sidecar_of_what_it_points_to(tree: Tree, root: Root) -> None:
    base = tree({"private/a.md": "x", "private/a.md.meta.yaml": "users: [li.na]", "public/.keep": "", "mid/.keep": ""})
    (base / "mid/m.md").symlink_to("../private/a.md")
    (base / "public/b.md").symlink_to("../mid/m.md")
    found = scan(root, PART)
    assert read(one(found, "public/b.md"), 10).sidecar == b"users: [li.na]"
    # A link on the way, or the link itself, may say otherwise: somebody wrote it for that.
    (base / "mid/m.md.meta.yaml").write_text("level: 2")
    assert read(one(scan(root, PART), "public/b.md"), 10).sidecar == b"level: 2"
    (base / "public/b.md.meta.yaml").write_text("level: 3")
    assert read(one(scan(root, PART), "public/b.md"), 10).sidecar == b"level: 3"


def test_a_link_to_a_file_whose_sidecar_is_misnamed_is_withheld(tree: Tree, root: Root) -> None:
    base = tree({"private/a.md": "x", "private/a.meta.yaml": "users: [li.na]"})
    (base / "b.md").symlink_to("private/a.md")
    assert one(scan(root, PART), "b.md").problem is not None


def test_a_root_may_be_a_link_itself(tree: Tree, tmp_path: Path) -> None:
    base = tree({"a.md": "x"})
    (tmp_path / "here").symlink_to(base)
    found = scan(Root("docs", str(tmp_path / "here")), PART)
    assert read(found.found[0], 10).data == b"x"


# --- files that are not files


def test_special_files_are_reported_and_never_opened(tree: Tree, root: Root, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch) -> None:
    base = tree({"a.md": "x"})
    os.mkfifo(base / "pipe.md")
    (base / "link.md").symlink_to("pipe.md")
    monkeypatch.chdir(base)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s.md")
        found = scan(root, PART)
    assert paths(found) == ["a.md"]
    assert set(reasons(found)) == {"pipe.md", "link.md", "s.md"}


# --- names


def test_names_are_normalised(tree: Tree, root: Root) -> None:
    tree({unicodedata.normalize("NFD", "Übersicht/résumé.md"): "x"})
    assert paths(scan(root, PART)) == [unicodedata.normalize("NFC", "Übersicht/résumé.md")]


def test_two_names_of_one_path_are_one_source_and_a_report(tree: Tree, root: Root) -> None:
    nfc, nfd = (unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD"))
    tree({nfd: "decomposed", nfc: "composed"})
    found = scan(root, PART)
    assert paths(found) == [nfc]
    assert read(found.found[0], 100).data == b"composed"
    assert "normalisation" in reasons(found)[nfc]


def test_names_that_are_not_utf8_are_taken_and_reported(tree: Tree, root: Root) -> None:
    base = tree({"plain.md": "x"})
    for name in (b"\xb2\xe2\xca\xd4.txt", b"line\nbreak.md", b"back\\slash.md"):
        descriptor = os.open(os.fsencode(base) + b"/" + name, os.O_CREAT | os.O_WRONLY)
        os.close(descriptor)
    found = scan(root, PART)
    assert paths(found) == ["%B2%E2%CA%D4.txt", "back%5Cslash.md", "line%0Abreak.md", "plain.md"]
    assert set(reasons(found)) == {"%B2%E2%CA%D4.txt", "back%5Cslash.md", "line%0Abreak.md"}
    for scanned in found.found:
        scanned.source.uri.encode("utf-8")
        assert scanned.source.id.startswith("urn:kb:source:")
        read(scanned, 100)
    assert scan(root, PART, "%B2%E2%CA%D4.txt").found == [found.found[0]]


def test_a_name_that_is_spelled_like_an_escaped_one_keeps_its_path(tree: Tree, root: Root) -> None:
    base = tree({"%B2.txt": "literal"})
    os.close(os.open(os.fsencode(base) + b"/\xb2.txt", os.O_CREAT | os.O_WRONLY))
    found = scan(root, PART)
    assert paths(found) == ["%B2.txt"]
    assert read(found.found[0], 100).data == b"literal"


def test_a_scan_does_not_depend_on_the_order_of_the_file_system(
    tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["é.md", "a.md", "b.md", "sub/c.md", "r.pdf"]
    tree({**{unicodedata.normalize(form, name): form for name in names for form in ("NFC", "NFD")}, "r.meta.yaml": "level: 1"})
    first = scan(root, PART)
    real = os.scandir

    class Shuffled:
        def __init__(self, path: str) -> None:
            with real(path) as entries:
                self.entries = list(entries)
            random.Random(7).shuffle(self.entries)  # noqa: S311  # an order, not a secret

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self.entries

        def __exit__(self, *_: object) -> None:
            return None

    monkeypatch.setattr(os, "scandir", Shuffled)
    assert scan(root, PART) == first
