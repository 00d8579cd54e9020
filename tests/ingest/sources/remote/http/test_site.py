"""A web site as a root: which pages are its sources, and when one is read again."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from ingest.errors import DocumentTooLarge
from ingest.protocols import Listed, Unlisted
from ingest.settings import RootPart
from ingest.sources.remote.http.site import Site, connect, path_of
from ingest.sources.remote.patience import Unreachable

PAGE = "<html><body><main><h1>Limits</h1><p>A node accepts 20000 connections.</p></main></body></html>"


def opened(site: Any, **part: Any) -> Site:
    made = connect(f"{site.url}/docs", RootPart(**{"private": True, "per_second": 1000, "backoff_seconds": 0.001, **part}))
    assert isinstance(made, Site)
    return made


def listed(site: Any, known: dict[str, str] | None = None, **part: Any) -> dict[str, Listed | Unlisted]:
    return {one.path: one for one in opened(site, **part).listing(known or {})}


def tokens(site: Any) -> dict[str, str]:
    """Read everything; return what it was read under."""
    reading = opened(site)
    return {one.path: reading.read(one, 10_000).token for one in reading.listing({}) if isinstance(one, Listed)}


def test_pages_of_a_sitemap_below_the_root_are_sources(site: Any) -> None:
    listing = ("limits.html", "guide/", "limits.html#top", "%E6%89%8B%E5%86%8C")
    site.sitemap("/docs", "/blog/news.html", *(f"/docs/{path}" for path in listing))
    assert sorted(listed(site)) == ["guide/index.html", "index.html", "limits.html", "手册"]
    assert [path for _, path, _ in site.requests if "sitemap" in path] == ["/docs/sitemap.xml"]


def test_an_index_of_packed_sitemaps_is_followed(site: Any) -> None:
    site.sitemap("/docs/a.html", at="/maps/1.xml")
    site.sitemap("/docs/b.html", at="/maps/2.xml")
    site.put("/maps/2.xml.gz", gzip.compress(site.pages.pop("/maps/2.xml").data), type="application/gzip")
    maps = "".join(f"<sitemap><loc>{site.url}/maps/{name}</loc></sitemap>" for name in ("1.xml", "2.xml.gz"))
    site.put("/sitemap.xml", f"<sitemapindex>{maps}</sitemapindex>", type="application/xml")
    assert sorted(listed(site)) == ["a.html", "b.html"]
    del site.pages["/maps/2.xml.gz"]
    with pytest.raises(OSError, match=r"2\.xml\.gz is not there"):
        listed(site)


def test_pages_may_be_named_instead(site: Any) -> None:
    found = listed(site, pages=("limits.html", "guide?lang=en", "/private.html"))
    assert [path for path, one in found.items() if isinstance(one, Listed)] == ["limits.html", "guide?lang=en"]
    (outside,) = (one for one in found.values() if isinstance(one, Unlisted))
    assert "not below the root" in outside.reason and not outside.kept


def test_robots_txt_is_heeded_and_names_sitemaps(site: Any) -> None:
    site.put("/robots.txt", f"User-agent: *\nDisallow: /docs/drafts/\nSitemap: {site.url}/all.xml\n")
    site.sitemap("/docs/a.html", "/docs/drafts/b.html", at="/all.xml")
    found = listed(site)
    assert isinstance(found["a.html"], Listed)
    assert found["drafts/b.html"] == Unlisted("drafts/b.html", "robots.txt asks not to read it")
    assert isinstance(listed(site, robots=False, sitemap="/all.xml")["drafts/b.html"], Listed)
    site.faults["/robots.txt"] = [503] * 4
    with pytest.raises(ConnectionError):
        listed(site)


def test_a_page_that_is_the_same_is_asked_about_once_and_not_sent(site: Any) -> None:
    site.put("/docs/a.html", PAGE)
    site.put("/docs/b.html", PAGE, etag=None)
    site.sitemap("/docs/a.html", "/docs/b.html")
    known = tokens(site)
    site.asked()
    again = listed(site, known)
    assert {path: one.token for path, one in again.items() if isinstance(one, Listed)} == known
    assert site.statuses[-2:] == [304, 304] and sorted(site.asked()) == ["/docs/a.html", "/docs/b.html"]


def test_a_page_that_changed_has_another_token(site: Any) -> None:
    site.put("/docs/a.html", PAGE)
    site.sitemap("/docs/a.html")
    known = tokens(site)
    site.put("/docs/a.html", PAGE.replace("20000", "40000"))
    assert listed(site, known)["a.html"].token != known["a.html"]  # type: ignore[union-attr]


@pytest.mark.parametrize("said", [
    {"etag": None, "modified": None}, {"etag": 'W/"1"', "modified": None}, {"etag": 'W/"1"', "modified": "now"},
    {"etag": '"1"', "modified": "now"}, {"etag": None, "modified": "now"},
])
def test_what_cannot_vouch_for_bytes_is_no_token(site: Any, said: dict[str, Any]) -> None:
    from email.utils import formatdate

    site.put("/docs/a.html", PAGE, **{**said, **({"modified": formatdate(usegmt=True)} if said["modified"] == "now" else {})})
    site.sitemap("/docs/a.html")
    assert tokens(site) == {"a.html": ""}


def test_a_weak_etag_is_never_asked_about(site: Any) -> None:
    page = site.put("/docs/a.html", PAGE, etag='W/"1"')
    site.sitemap("/docs/a.html")
    known = tokens(site)
    assert known["a.html"]
    page.modified = "Wed, 15 Nov 2023 00:00:00 GMT"  # other bytes, said to mean the same
    assert listed(site, known)["a.html"].token != known["a.html"]  # type: ignore[union-attr]
    assert not any("If-None-Match" in headers for _, _, headers in site.requests)


def test_a_sitemap_that_tells_of_a_change_saves_the_question_and_one_that_tells_of_none_does_not(site: Any) -> None:
    site.put("/docs/a.html", PAGE)
    site.sitemap("/docs/a.html", **{"docs/a.html": "2026-01-01"})
    known = tokens(site)
    site.asked()
    assert listed(site, known)["a.html"].token == known["a.html"]  # type: ignore[union-attr]
    assert site.asked() == ["/docs/a.html"]
    site.sitemap("/docs/a.html", **{"docs/a.html": "2026-02-01"})
    assert listed(site, known)["a.html"].token == ""  # type: ignore[union-attr]
    assert site.asked() == []


def test_a_redirect_stays_below_the_root_and_at_its_host(site: Any, servers: Any) -> None:
    site.put("/docs/new.html", PAGE)
    site.put("/docs/old.html", "", status=301, headers={"Location": "new.html"})
    site.put("/docs/shut.html", "", status=302, headers={"Location": "/login"})
    site.put("/login", "<p>Sign in</p>")
    site.put("/docs/away.html", "", status=302, headers={"Location": "http://169.254.169.254/latest/meta-data"})
    site.put("/docs/round.html", "", status=302, headers={"Location": "round.html"})
    reading = opened(site)
    assert reading.read(Listed("old.html", f"{site.url}/docs/old.html"), 10_000).data == PAGE.encode()
    with pytest.raises(PermissionError, match="/login, which is not below the root"):
        reading.read(Listed("shut.html", f"{site.url}/docs/shut.html"), 10_000)
    with pytest.raises(PermissionError, match=r"169\.254\.169\.254:80, which is not allowed"):
        reading.read(Listed("away.html", f"{site.url}/docs/away.html"), 10_000)
    with pytest.raises(OSError, match="again and again"):
        reading.read(Listed("round.html", f"{site.url}/docs/round.html"), 10_000)


def test_a_private_address_is_refused_unless_it_is_meant(site: Any) -> None:
    site.put("/docs/a.html", PAGE)
    for root in (site.url, site.url.replace("127.0.0.1", "localhost")):
        reading = connect(f"{root}/docs", RootPart(pages=("a.html",), robots=False))
        with pytest.raises(PermissionError, match="private = true"):
            reading.read(Listed("a.html", f"{root}/docs/a.html"), 10_000)
    assert not site.requests


@pytest.mark.parametrize("statuses", [[503], [500, 429], [502, 503, 504]])
def test_what_passes_is_asked_again(site: Any, statuses: list[int]) -> None:
    site.put("/docs/a.html", PAGE)
    site.faults["/docs/a.html"] = list(statuses)
    assert opened(site).read(Listed("a.html", f"{site.url}/docs/a.html"), 10_000).data == PAGE.encode()
    assert len(site.asked()) == len(statuses) + 1


@pytest.mark.parametrize(("status", "error"), [(404, FileNotFoundError), (410, FileNotFoundError), (403, PermissionError),
                                               (401, PermissionError), (400, OSError), (418, OSError)])
def test_what_does_not_pass_is_asked_once(site: Any, status: int, error: type[Exception]) -> None:
    site.put("/docs/a.html", "no", status=status)
    with pytest.raises(error):
        opened(site).read(Listed("a.html", f"{site.url}/docs/a.html"), 10_000)
    assert len(site.asked()) == 1


@pytest.mark.parametrize("how", ["cut", "reset", "slow"])
def test_a_page_that_breaks_off_is_never_taken_for_whole(site: Any, how: str) -> None:
    site.put("/docs/a.html", PAGE, how=how)
    reading = opened(site, tries=2, timeout_seconds=0.3)
    with pytest.raises((ConnectionError, TimeoutError)):
        reading.read(Listed("a.html", f"{site.url}/docs/a.html"), 10_000)
    assert len(site.asked()) == 2


def test_a_site_that_is_away_is_not_asked_for_ever(site: Any) -> None:
    site.stop()
    reading = opened(site, tries=2)
    raised: list[type[BaseException]] = []
    for number in range(18):
        with pytest.raises((ConnectionError, Unreachable)) as error:
            reading.read(Listed(f"{number}", f"{site.url}/docs/{number}"), 10_000)
        raised.append(error.type)
    assert raised[15:] == [Unreachable] * 3 and Unreachable not in raised[:15]


def test_pages_are_bounded_packed_or_not(site: Any) -> None:
    site.put("/docs/large.html", b"x" * 20_000)
    site.put("/docs/bomb.html", gzip.compress(b"x" * 5_000_000), headers={"Content-Encoding": "gzip"})
    site.put("/docs/packed.html", gzip.compress(PAGE.encode()), headers={"Content-Encoding": "gzip"})
    site.put("/docs/torn.html", gzip.compress(PAGE.encode())[:-9], headers={"Content-Encoding": "gzip"})
    site.put("/docs/odd.html", b"?", headers={"Content-Encoding": "br"})
    reading = opened(site, tries=1)
    for name in ("large", "bomb"):
        with pytest.raises(DocumentTooLarge):
            reading.read(Listed(name, f"{site.url}/docs/{name}.html"), 10_000)
    assert reading.read(Listed("packed", f"{site.url}/docs/packed.html"), 10_000).data == PAGE.encode()
    with pytest.raises(ConnectionError, match="cut"):
        reading.read(Listed("torn", f"{site.url}/docs/torn.html"), 10_000)
    with pytest.raises(OSError, match="br"):
        reading.read(Listed("odd", f"{site.url}/docs/odd.html"), 10_000)


def test_who_asks_is_told_and_no_cookie_is_kept(site: Any) -> None:
    site.put("/docs/a.html", PAGE, headers={"Set-Cookie": "id=1"})
    reading = opened(site, agent="handbook-reader/1.0 (+mailto:docs@example.org)")
    for _ in range(2):
        reading.read(Listed("a.html", f"{site.url}/docs/a.html"), 10_000)
    for _, _, headers in site.requests:
        assert headers["User-Agent"] == "handbook-reader/1.0 (+mailto:docs@example.org)" and "Cookie" not in headers


@pytest.mark.parametrize(("url", "path"), [
    ("https://x.org/docs/a%20b.html", "a b.html"), ("https://x.org/docs/a%2Fb", "a%2Fb"), ("https://x.org/docs/", "index.html"),
    ("https://x.org/docs/p?q=a/b", "p?q=a%2Fb"), ("https://x.org/docsy/a", None), ("https://evil.org/docs/a", None),
    ("https://x.org:8443/docs/a", None), ("https://x.org/docs/%00a", "%00a"), ("https://x.org/docs/%2e%2e/a", "../a"),
])
def test_the_path_of_a_page_is_what_follows_the_root(url: str, path: str | None) -> None:
    assert path_of("https://x.org/docs", url) == path


@pytest.mark.parametrize(("root", "url", "path"), [
    ("http://x.org/docs", "https://x.org/docs/a", "a"), ("http://x.org:80/docs", "https://x.org:443/docs/a", "a"),
    ("http://x.org/docs", "https://x.org:8443/docs/a", None), ("http://x.org:8080/docs", "https://x.org/docs/a", None),
    ("https://x.org/docs", "http://x.org/docs/a", None), ("https://x.org/docs", "https://x.org:22/docs/a", None),
])
def test_a_page_elsewhere_on_the_host_is_not_of_the_root(root: str, url: str, path: str | None) -> None:
    assert path_of(root, url) == path
