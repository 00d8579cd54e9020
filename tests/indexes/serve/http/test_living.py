"""A server while things happen to it: generations are published, bases come and go, and it is ended gently or not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from indexes.serve.audit_counts import counted

SETTINGS = '[embed]\nengine = "hash"\n'


def ended(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a server that is not to start."""
    command = [sys.executable, "-c", "from ingest.cli.main import main; main()", "serve", "http", *options]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False, env=environ)


def publish(base: Any, number: int) -> None:
    """Publish a document that says a number, and nothing else."""
    base.write("n.md", f"# N\n\nPROBE number {number}\n")
    base.run()


def test_twenty_clients_while_generations_are_published_get_no_error_and_no_mixture(
    start: Callable[..., Any], base: Any, tmp_path: Path
) -> None:
    """Generation n has one document that says n: an answer of two generations would say two numbers, none, or another one."""
    (tmp_path / "ingest.toml").write_text(SETTINGS)
    publish(base, 1)
    server = start(tmp_path, "--kb", "kb")
    tokens = [server.token(f"client{number}") for number in range(5)]
    wrong: list[object] = []
    answered: list[int] = []
    stop = threading.Event()

    def client(number: int) -> None:
        last = 0
        with server.client(tokens[number % 5]) as http:
            while not stop.wait(0.05):
                try:
                    answer = http.post("/v1/keyword_search", json={"query": "PROBE"})
                    pack = answer.json()
                    (by,) = pack["answered_by"]
                    said = [each["text"].split()[-1] for each in pack["results"]]
                except (httpx.HTTPError, KeyError, ValueError) as error:
                    wrong.append(error)
                    continue
                if answer.status_code != 200 or pack["failed_kbs"] or said != [str(by["generation"])] or by["generation"] < last:
                    wrong.append((answer.status_code, said, by, pack["failed_kbs"], last))
                last = by["generation"]
                answered.append(last)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for number in range(2, 6):
        publish(base, number)
    stop.set()
    for thread in threads:
        thread.join()
    with server.client(tokens[0]) as http:
        assert http.get("/v1/bases").json()["results"][0]["generation"] == 5
    assert wrong == []
    assert len(set(answered)) >= 3 and len(answered) > 40
    lines = [line for line in server.audited() if line["operation"] == "keyword_search"]
    assert sorted(line["seen"][0]["generation"] for line in lines) == sorted(answered)
    assert server.stop() == 0


def test_several_bases_of_which_one_fails_and_comes_back(
    start: Callable[..., Any], new_base: Callable[..., Any], tmp_path: Path
) -> None:
    for name in ("hand", "law"):
        publish(new_base(name), len(name))
    (tmp_path / "hand" / "ingest.toml").write_text(f'kb = "kb"\n{SETTINGS}')
    (tmp_path / "ingest.toml").write_text(
        '[serve.bases.hand]\nconfig = "hand/ingest.toml"\ntitle = "手册"\n[serve.bases.law]\nkb = "law/kb"\n'
        '[serve.bases.none]\nkb = "nowhere"\n[serve.bases.others]\nkb = "law/kb"\n'
    )
    server = start(tmp_path)
    token = server.token("three", ("hand", "law", "none"))
    with server.client(token) as client:
        pack = client.post("/v1/keyword_search", json={"query": "PROBE"}).json()
        assert {(each["kb_id"], each["text"].split()[-1]) for each in pack["results"]} == {("hand", "4"), ("law", "3")}
        assert pack["failed_kbs"] == [{"kb_id": "none", "error": "nothing is published there at the moment"}]
        assert pack["status"] == "ok"
        narrow = client.post("/v1/keyword_search", json={"query": "PROBE", "kb_ids": ["law"]}).json()
        assert {each["kb_id"] for each in narrow["results"]} == {"law"} and narrow["failed_kbs"] == []

        # what was not granted and what does not exist are one
        said = []
        for kb_id in ("others", "missing"):
            answer = client.post("/v1/keyword_search", json={"query": "PROBE", "kb_ids": ["law", kb_id]})
            assert answer.status_code == 403
            said.append(answer.text.replace(kb_id, "it"))
        assert said[0] == said[1]
        listed = client.get("/v1/bases").json()
        assert [(each["kb_id"], each["title"]) for each in listed["results"]] == [("hand", "手册"), ("law", "law")]
        assert "others" not in json.dumps(listed)

        # a base that is taken away, and one that is replaced by another with the same generation number
        (tmp_path / "law" / "kb").rename(tmp_path / "law" / "away")
        pack = client.post("/v1/keyword_search", json={"query": "PROBE"}).json()
        assert [each["kb_id"] for each in pack["failed_kbs"]] == ["law", "none"]
        shutil.copytree(tmp_path / "hand" / "kb", tmp_path / "law" / "kb")
        pack = client.post("/v1/keyword_search", json={"query": "PROBE", "kb_ids": ["law"]}).json()
        assert [each["text"].split()[-1] for each in pack["results"]] == ["4"]
    with server.client(server.token("nothing", ())) as client:
        assert client.post("/v1/keyword_search", json={"query": "PROBE"}).json()["results"] == []
    failed = [line["failed"] for line in server.audited() if line["operation"] == "keyword_search"]
    assert failed[:2] == [["none"], []] and ["law", "none"] in failed
    assert str(tmp_path) not in json.dumps(failed)
    assert server.stop() == 0


def test_killed_server_leaves_an_audit_log_that_reads_whole_and_the_next_one_goes_on(
    start: Callable[..., Any], library: Any, tmp_path: Path
) -> None:
    (tmp_path / "ingest.toml").write_text(f'kb = "{library.kb}"\n[serve]\naudit_bytes = 20000\naudit_files = 0\n')
    server = start(tmp_path)
    token = server.token("asking")
    answered = 0
    stop = threading.Event()
    lock = threading.Lock()

    def client() -> None:
        nonlocal answered
        with server.client(token) as http:
            while not stop.is_set():
                try:
                    if http.post("/v1/keyword_search", json={"query": "ERR_1042"}).status_code == 200:
                        with lock:
                            answered += 1
                except httpx.HTTPError:
                    return

    threads = [threading.Thread(target=client) for _ in range(6)]
    for thread in threads:
        thread.start()
    while answered < 30:
        stop.wait(0.01)
    server.stop(signal.SIGKILL)
    stop.set()
    for thread in threads:
        thread.join()
    log = tmp_path / ".serve" / "audit"
    counts = counted(log)
    assert counts.torn <= 1 and answered <= counts.total.calls <= answered + 6
    again = start(tmp_path)
    with again.client(token) as http:
        assert http.get("/v1/bases").status_code == 200
    assert again.stop() == 0
    assert counted(log).total.calls == counts.total.calls + 1


def test_log_that_cannot_be_written_stops_answers_and_comes_back(
    start: Callable[..., Any], library: Any, tmp_path: Path
) -> None:
    (tmp_path / "ingest.toml").write_text(f'kb = "{library.kb}"\n')
    server = start(tmp_path)
    log = tmp_path / ".serve" / "audit"
    with server.client(server.token("asking")) as http:
        assert http.get("/v1/bases").status_code == 200
        log.rename(log.with_name("moved"))
        log.write_text("in the way")
        refused = http.post("/v1/keyword_search", json={"query": "ERR_1042"})
        assert (refused.status_code, refused.json()["title"]) == (503, "AuditFailed")
        assert "ERR_1042" not in refused.text and str(tmp_path) not in refused.text
        log.unlink()
        assert http.post("/v1/keyword_search", json={"query": "ERR_1042"}).status_code == 200
    assert server.said().count("audit log") == 1
    assert [line["operation"] for line in server.audited()] == ["keyword_search"]
    assert server.stop() == 0


def test_request_in_flight_is_answered_before_the_server_ends(start: Callable[..., Any], library: Any, tmp_path: Path) -> None:
    (tmp_path / "ingest.toml").write_text(f'kb = "{library.kb}"\n')
    server = start(tmp_path)
    statuses: list[int] = []
    ready = threading.Barrier(5)

    def client(token: str) -> None:
        with server.client(token) as http:
            http.get("/health")
            ready.wait()
            statuses.append(http.post("/v1/knowledge_search", json={"query": "How many connections are accepted?"}).status_code)

    threads = [threading.Thread(target=client, args=(server.token(f"c{number}"),)) for number in range(4)]
    for thread in threads:
        thread.start()
    ready.wait()
    while len([line for line in server.audited() if line["operation"]]) < 1:
        pass
    assert server.stop() == 0
    for thread in threads:
        thread.join()
    assert statuses and set(statuses) == {200}


def test_agents_and_programs_share_a_port_a_token_and_its_budget(start: Callable[..., Any], library: Any, tmp_path: Path) -> None:
    import asyncio

    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    (tmp_path / "ingest.toml").write_text(f'kb = "{library.kb}"\n[serve]\ncalls = 3\n')
    server = start(tmp_path, "--mcp")
    token = server.token("both")

    async def call(operation: str, **arguments: Any) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
            async with Client(transport, read_timeout_seconds=60) as client:
                return await client.call_tool(operation, arguments)

    answer = asyncio.run(call("keyword_search", query="ERR_1042"))
    with server.client(token) as http:
        pack = http.post("/v1/keyword_search", json={"query": "ERR_1042"}).json()
        found = [[each["chunk_id"] for each in given["results"]] for given in (answer.structured_content, pack)]
        assert found[0] == found[1] != []
        assert http.get("/v1/bases").json()["budget"]["calls"] == 0
        assert http.get("/v1/bases").status_code == 429
    assert asyncio.run(call("keyword_search", query="ERR_1042")).is_error
    with server.client() as anybody:
        refused = [anybody.post(path, json={}) for path in ("/mcp", "/v1/bases", "/mcp/x")]
    assert {each.status_code for each in refused} == {401} and len({each.text for each in refused}) == 1
    assert [line["operation"] for line in server.audited() if line["caller"] == "both"] == [
        "keyword_search", "keyword_search", "knowledge_list", "knowledge_list", "keyword_search"
    ]
    assert server.stop() == 0


def test_server_that_nobody_can_ask_yet_says_how_to_let_somebody_in(
    start: Callable[..., Any], library: Any, tmp_path: Path
) -> None:
    (tmp_path / "ingest.toml").write_text(f'kb = "{library.kb}"\n')
    server = start(tmp_path)
    assert "ingest serve token NAME" in server.said()
    token = server.token("first")
    with server.client(token) as http:
        assert http.get("/v1/bases").status_code == 200
    assert server.stop(signal.SIGINT) == 0
    (tmp_path / ".serve" / "tokens.json").chmod(0o644)
    done = ended(tmp_path, "--port", "0")
    assert (done.returncode, done.stdout) == (2, "") and "chmod 600" in done.stderr


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificate_that_cannot_be_used_is_told_before_the_server_listens(tmp_path: Path, content: str | None) -> None:
    (tmp_path / "ingest.toml").write_text('[serve]\ntls_cert = "cert.pem"\n')
    if content is not None:
        (tmp_path / "cert.pem").write_text(content)
    done = ended(tmp_path, "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "cert.pem" in done.stderr and "serve.tls_cert" in done.stderr


def test_address_that_is_taken_is_told(start: Callable[..., Any], server: Any, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    done = ended(tmp_path, "--port", port)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"port {port}" in done.stderr and "--port" in done.stderr
