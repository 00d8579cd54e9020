"""What a real server sends of requests to a collector: spans that hang together, in the trace of whoever asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[3]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def started(folder: Path, url: str) -> tuple[subprocess.Popen[str], str]:
    """`ingest serve http`, and its address."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("INGEST_", "OTEL_"))}
    environ = {**kept, "PYTHONPATH": str(ROOT), "OTEL_EXPORTER_OTLP_ENDPOINT": url, "no_proxy": "*"}
    command = [sys.executable, "-c", "from ingest.cli.main import main; main()", "serve", "http", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, env=environ, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_a_request_its_operation_and_its_search_are_one_trace(
    make_base: Callable[..., Any], tmp_path: Path, collector: Any, attributes_of: Callable[[Any], dict[str, Any]]
) -> None:
    from indexes.serve.tokens import Token, add, hashed, minted
    from ingest.model.access import Principal
    from ingest.model.instant import now

    base = make_base(tmp_path)
    base.write("手册.md")
    base.run()
    (tmp_path / "ingest.toml").write_text('kb = "kb"\n[embed]\nengine = "hash"\n', encoding="utf-8")
    secret = minted()
    add(tmp_path / ".serve" / "tokens.json", Token("asker", hashed(secret), Principal(), ("default",), False, now(), None))
    process, url = started(tmp_path, collector.url)
    try:
        headers = {"authorization": f"Bearer {secret}", "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
        with httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
            assert client.post("/v1/knowledge_search", json={"query": "quokka ERR_1042"}).status_code == 200
            assert client.get("/health").status_code == 200
            assert client.post("/v1/document_open", json={"id": "docs/nowhere.md"}).status_code == 404
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
    request, operation = collector.span("POST /v1/knowledge_search"), collector.span("operation knowledge_search")
    search = collector.span("search hybrid")
    assert {each.trace_id.hex() for each in (request, operation, search)} == {TRACE}
    assert request.parent_span_id.hex() == "00f067aa0ba902b7" and request.kind == 2
    assert operation.parent_span_id == request.span_id and search.parent_span_id == operation.span_id
    assert attributes_of(request) == {
        "http.request.method": "POST", "http.route": "/v1/knowledge_search", "http.response.status_code": 200,
        "url.scheme": "http",
    }
    assert attributes_of(search)["concord.status"] in ("ok", "insufficient_evidence")
    refused = attributes_of(collector.span("operation document_open"))
    assert refused["error.type"] == refused["concord.reason"] == "NotFound"
    assert not [span for span in collector.spans if "/health" in span.name]
    assert not [body for body in collector.bodies if b"quokka" in body or b"asker" in body]
