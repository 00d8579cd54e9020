"""The Prefect flow over the pipeline, run once under Prefect's own harness."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest


@pytest.fixture
def prefect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A temporary Prefect server with its own home; nothing is reported anywhere."""
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    monkeypatch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    monkeypatch.setenv("DO_NOT_TRACK", "1")
    monkeypatch.setenv("INGEST_EMBED__ENGINE", "hash")
    monkeypatch.setenv("INGEST_EXECUTE__EXECUTOR", "inline")
    from prefect.testing.utilities import prefect_test_harness

    before = psutil.Process().children()
    with prefect_test_harness(server_startup_timeout=120):
        yield
    # On a busy machine the harness kills its server without waiting; other tests count the children of this process.
    psutil.wait_procs([child for child in psutil.Process().children() if child not in before], timeout=30)


def test_flow_publishes_what_the_command_would(prefect: None, tmp_path: Path) -> None:
    from flows.ingest_flow import ingest_flow

    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "note.md").write_text("# 网关\n\n网关默认监听 9443 端口。\n", encoding="utf-8")
    (docs / "broken.md").write_text("---\nallowed_user: alice\n---\n# Secret\n", encoding="utf-8")
    report = ingest_flow([str(docs)], kb=str(tmp_path / "kb"))
    assert report["published"] and report["generation"] == 1
    assert [failure["error"] for failure in report["failures"]] == ["MetadataInvalid"]
    again = ingest_flow([str(docs)], kb=str(tmp_path / "kb"))
    assert not again["published"] and again["snapshot"] == report["snapshot"]
    assert "PREFECT_API_URL" not in os.environ
