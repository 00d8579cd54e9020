"""robots.txt: what it says, that it may be absent, and that a server that fails says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.settings import RootPart
from ingest.sources.remote.http.client import Client
from ingest.sources.remote.http.robots import read_robots
from ingest.sources.remote.patience import Patience


def rules(site: Any) -> Any:
    part = RootPart(private=True, per_second=1000, tries=1)
    return read_robots(Client(f"{site.url}/docs", part, Patience(part)), f"{site.url}/docs")


def test_rules_delay_and_sitemaps_are_read_for_who_asks(site: Any) -> None:
    ours, others = "User-agent: concord-kb\nDisallow: /docs/a\nCrawl-delay: 3\n", "User-agent: *\nDisallow: /\n"
    site.put("/robots.txt", f"{ours}\n{others}Sitemap: {site.url}/s.xml")
    found = rules(site)
    assert found.can_fetch("concord-kb", f"{site.url}/docs/b") and not found.can_fetch("concord-kb", f"{site.url}/docs/a")
    assert not found.can_fetch("other", f"{site.url}/docs/b")
    assert found.crawl_delay("concord-kb") == 3 and found.site_maps() == [f"{site.url}/s.xml"]


@pytest.mark.parametrize("status", [404, 403, 401, 410, 400])
def test_where_there_is_none_everything_may_be_read(site: Any, status: int) -> None:
    site.put("/robots.txt", "User-agent: *\nDisallow: /", status=status)
    assert rules(site).can_fetch("concord-kb", f"{site.url}/docs/a")


@pytest.mark.parametrize("status", [500, 503, 429])
def test_where_the_server_fails_nothing_is_known(site: Any, status: int) -> None:
    site.put("/robots.txt", "", status=status)
    with pytest.raises(ConnectionError):
        rules(site)


def test_one_that_is_too_large_is_an_error_of_the_root_that_says_what_to_do(site: Any) -> None:
    site.put("/robots.txt", "#" * (600 * 1024))
    with pytest.raises(OSError, match="robots = false"):
        rules(site)
