"""Bytes are those of the scanned file, whole, and of nothing outside the root."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.errors import DocumentTooLarge, DocumentUnreadable, MetadataInvalid
from ingest.model.source import Root
from ingest.settings import SourcesPart
from ingest.sources import content
from ingest.sources.content import SETTLED_NS, open_below, read
from ingest.sources.scan import scan

PART = SourcesPart()
Tree = Callable[[dict[str, str | bytes]], Path]
LATER = 1 << 62


def test_bytes_and_sidecar_are_read_and_hashed(tree: Tree, root: Root) -> None:
    tree({"a/b.md": "正文", "a/b.md.meta.yaml": "level: 1"})
    made = read(scan(root, PART).found[0], 100)
    assert (made.data, made.sidecar) == ("正文".encode(), b"level: 1")
    assert made.revision.content == hashlib.sha256("正文".encode()).hexdigest()
    assert made.revision.metadata == hashlib.sha256(b"level: 1").hexdigest()
    assert made.revision.size == 6


def test_without_a_sidecar_the_metadata_digest_is_empty(tree: Tree, root: Root) -> None:
    tree({"a.md": ""})
    made = read(scan(root, PART).found[0], 100)
    assert (made.data, made.sidecar, made.revision.metadata, made.sidecar_signature) == (b"", None, "", None)


def test_a_large_file_is_refused_before_it_is_read(tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    tree({"a.md": "x" * 101, "b.md": "x" * 100})
    large, fits = scan(root, PART).found
    assert len(read(fits, 100).data) == 100
    monkeypatch.setattr(content, "_all", None)
    with pytest.raises(DocumentTooLarge, match="max_bytes") as caught:
        read(large, 100)
    assert caught.value.uri == "docs/a.md"


def test_a_huge_sidecar_is_not_metadata(tree: Tree, root: Root) -> None:
    tree({"a.md": "x", "a.md.meta.yaml": b"#" * (1024 * 1024 + 1)})
    with pytest.raises(MetadataInvalid, match="larger"):
        read(scan(root, PART).found[0], 100)


def test_a_file_that_vanished_can_be_retried(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x", "d/b.md": "x"})
    found = scan(root, PART).found
    (base / "a.md").unlink()
    (base / "d/b.md").unlink()
    (base / "d").rmdir()
    for scanned in found:
        with pytest.raises(DocumentUnreadable) as caught:
            read(scanned, 100)
        assert caught.value.retryable
        assert caught.value.uri == scanned.source.uri


def refuse(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refusing(path: str, flags: int, *args: int, dir_fd: int | None = None) -> int:
        if path == name:
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, *args, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)


def test_a_file_without_permission_can_be_retried(tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    tree({"a.md": "x"})
    (scanned,) = scan(root, PART).found
    refuse("a.md", monkeypatch)
    with pytest.raises(DocumentUnreadable, match="Permission denied"):
        read(scanned, 100)


def test_a_sidecar_without_permission_closes_its_document(tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    tree({"a.md": "x", "a.md.meta.yaml": "level: 1"})
    (scanned,) = scan(root, PART).found
    refuse("a.md.meta.yaml", monkeypatch)
    with pytest.raises(MetadataInvalid, match="Permission denied"):
        read(scanned, 100)


def test_a_sidecar_that_appeared_since_the_scan_is_read(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x"})
    (scanned,) = scan(root, PART).found
    (base / "a.md.meta.yaml").write_text("users: [li.na]")
    made = read(scanned, 100)
    assert made.sidecar == b"users: [li.na]"
    assert made.revision.metadata


def test_a_sidecar_that_vanished_since_the_scan_is_not_taken_for_none(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x", "a.md.meta.yaml": "users: [li.na]"})
    (scanned,) = scan(root, PART).found
    (base / "a.md.meta.yaml").unlink()
    with pytest.raises(DocumentUnreadable, match="vanished"):
        read(scanned, 100)


# --- links swapped in after the scan


def test_a_file_swapped_for_a_link_is_not_followed(tree: Tree, root: Root, tmp_path: Path) -> None:
    base = tree({"a.md": "x", "a.md.meta.yaml": "level: 1"})
    (tmp_path / "secret").write_text("secret")
    (scanned,) = scan(root, PART).found
    (base / "a.md").unlink()
    (base / "a.md").symlink_to(tmp_path / "secret")
    with pytest.raises(DocumentUnreadable):
        read(scanned, 100)


def test_a_folder_swapped_for_a_link_is_not_followed(tree: Tree, root: Root, tmp_path: Path) -> None:
    base = tree({"deep/er/a.md": "x"})
    (tmp_path / "out/er").mkdir(parents=True)
    (tmp_path / "out/er/a.md").write_text("secret")
    (scanned,) = scan(root, PART).found
    (base / "deep").rename(base / "moved")
    (base / "deep").symlink_to(tmp_path / "out")
    with pytest.raises(DocumentUnreadable):
        read(scanned, 100)


def test_a_sidecar_swapped_for_a_link_closes_its_document(tree: Tree, root: Root, tmp_path: Path) -> None:
    base = tree({"a.md": "x", "a.md.meta.yaml": "level: 1"})
    (tmp_path / "open.yaml").write_text("level: 0")
    (scanned,) = scan(root, PART).found
    (base / "a.md.meta.yaml").unlink()
    (base / "a.md.meta.yaml").symlink_to(tmp_path / "open.yaml")
    with pytest.raises(MetadataInvalid):
        read(scanned, 100)


def test_a_file_swapped_for_a_pipe_does_not_block(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x"})
    (scanned,) = scan(root, PART).found
    (base / "a.md").unlink()
    os.mkfifo(base / "a.md")
    with pytest.raises(DocumentUnreadable, match="regular"):
        read(scanned, 100)


def test_nothing_outside_the_base_can_be_named(tree: Tree, tmp_path: Path) -> None:
    base = tree({"a.md": "x"})
    (tmp_path / "docs2").mkdir()
    (tmp_path / "docs2/b.md").write_text("y")
    for path in (str(tmp_path / "docs2/b.md"), "/etc/hostname", str(base)):
        with pytest.raises(OSError):
            open_below(str(base), path)


def test_no_descriptor_stays_open(tree: Tree, root: Root) -> None:
    tree({"a/b/c.md": "x", "a/d.md": "y" * 50})
    found = scan(root, PART).found
    before = os.dup(0)
    os.close(before)
    for _ in range(20):
        read(found[0], 100)
        with pytest.raises(DocumentTooLarge):
            read(found[1], 10)
        with pytest.raises(OSError):
            open_below(found[0].base, found[0].base + "/a/missing/x.md")
    after = os.dup(0)
    os.close(after)
    assert after == before, "the lowest free descriptor is what it was"


# --- files that change


def test_a_file_that_changes_while_it_is_read_is_read_again(tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tree({"a.md": "old text"})
    (scanned,) = scan(root, PART).found
    real = content._all
    calls: list[int] = []

    def racing(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        calls.append(size)
        if len(calls) == 1:
            (base / "a.md").write_text("new, longer text")
        return data

    monkeypatch.setattr(content, "_all", racing)
    assert read(scanned, 100).data == b"new, longer text"


def test_a_file_that_never_holds_still_is_a_failure(tree: Tree, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tree({"a.md": "x"})
    (scanned,) = scan(root, PART).found
    real = content._all

    def racing(descriptor: int, size: int) -> bytes:
        data = real(descriptor, size)
        with (base / "a.md").open("a") as file:
            file.write("more")
        return data

    monkeypatch.setattr(content, "_all", racing)
    with pytest.raises(DocumentUnreadable, match="written") as caught:
        read(scanned, 1000)
    assert caught.value.retryable


def test_a_young_file_is_not_trusted_by_its_signature(tree: Tree, root: Root) -> None:
    """An edit of equal size within the same tick of the file system's clock leaves the signature as it was."""
    base = tree({"a.md": "x", "a.md.meta.yaml": "level: 1"})
    (scanned,) = scan(root, PART).found
    changed = [(base / name).stat().st_ctime_ns for name in ("a.md", "a.md.meta.yaml")]
    for now, trusted in [(min(changed), False), (min(changed) + SETTLED_NS, False), (max(changed) + SETTLED_NS + 1, True)]:
        made = read(scanned, 100, now_ns=lambda now=now: now)  # type: ignore[misc]
        assert (made.signature is not None, made.sidecar_signature is not None) == (trusted, trusted)
    made = read(scanned, 100, now_ns=lambda: LATER)
    assert (made.signature, made.sidecar_signature) == (scanned.stat, scanned.sidecar_stat)


def test_a_file_from_the_future_is_not_trusted(tree: Tree, root: Root) -> None:
    base = tree({"a.md": "x"})
    os.utime(base / "a.md", ns=(LATER, LATER))
    (scanned,) = scan(root, PART).found
    assert read(scanned, 100, now_ns=lambda: LATER).signature is None
