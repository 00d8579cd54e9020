"""Vectors over HTTP, from a real server on the loopback interface that also misbehaves."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest

from ingest.embed.endpoint import ATTEMPTS, Endpoint
from ingest.embed.hash import Hash
from ingest.errors import ModelUnavailable, SettingsInvalid
from ingest.settings import EmbedPart

KEY = "sk-very-secret-0123456789"


def reply(status: int, body: Any, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    import json

    raw = body if isinstance(body, bytes) else json.dumps(body).encode()

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)

    return send


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def endpoint(api, pauses, monkeypatch) -> Callable[..., Endpoint]:
    monkeypatch.setenv("ACME_KEY", KEY)

    def make(**more: Any) -> Endpoint:
        settings = {"endpoint_url": api.url, "endpoint_model": "acme/embed-1", "dimensions": 64, "endpoint_key_env": "ACME_KEY"}
        return Endpoint(EmbedPart(engine="endpoint", **(settings | more)), pause=pauses.append)

    return make


def test_vectors_come_back_scaled_and_in_the_order_of_the_texts(endpoint, api):
    texts = [f"passage {i} 第{i}段" for i in range(10)]
    made = endpoint(batch=4).passages(texts)
    assert np.allclose(made, Hash(64).passages(texts), atol=1e-6)
    assert [len(request["input"]) for request in api.requests] == [4, 4, 2]
    assert {request["path"] for request in api.requests} == {"/v1/embeddings"}
    assert {request["model"] for request in api.requests} == {"acme/embed-1"}


def test_the_key_is_sent_and_a_missing_one_is_not(endpoint, api, monkeypatch):
    endpoint().queries(["a"])
    monkeypatch.delenv("ACME_KEY")
    endpoint().queries(["a"])
    assert api.keys == [f"Bearer {KEY}", None]


PASSING = {"429": reply(429, {}), "500": reply(500, b"oops"), "503": reply(503, {}), "hangs up": hang_up}


@pytest.mark.parametrize("trouble", PASSING.values(), ids=PASSING)
def test_passing_trouble_is_waited_out(endpoint, api, pauses, trouble):
    api.scripted += [trouble, trouble]
    assert endpoint().passages(["a"]).shape == (1, 64)
    assert pauses == [1, 2]


def test_the_servers_wish_for_a_pause_is_respected_within_reason(endpoint, api, pauses):
    api.scripted += [reply(429, {}, Retry_After="7"), reply(429, {}, Retry_After="86400"), reply(429, {}, Retry_After="tomorrow")]
    endpoint().passages(["a"])
    assert pauses == [7, 30, 4]


def test_lasting_trouble_ends_with_what_the_server_said(endpoint, api):
    api.scripted += [reply(503, b"down for repair")] * ATTEMPTS
    with pytest.raises(ModelUnavailable, match=r"503 \(down for repair\)"):
        endpoint().passages(["a"])
    assert len(api.requests) == ATTEMPTS


def test_an_endpoint_that_is_not_there_is_named_by_its_host(endpoint, pauses):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1.*cannot be reached"):
        endpoint(endpoint_url=f"http://127.0.0.1:{port}/v1").passages(["a"])
    assert len(pauses) == ATTEMPTS - 1


REFUSALS = {401: "ACME_KEY", 403: "ACME_KEY", 400: "endpoint_model", 404: "endpoint_url"}


@pytest.mark.parametrize(("status", "said"), REFUSALS.items())
def test_a_refusal_is_not_repeated_and_says_what_to_check(endpoint, api, status, said):
    api.scripted.append(reply(status, {"error": {"message": "no"}}))
    with pytest.raises(ModelUnavailable, match=said):
        endpoint().passages(["a"])
    assert len(api.requests) == 1


def test_the_key_is_never_shown_even_where_the_server_quotes_it(endpoint, api, caplog):
    caplog.set_level(logging.DEBUG)
    api.scripted.append(reply(401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}))
    with pytest.raises(ModelUnavailable) as caught:
        endpoint().passages(["a"])
    assert KEY not in str(caught.value)
    assert "***" in str(caught.value)
    assert KEY not in caplog.text


GOOD = [1.0] + [0.0] * 63


@pytest.mark.parametrize(("body", "said"), [
    (b"<html>", "not JSON"), ({}, "not a list"), ([], "not a list"), ({"data": []}, "not a list"),
    ({"data": [{"index": 0}]}, "not a list"), ({"data": [{"index": 0, "embedding": "AAAA"}]}, "not a list"),
    ({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}, "2 dimensions"),
    ({"data": [{"index": 0, "embedding": [0.0] * 64}]}, "without length"),
    ({"data": [{"index": 0, "embedding": [float("nan")] * 64}]}, "without length"),
    ({"data": [{"index": 0, "embedding": GOOD}, {"index": 1, "embedding": GOOD}]}, "2 vectors for 1"),
    ({"data": [{"index": 1, "embedding": GOOD}]}, "not a list"),
])  # fmt: skip
def test_an_answer_that_cannot_be_right_is_not_believed(endpoint, api, body, said):
    api.scripted.append(reply(200, body))
    with pytest.raises(ModelUnavailable, match=said):
        endpoint().passages(["a"])


def test_an_empty_text_is_not_sent_as_such(endpoint, api):
    endpoint().passages(["", "a"])
    assert api.requests[0]["input"] == [" ", "a"]


def test_a_url_of_another_scheme_is_refused(endpoint):
    with pytest.raises(SettingsInvalid, match="http"):
        endpoint(endpoint_url="ftp://example.org/v1")
