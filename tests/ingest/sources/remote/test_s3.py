"""S3 in its own words: pages, parts, refusals, and answers that break off. The server is a real one, on loopback."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from ingest.protocols import Connector, Listed
from ingest.settings import RootPart
from ingest.sources.remote.connectors import connect

_names = itertools.count()
Open = Callable[..., Connector]


@pytest.fixture
def bucket(buckets: Any, reader: None) -> str:
    name = f"s3-{next(_names)}"
    buckets.fault = lambda method, path: None
    buckets.make(name)
    buckets.requests.clear()
    return name


@pytest.fixture
def opened(buckets: Any, bucket: str) -> Open:
    part = {"endpoint_url": buckets.url, "backoff_seconds": 0.001, "tries": 3}
    return lambda prefix="/docs", **other: connect(f"s3://{bucket}{prefix}", RootPart(**{**part, **other}))


def paths(connector: Connector) -> list[str]:
    return [one.path for one in connector.listing({})]


def test_a_listing_is_asked_for_page_by_page_and_no_further_than_it_is_used(
    buckets: Any, bucket: str, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.sources.remote.s3._PAGE", 4)
    for number in range(11):
        buckets.put(bucket, f"docs/{number:02}.md", "x")
    buckets.requests.clear()
    coming = opened().listing({})
    assert [next(coming).path for _ in range(4)] == ["00.md", "01.md", "02.md", "03.md"]
    assert len(buckets.requests) == 1
    assert len([*coming]) == 7 and len(buckets.requests) == 3


def test_a_path_asks_for_no_more_than_the_folders_that_lead_to_it(buckets: Any, bucket: str, opened: Open) -> None:
    for key in ("top.md", "sub/a.md", "sub/deep/b.md", "sub/other/c.md", "far/d.md"):
        buckets.put(bucket, f"docs/{key}", "x")
    buckets.requests.clear()
    found = [one.path for one in opened().listing({}, "sub/deep")]
    assert sorted(found) == ["sub/a.md", "sub/deep/b.md", "top.md"]
    assert len(buckets.requests) == 3
    assert len([*opened().listing({}, "sub/K.md")]) == 5  # another key may be spelled like this one: all are looked at


def test_keys_are_any_text(buckets: Any, bucket: str, opened: Open) -> None:
    names = {"a+b c&d.md", "what?.md", "#1.md", "100%41.md", "'quoted\".md", "两 文.md", "~tilde.md"}
    for name in names:
        buckets.put(bucket, f"docs/{name}", name)
    connector = opened()
    found = {one.path: connector.read(one, 100).data.decode() for one in connector.listing({}) if isinstance(one, Listed)}
    assert found == {name: name for name in names}


def test_markers_of_folders_and_neighbours_of_the_prefix_are_not_listed(buckets: Any, bucket: str, opened: Open) -> None:
    for key in ("docs/", "docs/sub/", "docs/sub/a.md", "docsy/b.md", "docs", "other.md"):
        buckets.put(bucket, key, "x" if key.endswith(".md") else "")
    assert paths(opened()) == ["sub/a.md"]
    assert "other.md" in paths(opened(prefix=""))


def test_an_object_written_in_parts_keeps_its_token(buckets: Any, bucket: str, opened: Open) -> None:
    put = {"Bucket": bucket, "Key": "docs/large.txt"}
    upload = buckets.client.create_multipart_upload(**put)["UploadId"]
    parts = [
        {"PartNumber": number, "ETag": buckets.client.upload_part(
            **put, UploadId=upload, PartNumber=number, Body=b"x" * size)["ETag"]}
        for number, size in ((1, 5 * 2**20), (2, 10))
    ]
    buckets.client.complete_multipart_upload(**put, UploadId=upload, MultipartUpload={"Parts": parts})
    connector = opened()
    (listed,) = connector.listing({})
    assert isinstance(listed, Listed) and '-2"' in listed.token
    fetched = connector.read(listed, 2**23)
    assert (len(fetched.data), fetched.token) == (5 * 2**20 + 10, listed.token)


def test_an_object_that_changed_since_it_was_listed_has_the_token_of_its_bytes(buckets: Any, bucket: str, opened: Open) -> None:
    buckets.put(bucket, "docs/a.md", "one")
    connector = opened()
    (listed,) = connector.listing({})
    buckets.put(bucket, "docs/a.md", "two")
    fetched = connector.read(listed, 100)  # type: ignore[arg-type]
    (now,) = connector.listing({})
    assert (fetched.data, fetched.token) == (b"two", now.token) and now.token != listed.token  # type: ignore[union-attr]


@pytest.mark.parametrize("status", [503, 500, 0])
def test_what_may_pass_is_asked_again(buckets: Any, bucket: str, opened: Open, status: int) -> None:
    buckets.put(bucket, "docs/a.md", "x" * 50)
    connector = opened()
    (listed,) = connector.listing({})
    count = itertools.count()
    buckets.fault = lambda method, path: status if next(count) < 2 else None
    assert connector.read(listed, 2000).data == b"x" * 50  # type: ignore[arg-type]
    assert next(count) == 3


@pytest.mark.parametrize(("status", "error"), [(403, PermissionError), (404, FileNotFoundError)])
def test_what_does_not_pass_is_asked_once_and_says_no_name(
    buckets: Any, bucket: str, opened: Open, status: int, error: type[Exception]
) -> None:
    count = itertools.count()
    buckets.fault = lambda method, path: status if next(count) >= 0 else None
    with pytest.raises(error) as refused:
        paths(opened())
    assert next(count) == 1 and "AKIDSECRET" not in str(refused.value)


def test_an_answer_that_always_breaks_off_is_never_taken_for_whole(buckets: Any, bucket: str, opened: Open) -> None:
    buckets.put(bucket, "docs/a.md", "x" * 50)
    connector = opened()
    (listed,) = connector.listing({})
    buckets.fault = lambda method, path: 0
    with pytest.raises(ConnectionError):
        connector.read(listed, 2000)  # type: ignore[arg-type]


def test_without_credentials_it_says_where_they_are_looked_for(
    buckets: Any, bucket: str, opened: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    buckets.put(bucket, "docs/a.md", "x")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "BOTO_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    with pytest.raises(PermissionError, match="AWS_"):
        paths(opened())
    assert paths(opened(anonymous=True)) == ["a.md"]
