"""`ingest move`: what it prints, and how a base ends whose server is away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "gateway.md").write_text("# 网关\n\n网关每分钟最多处理六百个请求。\n", encoding="utf-8")
    return folder


def test_a_base_is_moved_there_and_back(
    ingest: Callable[..., Any], docs: Path, qdrant_process: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = qdrant_process("sesame")
    monkeypatch.setenv("INGEST_INDEX__QDRANT_URL", shim.url)
    monkeypatch.setenv("INGEST_INDEX__RETRIES", "0")
    snapshot = ingest("run", str(docs), "--json").json["snapshot"]
    refused = ingest("move", "--to", "qdrant")
    assert refused.code == 6 and "INGEST_QDRANT_KEY" in refused.err
    monkeypatch.setenv("INGEST_QDRANT_KEY", "sesame")
    there = ingest("move", "--to", "qdrant", "--json").json
    assert (there["snapshot"], there["generation"], there["moved"], there["warnings"]) == (snapshot, 2, True, [])
    assert "is there already" in ingest("move", "--to", "qdrant").out
    found = ingest("search", "网关", "--json").json["evidence"]
    assert [item["uri"] for item in found] == ["docs/gateway.md"]
    assert "move to qdrant" in ingest("snapshots", "list").out
    shim.kill()
    away = ingest("search", "网关")
    assert away.code == 6 and "ServerUnavailable" in away.err and "sesame" not in away.err
    assert ingest("check").code != 0
    shim.start()
    monkeypatch.setenv("INGEST_INDEX__BACKEND", "qdrant")
    back = ingest("move", "--to", "embedded")
    assert back.code == 0 and "the same in both places" in back.out
    assert "so the next run moves it back" in back.out
    monkeypatch.delenv("INGEST_INDEX__BACKEND")
    assert ingest("search", "网关", "--json").json["evidence"] == found


def test_a_place_that_is_none_is_a_usage_error(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", str(docs))
    assert ingest("move", "--to", "elsewhere").code == 2
    missing = ingest("move", "--to", "qdrant")
    assert missing.code == 2 and "index.qdrant_url" in missing.err


def test_what_was_never_begun_cannot_be_moved(ingest: Callable[..., Any]) -> None:
    assert ingest("move", "--to", "qdrant").code == 6
