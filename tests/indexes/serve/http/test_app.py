"""Programs ask over HTTP and are given what every other door gives; what was answered is what was recorded."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from indexes.serve.operations import READ


def ask(client: httpx.Client, operation: str, /, **arguments: Any) -> Any:
    answer = client.post(f"/v1/{operation}", json=arguments)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_question_is_answered_with_citations(client: httpx.Client) -> None:
    pack = ask(client, "knowledge_search", query="How many connections does a node accept?", top_k=3)
    assert pack["status"] == "ok"
    first = pack["results"][0]
    assert (first["citation"], first["uri"], first["kb_id"]) == ("K1", "docs/en/limits.md", "default")
    assert "20000" in first["text"]


def test_every_operation_answers_over_http_as_in_this_process(client: httpx.Client, ask: Any) -> None:
    chunk = ask("keyword_search", query="机柜")["results"][0]
    calls: dict[str, dict[str, Any]] = {
        "knowledge_list": {}, "knowledge_search": {"query": "上架"}, "keyword_search": {"query": "ERR_1042"},
        "semantic_search": {"query": "audit logs"}, "document_find": {"title": "网关"},
        "document_open": {"id": chunk["chunk_id"]}, "entity_resolve": {"name": "Apollo"},
        "entity_get": {"entity_id": "urn:kb:entity:gate"},
        "evidence_get": {"chunk_id": chunk["chunk_id"]}, "graph_neighbors": {"ids": ["urn:kb:entity:gate"]}, "conflicts_list": {},
        "verify_citations": {"answer": "上架后先接管理口 [K1]。", "pack": "P1"},
    }
    assert calls.keys() == {operation.name for operation in READ}
    client.post("/v1/keyword_search", json={"query": "机柜"})  # so that P1 is the same pack in both
    for operation, arguments in calls.items():
        over_http = client.post(f"/v1/{operation}", json=arguments)
        assert over_http.status_code == 200, (operation, over_http.text)
        assert _lasting(over_http.json()) == _lasting(json.loads(json.dumps(ask(operation, **arguments)))), operation


def _lasting(answer: Any) -> Any:
    """An answer without what belongs to its session or moment."""
    if isinstance(answer, dict):
        passing = ("budget", "given_before", "context_given_before", "context", "text", "pack", "as_of", "tokens")
        return {key: _lasting(value) for key, value in answer.items() if key not in passing}
    return [_lasting(each) for each in answer] if isinstance(answer, list) else answer


def test_bases_are_listed_with_a_get(client: httpx.Client) -> None:
    answer = client.get("/v1/bases")
    assert [each["kb_id"] for each in answer.json()["results"]] == ["default"]


def test_each_token_sees_what_its_principal_may(server: Any, client: httpx.Client) -> None:
    with server.client(server.token("operator", roles=("sre",))) as operator:
        assert "QUOKKA" in ask(operator, "keyword_search", query="passphrase")["results"][0]["text"]
    hidden = client.post("/v1/keyword_search", json={"query": "passphrase"})
    assert "QUOKKA" not in hidden.text and hidden.json()["results"] == []


def test_only_tokens_that_may_write_decide(server: Any, client: httpx.Client) -> None:
    decision = {"question": "x", "answer": "yes", "reason": "seen"}
    refused = [client.post(f"/v1/{name}", json=given) for name, given in (("review_list", {}), ("review_answer", decision))]
    assert [each.status_code for each in refused] == [403, 403]
    with server.client(server.token("editor", write=True)) as editor:
        assert ask(editor, "review_list")["failed_kbs"] == []
        assert editor.post("/v1/review_answer", json=decision).status_code == 404


def test_nobody_names_who_they_are_in_a_request(client: httpx.Client) -> None:
    for argument in ("principal", "user", "roles", "caller", "tenant", "level", "generation"):
        answer = client.post("/v1/keyword_search", json={"query": "passphrase", argument: "sre"})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["at"] == [argument]


def test_named_session_is_not_sent_a_text_twice_and_another_is(client: httpx.Client) -> None:
    def given(session: str | None) -> list[bool]:
        headers = {} if session is None else {"Concord-Session": session}
        answer = client.post("/v1/keyword_search", json={"query": "机柜"}, headers=headers)
        return [each["given_before"] for each in answer.json()["results"]]

    first = given("one")
    assert not any(first)
    assert all(given("one"))
    assert given("two") == first
    assert given(None) == given(None) == first
    assert client.post("/v1/keyword_search", json={"query": "机柜"}, headers={"Concord-Session": "a b"}).status_code == 422


def test_answer_is_verified_by_its_pack(server: Any) -> None:
    with server.client(server.token("writer"), ) as client:
        pack = ask(client, "keyword_search", query="机柜")
        mine = "安装前确认机柜有两路电源 [K1]。它说“先接管理口” [K1]。"
        checked = ask(client, "verify_citations", answer=mine, pack=pack["pack"])
        assert checked["valid"] and [each["citation"] for each in checked["results"]] == ["K1"]
        wrong = ask(client, "verify_citations", answer="“三路电源” [K1]。还有 [K9]。", pack=pack["pack"])
        assert not wrong["valid"]
        assert {each["citation"]: each["problems"] for each in wrong["results"]} == {"K1": [], "K9": ["unknown"]}
        assert wrong["quoted"][0]["problem"] == "nowhere"
    lines = [line["citations"] for line in server.audited() if line["caller"] == "writer"]
    assert lines == [None, {"cited": 1, "valid": 1}, {"cited": 2, "valid": 1}]


def test_another_token_cannot_use_a_pack(server: Any, client: httpx.Client) -> None:
    pack = ask(client, "keyword_search", query="机柜")["pack"]
    with server.client(server.token("stranger")) as stranger:
        answer = stranger.post("/v1/verify_citations", json={"answer": "x [K1]", "pack": pack})
    assert (answer.status_code, answer.json()["title"]) == (404, "NotFound")


def test_what_was_answered_is_what_was_recorded(server: Any) -> None:
    with server.client(server.token("audited", user="王芳", roles=("sre",), level=1)) as client:
        pack = ask(client, "knowledge_search", query="Blackthorn Vault", kb_ids=["default"])
        empty = ask(client, "keyword_search", query="zzzzqqqq")
        refused = client.post("/v1/keyword_search", json={"query": "x", "kb_ids": ["other"]})
    assert empty["status"] == "insufficient_evidence" and refused.status_code == 403
    found, nothing, denied = [line for line in server.audited() if line["caller"] == "audited"]
    assert found["principal"] == {"user": "王芳", "roles": ["sre"], "tenant": None, "level": 1}
    assert found["arguments"] == {"query": "Blackthorn Vault", "kb_ids": ["default"]}
    assert found["seen"] == [
        {"kb": "default", "generation": 1, "rows": list(dict.fromkeys(each["chunk_id"] for each in pack["results"]))}
    ]
    assert (nothing["refused"], nothing["seen"][0]["rows"]) == ("insufficient_evidence", [])
    assert (denied["refused"], denied["seen"]) == ("NotGranted", [])


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("keyword_search", b"{", 422), ("keyword_search", b"[]", 422), ("keyword_search", b"null", 422),
        ("keyword_search", b"", 422), ("keyword_search", b'{"query": ""}', 422),
        ("keyword_search", b'{"query": 5}', 422), ("keyword_search", b"\xff\xfe", 422),
        ("keyword_search", b'{"query": "\\ud800"}', 422), ("keyword_search", b'{"query": "x", "top_k": 0}', 422),
        ("keyword_search", b'{"query": "x", "top_k": 1e99}', 422), ("keyword_search", b'{"query": "x", "as_of": "soon"}', 422),
        ("keyword_search", b'{"query": "\\u0000 OR 1=1; DROP TABLE"}', 200),
        ("keyword_search", b'{"query": "\\"(*:^~AND NOT"}', 200),
        ("document_open", b'{"id": "/etc/passwd"}', 404), ("document_open", b'{"id": "../../x"}', 404), ("nothing", b"{}", 404),
        ("knowledge_search/", b"{}", 404), ("evidence_get", b'{"citation": "K1"}', 404), ("document_find", b"{}", 422),
    ],
    ids=repr,
)
def test_whatever_is_sent_gets_an_answer_or_a_problem_and_never_an_inside(
    server: Any, client: httpx.Client, path: str, content: bytes, status: int
) -> None:
    answer = client.post(f"/v1/{path}", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    if status != 200:
        problem = answer.json()
        assert answer.headers["content-type"] == "application/problem+json"
        assert problem["status"] == status and problem["detail"]
        assert str(server.folder) not in answer.text and "Traceback" not in answer.text and ".py" not in answer.text


def test_wrong_method_is_told(client: httpx.Client) -> None:
    answer = client.get("/v1/knowledge_search")
    assert (answer.status_code, answer.json()["title"]) == (405, "WrongMethod")


def test_description_is_public_and_names_every_operation_and_no_base(server: Any) -> None:
    with server.client() as anybody:
        schema = anybody.get("/openapi.json").json()
    names = [*(operation.name for operation in READ), "review_list", "review_answer"]
    assert set(schema["paths"]) == {"/health", "/ready", "/v1/bases", *(f"/v1/{name}" for name in names)}
    assert schema["security"] == [{"token": []}]
    search = schema["paths"]["/v1/knowledge_search"]["post"]
    assert search["requestBody"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/KnowledgeSearch"}
    assert search["responses"]["200"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Pack"}
    assert set(search["responses"]) >= {"200", "401", "403", "422", "429", "503", "504"}
    text = json.dumps(schema)
    assert str(server.folder) not in text and "QUOKKA" not in text and "default title" not in text
    _every_reference_resolves(schema, schema)


def _every_reference_resolves(schema: Any, within: Any) -> None:
    if isinstance(within, dict):
        if isinstance(within.get("$ref"), str):
            found = schema
            for step in within["$ref"].removeprefix("#/").split("/"):
                found = found[step]
        for value in within.values():
            _every_reference_resolves(schema, value)
    elif isinstance(within, list):
        for value in within:
            _every_reference_resolves(schema, value)


def test_health_needs_no_token_and_says_nothing_else(server: Any) -> None:
    with server.client() as anybody:
        assert anybody.get("/health").json() == {"status": "ok"}


def test_many_clients_at_once_are_answered(server: Any) -> None:
    tokens = [server.token(f"many{number}") for number in range(4)]

    def client(number: int) -> set[int]:
        with server.client(tokens[number % 4]) as client:
            return {client.post("/v1/keyword_search", json={"query": "ERR_1042"}).status_code for _ in range(10)}

    with ThreadPoolExecutor(20) as pool:
        assert set().union(*pool.map(client, range(20))) == {200}
    assert sum(line["caller"].startswith("many") for line in server.audited()) == 200


def test_client_that_leaves_halfway_hurts_nobody(server: Any, client: httpx.Client) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    token = server.token("leaving")
    for sent in (b"POST /v1/keyword_search HTTP/1.1\r\n", b"", b'{"query":'):
        with socket.create_connection((host, int(port))) as raw:
            head = (
                f"POST /v1/keyword_search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
                "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n"
            )
            raw.sendall(sent or head.encode() + b'{"que')
    assert ask(client, "keyword_search", query="ERR_1042")["status"] == "ok"


@pytest.mark.parametrize(("body", "said"), [
    (b'{"query":', "no JSON: Expecting value at character 9"), (b"[1]", "must be a JSON object"), (b"", "must be a JSON object"),
    (b'{"query":' + b"[" * 50_000 + b"]" * 50_000 + b"}", "cannot be read as JSON"),
    (b'{"query":"\xe9"}', "cannot be read as JSON"),
    (b'{"query": "x", "user": "alice"}', "user: there is no such argument"), (b"{}", "query: must be given"),
])
def test_arguments_that_cannot_be_are_told_and_recorded(server: Any, client: httpx.Client, body: bytes, said: str) -> None:
    before = len(server.audited())
    answer = client.post("/v1/keyword_search", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert said in answer.json()["detail"]
    (line,) = server.audited()[before:]
    assert (line["operation"], line["arguments"], line["refused"]) == ("keyword_search", {}, "UsageError")


def test_a_body_that_is_not_said_to_be_json_is_told_so(client: httpx.Client) -> None:
    answer = client.post("/v1/keyword_search", content=b'{"query": "x"}', headers={"content-type": "text/plain"})
    assert answer.status_code == 422 and "content-type: application/json" in answer.json()["detail"]
    answer = client.get("/v1/keyword_search")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
