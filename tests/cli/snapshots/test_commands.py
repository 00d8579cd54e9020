"""The other subcommands of `ingest snapshots`, as somebody sees them who types them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHOWN = {
    "generation", "snapshot", "head", "origin", "published_at", "confirmed_at", "hold", "facts", "builds", "sources", "settings",
    "fingerprints", "engines", "scoring", "registry", "before", "changes", "shape",
}


@pytest.fixture
def two(ingest: Callable[..., Any], docs: Path) -> Path:
    """A base of two generations in `.kb`."""
    ingest("run", "docs")
    (docs / "手册.md").write_text((docs / "手册.md").read_text(encoding="utf-8").replace("两万", "三万"), encoding="utf-8")
    ingest("run", "docs")
    return docs


def test_show_says_what_a_generation_consists_of(ingest: Callable[..., Any], two: Path) -> None:
    out = ingest("snapshots", "show").out
    assert out.startswith("generation 2, the newest (run)\n")
    for line in ("documents: 2", "  states     2 served", "settings chunk", "made by  embed", "what generation 1 had otherwise"):
        assert line in out, out
    assert set(ingest("snapshots", "show", "1", "--json").json) == SHOWN
    assert ingest("snapshots", "show", "9").code == 1


def test_rollback_says_what_it_took_back_and_what_comes_next(ingest: Callable[..., Any], two: Path) -> None:
    out = ingest("snapshots", "rollback", "1").out.splitlines()
    assert out[0].startswith("published generation 3 with the content of 1 (snapshot ")
    assert out[1:] == [
        "  documents: 1 changed back", "  chunks:    1 brought back, 1 taken out, 1 changed back",
        "what that changed: ingest snapshots diff 2 3", "runs are on hold until: ingest snapshots release",
    ]
    assert "on hold    runs are refused" in ingest("snapshots", "show").out
    assert ingest("run", "docs").code == 7
    assert ingest("snapshots", "release").out == "released; bring it up to its sources with: ingest run\n"
    assert ingest("snapshots", "release").out == "there was no hold\n"


def test_rollback_of_what_is_damaged_or_not_kept_is_refused_and_sets_no_hold(ingest: Callable[..., Any], two: Path) -> None:
    manifest = ingest("snapshots", "show", "1", "--json").json
    build = next(build for build in manifest["builds"] if build["kind"] == "bm25")
    victim = Path(".kb/builds/bm25") / build["id"] / "build.bm25"
    victim.write_bytes(victim.read_bytes()[:-1])
    ended = ingest("snapshots", "rollback", "1")
    assert ended.code == 5 and "ingest verify --generation 1" in ended.err
    assert ingest("snapshots", "rollback", "7").code == 1
    assert ingest("snapshots", "rollback", "2").code == 2
    assert ingest("snapshots", "list", "--json").json["hold"] is None
    assert ingest("run", "docs").code == 0


def test_prune_names_what_somebody_reads(ingest: Callable[..., Any], two: Path) -> None:
    from flows.opening import reading
    from ingest.settings import load

    with reading(load(), 1):
        ended = ingest("snapshots", "prune", "--keep", "1")
        assert ended.out == "nothing to drop\nsomebody reads 1; they go with a later run or prune\n"
    assert ingest("snapshots", "prune", "--keep", "1").out == "dropped 1\n"


def test_export_and_import_say_what_they_did_and_what_comes_next(ingest: Callable[..., Any], two: Path, tmp_path: Path) -> None:
    import hashlib

    out = ingest("snapshots", "export", "a b.tar.zst").out
    assert "exported generation 2" in out and "2 documents" in out and "import 'a b.tar.zst' --kb DIR" in out
    assert f"sha256 {hashlib.sha256((tmp_path / 'a b.tar.zst').read_bytes()).hexdigest()}" in out
    out = ingest("snapshots", "import", "a b.tar.zst", "--kb", "there").out
    assert "imported generation 2" in out and "ingest check PATH --name docs --kb there" in out
    assert ingest("check", "docs", "--kb", "there").code == 0
    assert ingest("search", "三万", "--mode", "bm25", "--kb", "there").code == 0
    assert ingest("snapshots", "import", "a b.tar.zst", "--kb", "there").code == 2


def test_export_and_import_print_json(ingest: Callable[..., Any], two: Path) -> None:
    made = ingest("snapshots", "export", "kb", "--generation", "1", "--with-cache", "--json").json
    assert set(made) == {"generation", "snapshot", "file", "bytes", "sha256", "documents", "chunks", "vectors"}
    assert made["generation"] == 1 and made["vectors"] == made["chunks"]
    got = ingest("snapshots", "import", "kb", "--kb", "there", "--json").json
    assert set(got) == {"generation", "snapshot", "kb", "documents", "chunks", "vectors", "roots", "warnings"}
    assert (got["snapshot"], got["roots"]) == (made["snapshot"], ["docs"])


def test_a_refused_import_says_why_and_leaves_no_folder(ingest: Callable[..., Any], two: Path, tmp_path: Path) -> None:
    ingest("snapshots", "export", "kb")
    data = (tmp_path / "kb").read_bytes()
    (tmp_path / "cut").write_bytes(data[: len(data) // 2])
    ended = ingest("snapshots", "import", "cut", "--kb", "there")
    assert (ended.code, ended.out) == (5, "") and ended.err.startswith("ingest: ArchiveCorrupt: cut: ")
    assert not (tmp_path / "there").exists()
    shutil.rmtree(".kb")
    assert ingest("snapshots", "import", "kb").code == 0
    assert ingest("check", "docs").code == 0
