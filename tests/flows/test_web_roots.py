"""A web site goes through the whole pipeline: asked whether it changed, read where it did, served where it cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.errors import RootUnavailable
from ingest.model.source import SourceRecord


def page(title: str, text: str) -> str:
    return f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"


GATE = page("云脉网关手册", "云脉网关是部署在企业边界的接入设备，安装前确认机柜有两路电源。")
LIMITS = page("Limits", "A node accepts 20000 connections. Beyond that it answers with ERR_1042 and keeps the ones it has.")
NOTES = "# Release notes\n\n## 2.1\n\nThe gateway keeps audit logs for 400 days.\n"


class Web:
    """A base whose root `docs` is a web site."""

    def __init__(self, base: Any, site: Any) -> None:
        self.base, self.site = base, site
        site.put("/docs/gate", GATE)
        site.put("/docs/limits.html", LIMITS)
        site.put("/docs/notes", NOTES, type="text/markdown; charset=utf-8")
        self.list("gate", "limits.html", "notes")
        base.set("sources", roots={"docs": {
            "private": True, "per_second": 1000, "backoff_seconds": 0.001, "tries": 2, "timeout_seconds": 5
        }})

    def list(self, *paths: str) -> None:
        self.site.sitemap(*(f"/docs/{path}" for path in paths))

    def run(self, **options: Any) -> Any:
        return self.base.run(Path(f"{self.site.url}/docs/"), **options)


@pytest.fixture
def web(base: Any, site: Any) -> Web:
    return Web(base, site)


def test_a_site_is_read_once_and_then_asked_whether_it_changed(web: Web) -> None:
    assert web.run().sources["added"] == 3
    assert web.base.found("云脉网关") == ["gate"] and web.base.found("400") == ["notes"]
    with web.base.catalog() as catalog:
        records = [fact.noun(SourceRecord) for fact in catalog.facts("sources", catalog.head())]
    types = {record.path: record.media_type for record in records}
    assert types == {"gate": "text/html", "limits.html": "text/html", "notes": "text/markdown"}
    web.site.asked()
    assert not web.run().published
    assert web.site.statuses.count(304) == 3 and web.site.statuses.count(200) == 1  # the sitemap
    assert web.base.check().status == "fresh"


def test_what_changed_moved_or_left_the_sitemap_is_told(web: Web) -> None:
    web.run()
    web.site.put("/docs/limits.html", LIMITS.replace("20000", "40000"))
    web.site.put("/docs/gateway", GATE)
    web.list("gateway", "limits.html")
    assert web.base.check().status == "stale"
    report = web.run()
    assert {what: report.sources[what] for what in ("changed", "gone", "renamed")} == {"changed": 1, "gone": 1, "renamed": 1}
    assert web.base.found("40000") == ["limits.html"] and not web.base.found("400")


@pytest.mark.parametrize("how", [{"how": "cut"}, *(
    pytest.param({"status": status}, marks=pytest.mark.slow) for status in (403, 404)
)])
def test_a_page_that_is_listed_and_cannot_be_read_stays_served(web: Web, how: dict[str, Any]) -> None:
    web.run()
    web.site.put("/docs/limits.html", "<p>later</p>", **how)
    report = web.run()
    assert [(failure.uri, failure.serving, failure.retryable) for failure in report.failures] == [
        ("docs/limits.html", True, True)
    ]
    assert web.base.found("20000") == ["limits.html"]
    assert web.base.check().exit_code == 6


def test_a_site_that_is_away_is_no_deletion(web: Web) -> None:
    web.run()
    web.list("gate")
    web.site.put("/docs/sitemap.xml", "<urlset><url><loc>cut", type="application/xml")
    with pytest.raises(RootUnavailable, match="is not XML"):
        web.run()
    web.site.stop()
    with pytest.raises(RootUnavailable):
        web.run()
    checked = web.base.check()
    assert (checked.status, checked.exit_code) == ("unknown", 6)
    assert web.base.found("20000") == ["limits.html"]


def test_a_site_at_a_private_address_is_not_read_by_default(web: Web) -> None:
    web.base.set("sources", roots={})
    with pytest.raises(RootUnavailable, match="private = true"):
        web.run()
    assert not web.site.requests
