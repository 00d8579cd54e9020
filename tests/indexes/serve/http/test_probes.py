"""Probes and metrics of real servers: who learns what, and what is measured of requests that were really made."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

METRIC = re.compile(r'^([a-z_]+)(?:\{([^}]*)\})? (\S+)$', re.MULTILINE)


def value(page: str, name: str, **labels: str) -> float:
    """The one value of a metric with these labels."""
    (found,) = [
        float(number) for metric, told, number in METRIC.findall(page)
        if metric == name and all(f'{key}="{wanted}"' in told for key, wanted in labels.items())
    ]
    return found


@pytest.fixture(scope="module")
def measured(library: Any, start: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server of the library whose metrics need a token."""
    folder = tmp_path_factory.mktemp("measured")
    text = (library.folder / "ingest.toml").read_text(encoding="utf-8")
    (folder / "ingest.toml").write_text(f'kb = "{library.kb}"\n{text}[serve]\nmetrics = "token"\n', encoding="utf-8")
    shutil.copy(library.folder / "seed.yaml", folder)
    server = start(folder)
    yield server
    assert server.stop() == 0


_COUNT = iter(range(10**6))


def page(server: Any) -> str:
    """The metrics of a server now."""
    with server.client(server.token(f"prometheus{next(_COUNT)}", (), metrics=True)) as scraper:
        answer = scraper.get("/metrics")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain; version=")
    return answer.text


def test_readiness_tells_anybody_only_whether(server: Any) -> None:
    with server.client() as anybody:
        answer = anybody.get("/ready")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


def test_readiness_tells_a_caller_of_its_own_bases(server: Any, client: httpx.Client) -> None:
    told = client.get("/ready").json()
    (base,) = told["bases"]
    assert told["status"] == "ready" and base["kb_id"] == "default" and base["open"] is True and base["generation"] == 1
    assert base["lag_seconds"] >= 0 and base["unconfirmed_seconds"] >= 0 and base["published_at"] <= base["confirmed_at"]
    with server.client(server.token("elsewhere", ("another",))) as other:
        assert other.get("/ready").json() == {"status": "ready", "bases": []}


def test_a_wrong_token_learns_nothing_of_readiness_either(server: Any) -> None:
    with server.client("concord_" + "x" * 43) as wrong:
        refused = wrong.get("/ready")
        assert refused.status_code == 401
        assert refused.content == wrong.get("/v1/bases").content


def test_metrics_are_off_unless_a_setting_says_otherwise(server: Any, client: httpx.Client) -> None:
    assert client.get("/metrics").status_code == 404
    with server.client() as anybody:
        assert anybody.get("/metrics").status_code == 401


def test_metrics_need_a_token_that_is_for_them(measured: Any) -> None:
    with measured.client() as anybody, measured.client(measured.token("reader")) as reader:
        assert anybody.get("/metrics").status_code == 401
        assert reader.get("/metrics").status_code == 403
        assert reader.get("/metrics").json()["title"] == "NotGranted"
    with measured.client(measured.token("scraper", (), metrics=True)) as scraper:
        assert scraper.get("/metrics").status_code == 200
        assert scraper.post("/metrics").status_code == 405
        assert scraper.get("/v1/bases").json()["results"] == []


def test_requests_searches_and_refusals_are_counted(measured: Any) -> None:
    with measured.client(measured.token("asker")) as asker:
        assert asker.post("/v1/keyword_search", json={"query": "ERR_1042"}).json()["status"] == "ok"
        assert asker.post("/v1/keyword_search", json={"query": "xyzzy"}).json()["status"] == "insufficient_evidence"
        assert asker.post("/v1/document_open", json={"id": "docs/nowhere.md"}).status_code == 404
        for number in range(5):
            asker.get(f"/v1/no-such-path-{number}")
    with measured.client("wrong") as wrong:
        wrong.get("/v1/bases")
    told = page(measured)
    search = {"concord_operation": "keyword_search"}
    assert value(told, "concord_operation_duration_seconds_count", concord_outcome="ok", **search) == 1
    assert value(told, "concord_refusals_total", concord_reason="insufficient_evidence", **search) == 1
    assert value(told, "concord_refusals_total", concord_reason="NotFound", concord_operation="document_open") == 1
    assert value(told, "concord_refusals_total", concord_reason="Unauthenticated", concord_operation="none") >= 1
    assert value(told, "concord_search_duration_seconds_count", concord_mode="bm25", concord_status="ok") == 1
    assert value(told, "concord_search_step_duration_seconds_count", concord_step="bm25") == 2
    assert value(told, "http_server_request_duration_seconds_count", http_route="_OTHER", http_response_status_code="404") == 5
    assert value(told, "concord_index_generation", concord_kb="default") == 1
    assert value(told, "concord_index_lag_seconds", concord_kb="default") > 0
    assert value(told, "concord_bases_open") == 1 and value(told, "concord_queue_waiting") == 0
    assert value(told, "concord_queue_duration_seconds_count") >= 3
    assert value(told, "http_server_active_requests", http_request_method="GET") == 1


def test_no_label_is_a_query_a_user_or_a_path_that_somebody_made_up(measured: Any) -> None:
    with measured.client(measured.token("zebra-user", user="zebra-user")) as asker:
        asker.post("/v1/keyword_search", json={"query": "zebra-query"})
        asker.get("/zebra-path")
        asker.request("ZEBRA", "/zebra-method")
    told = page(measured)
    assert "zebra" not in told.lower()
    names = {metric for metric, _, _ in METRIC.findall(told)}
    assert len(names) < 120 and len(told.splitlines()) < 1500


def test_a_base_that_cannot_be_read_makes_the_server_unready_and_names_itself_to_its_callers(
    make_base: Callable[..., Any], start: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "ingest.toml").write_text('[serve.bases.law]\nkb = "law"\n', encoding="utf-8")
    server = start(tmp_path)
    with server.client() as anybody, server.client(server.token("mine", ("law",))) as mine:
        assert anybody.get("/health").status_code == 200
        answer = anybody.get("/ready")
        assert (answer.status_code, answer.json()) == (503, {"status": "not ready"})
        (base,) = mine.get("/ready").json()["bases"]
        assert base == {"kb_id": "law", "open": False, "error": "nothing is published there at the moment"}
    assert server.stop() == 0


def test_a_server_logs_what_it_answered_in_json_without_queries_or_tokens(library: Any, start: Callable[..., Any],
                                                                          tmp_path: Path) -> None:
    text = (library.folder / "ingest.toml").read_text(encoding="utf-8")
    (tmp_path / "ingest.toml").write_text(f'kb = "{library.kb}"\n{text}[log]\nformat = "json"\n', encoding="utf-8")
    shutil.copy(library.folder / "seed.yaml", tmp_path)
    server = start(tmp_path)
    token = server.token("asker", user="quokka-user")
    with server.client(token) as asker:
        asker.post("/v1/keyword_search", json={"query": "ERR_1042 quokka-query"})
        asker.post("/v1/document_open", json={"id": "docs/quokka-nowhere.md"})
    assert server.stop() == 0
    said = server.said()
    told = [json.loads(line) for line in said.splitlines()]
    answered, refused = [line for line in told if line["logger"] == "concord.serve" and "operation" in line]
    assert (answered["message"], answered["operation"], answered["caller"]) == ("answered", "keyword_search", "asker")
    assert answered["generation"] == 1 and answered["seconds"] > 0
    assert (refused["message"], refused["operation"], refused["reason"]) == ("refused", "document_open", "NotFound")
    assert "quokka" not in said and token not in said
