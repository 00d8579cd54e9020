"""URLs as places: one spelling for one place, nothing secret in it, and nothing outside of it below it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.errors import UsageError
from ingest.model.source import Root
from ingest.sources.roots import Selection, resolve
from ingest.sources.url import below, is_url, masked, typed_path, typed_url


@pytest.mark.parametrize(("typed", "place"), [
    ("s3://bucket/docs", "s3://bucket/docs"), ("s3://bucket/docs/", "s3://bucket/docs"), ("s3:/bucket/docs", "s3://bucket/docs"),
    ("S3://bucket", "s3://bucket"), ("https://X.org:443/a%7eb/手册/", "https://x.org/a~b/%E6%89%8B%E5%86%8C"),
    ("abfs://box@account.dfs.core.windows.net/docs", "abfs://box@account.dfs.core.windows.net/docs"),
    ("sftp://me@host:2222/srv/docs", "sftp://me@host:2222/srv/docs"), ("s3://bucket/a%2Fb", "s3://bucket/a%2Fb"),
    ("docs", None), ("/srv/docs", None), ("C:/docs", None), ("file:///srv/docs", None), ("./s3:/bucket", None),
])
def test_what_is_typed_is_one_place(typed: str, place: str | None) -> None:
    assert typed_url(typed) == place
    assert place is None or is_url(place)


def test_a_folder_of_that_name_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s3:" / "bucket").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert typed_url("s3:/bucket") is None and typed_url("s3://bucket") == "s3://bucket"


def test_a_file_url_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    assert typed_path((tmp_path / "a b").as_uri()) == str(tmp_path / "a b")
    assert resolve([(tmp_path / "a b").as_uri()], {}) == [Selection(Root("a b", str(tmp_path.resolve() / "a b")))]


@pytest.mark.parametrize("typed", [
    "https://me:hunter2@x.org/docs", "sftp://me:hunter2@host/docs", "s3://hunter2:x@bucket/docs", "https://hunter2@x.org/docs",
    "https://x.org/docs?sig=hunter2", "s3://bucket/docs#hunter2", "az://box:hunter2@account/docs",
])
def test_credentials_are_refused_and_not_repeated(typed: str) -> None:
    with pytest.raises(UsageError) as refused:
        typed_url(typed)
    assert "hunter2:" not in str(refused.value) and ":hunter2" not in str(refused.value) and "sig=" not in str(refused.value)


@pytest.mark.parametrize("typed", ["s3://bucket/a/../b", "s3://bucket//a", "https://x.org/%2e%2e/a", "s3://bucket/.", "s3://b/a\nb"])
def test_what_is_no_place_is_refused(typed: str) -> None:
    with pytest.raises(UsageError):
        typed_url(typed)


def test_what_lies_below_is_spelled_as_sources_are() -> None:
    assert below("s3://bucket/docs", "s3://bucket/docs") == ""
    assert below("s3://bucket/docs", "s3://bucket/docs/a%20b") == "a%20b"
    assert below("https://x.org/docs", "https://x.org/docs/a%20b") == "a b"
    assert below("s3://bucket/docs", "s3://bucket/docsy") is None


def test_a_url_becomes_a_root_and_what_lies_below_narrows_it() -> None:
    docs = Root("docs", "s3://bucket/docs")
    assert resolve(["s3://bucket/docs/"], {}) == [Selection(docs)]
    assert resolve(["s3://bucket"], {}, "all") == [Selection(Root("all", "s3://bucket"))]
    assert resolve(["s3://bucket/docs/sub/a.md.meta.yaml"], {"docs": docs}) == [Selection(docs, "sub/a.md")]
    assert resolve(["s3://bucket/docs/sub", "s3://bucket/docs"], {}) == [Selection(docs)]
    assert resolve([], {"docs": docs}) == [Selection(docs)]


def test_roots_do_not_lie_inside_one_another_and_a_name_stays_with_its_place(tmp_path: Path) -> None:
    docs = Root("docs", "s3://bucket/docs")
    with pytest.raises(UsageError, match="contains the root"):
        resolve(["s3://bucket"], {"docs": docs})
    with pytest.raises(UsageError, match="already the name of the root at s3://bucket/docs"):
        resolve(["s3://other/docs"], {"docs": docs})
    (tmp_path / "docs").mkdir()
    with pytest.raises(UsageError, match="already the name"):
        resolve([tmp_path / "docs"], {"docs": docs})
    gone = Root("docs", str(tmp_path / "gone"))
    assert resolve(["s3://bucket/docs"], {"docs": gone}) == [Selection(docs)]
    assert resolve(["s3://bucket/docs"], {"docs": Root("docs", "")}) == [Selection(docs)]


def test_what_is_shown_of_a_url_has_no_secret() -> None:
    assert masked("https://me:x@y.org/a?sig=1") == "https://***@y.org/a"
    assert masked("https://y.org/a@b:c@d") == "https://y.org/a@b:c@d"
    assert masked("https://ghp_secret@y.org/a") == "https://***@y.org/a"
    assert masked("abfs://box@account.dfs.core.windows.net/a") == "abfs://box@account.dfs.core.windows.net/a"


@pytest.mark.parametrize("url", [
    "https://ghp_secret@host/x", "sftp://user:secret/ss@host/x", "https://host:secret/a", "https://host:99999/secret", "s3://:secret/a",
])
def test_no_secret_is_taken_into_a_root_or_told_in_the_refusal(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        typed_url(url)
    assert "secret" not in str(refused.value)
