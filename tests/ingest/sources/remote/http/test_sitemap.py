"""Sitemaps are read for what they list, and nothing else happens."""

from __future__ import annotations

import gzip

import pytest

from ingest.sources.remote.http.sitemap import Page, pages_of

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(**maps: bytes) -> list[Page]:
    return list(pages_of("main", lambda url, most: maps[url]))


def test_pages_and_their_last_change_are_read_with_and_without_namespace() -> None:
    page = b"<url><loc> https://x.org/a </loc><lastmod>2026-01-01</lastmod></url><url><loc>https://x.org/b</loc></url><url/>"
    expected = [Page("https://x.org/a", "2026-01-01"), Page("https://x.org/b")]
    assert read(main=b"<urlset>" + page + b"</urlset>") == expected
    assert read(main=f"<urlset {NS}>".encode() + page + b"</urlset>") == expected
    assert read(main=gzip.compress(b"<urlset>" + page + b"</urlset>")) == expected


def test_an_index_that_leads_back_to_itself_ends() -> None:
    index = b"<sitemapindex><sitemap><loc>main</loc></sitemap><sitemap><loc>other</loc></sitemap></sitemapindex>"
    assert read(main=index, other=b"<urlset><url><loc>https://x.org/a</loc></url></urlset>") == [Page("https://x.org/a")]


@pytest.mark.parametrize("data", [
    b"", b"<urlset>", b"<html></html>", b"not xml", gzip.compress(b"<urlset/>", mtime=0)[:-4], b"\x1f\x8bnothing",
    b'<!DOCTYPE urlset [<!ENTITY a "aaaa">]><urlset><url><loc>&a;</loc></url></urlset>',
    b'<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>',
    '<!DOCTYPE urlset [<!ENTITY a "b">]><urlset/>'.encode("utf-16"),
])
def test_what_is_no_sitemap_is_an_error_and_never_an_empty_list(data: bytes) -> None:
    with pytest.raises(ValueError, match="sitemap"):
        read(main=data)


def test_a_packed_sitemap_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.sources.remote.http.sitemap.MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="unpacks to more"):
        read(main=gzip.compress(b" " * 100_000))
