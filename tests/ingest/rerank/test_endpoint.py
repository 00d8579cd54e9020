"""A reranker behind a URL, against a server on the loopback that answers as several kinds do, or not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from ingest.errors import ModelUnavailable, SettingsInvalid
from ingest.rerank.endpoint import Endpoint
from ingest.rerank.engine import reranker_of
from ingest.settings import SearchPart


class Api:
    """Answers in turn what `answers` holds: (status, body)."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answers: list[tuple[int, Any]] = []


@pytest.fixture
def api() -> Iterator[Api]:
    state = Api()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            state.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            state.keys.append(self.headers.get("Authorization"))
            status, body = state.answers.pop(0)
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1/rerank"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def settings(api: Api) -> SearchPart:
    return SearchPart(reranker="endpoint", rerank_url=api.url, rerank_model="acme/rerank-1")


ENTRIES = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]


@pytest.mark.parametrize("body", [
    {"results": ENTRIES}, {"data": ENTRIES}, [{"index": 0, "score": 0.1}, {"index": 1, "score": 0.9}],
])
def test_scores_come_in_the_order_of_the_texts(api: Api, monkeypatch: pytest.MonkeyPatch, body: Any) -> None:
    monkeypatch.setenv("RERANK_API_KEY", "s3cret")
    api.answers = [(200, body)]
    assert Endpoint(settings(api)).scores("问题", ["one", "两"]) == [0.1, 0.9]
    assert api.requests == [{"model": "acme/rerank-1", "query": "问题", "documents": ["one", "两"], "top_n": 2}]
    assert api.keys == ["Bearer s3cret"]


def test_no_texts_ask_nobody(api: Api) -> None:
    assert Endpoint(settings(api)).scores("q", []) == []
    assert api.requests == []


def test_what_passes_is_tried_once_more(api: Api) -> None:
    api.answers = [(503, "busy"), (200, {"results": ENTRIES})]
    assert Endpoint(settings(api)).scores("q", ["a", "b"]) == [0.1, 0.9]


@pytest.mark.parametrize("answers", [
    [(503, "busy"), (503, "busy")], [(401, "no s3cret")], [(404, "no model")], [(200, "not json")], [(200, {"results": []})],
    [(200, {"results": [{"index": 0, "score": "NaN"}, {"index": 1, "score": 1}]})], [(200, {})], [(200, 5)],
])
def test_an_answer_that_is_none_is_told_without_the_key(
    api: Api, monkeypatch: pytest.MonkeyPatch, answers: list[tuple[int, Any]]
) -> None:
    monkeypatch.setenv("RERANK_API_KEY", "s3cret")
    api.answers = answers
    with pytest.raises(ModelUnavailable, match="reranker at") as caught:
        Endpoint(settings(api)).scores("q", ["a", "b"])
    assert "s3cret" not in str(caught.value)


def test_a_server_that_is_not_there_is_told() -> None:
    part = SearchPart(reranker="endpoint", rerank_url="http://127.0.0.1:9/rerank", rerank_model="m")
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        Endpoint(part).scores("q", ["a"])


def test_settings_decide_and_lacking_ones_are_named(api: Api) -> None:
    assert reranker_of(SearchPart()) is None
    assert isinstance(reranker_of(settings(api)), Endpoint)
    for part in (SearchPart(reranker="endpoint"), SearchPart(reranker="endpoint", rerank_url="ftp://x", rerank_model="m")):
        with pytest.raises(SettingsInvalid, match="rerank_url"):
            reranker_of(part)
