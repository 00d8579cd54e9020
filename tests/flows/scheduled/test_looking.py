"""The flows that look at a knowledge base: what they find, what they tell, and when they fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SEED = """entities:
  - id: urn:kb:entity:gate
    type: product
    names:
      - {text: 云脉网关, kind: preferred, language: zh}
"""


@pytest.fixture
def published(base: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A base that was run by the command, and its settings as a file."""
    base.write("手册.md")
    base.seed(SEED)
    base.run()
    config = base.folder / "ingest.toml"
    config.write_text('[embed]\nengine = "hash"\n[entities]\nseeds = ["seed.yaml"]\n', encoding="utf-8")
    return base


def named(base: Any) -> dict[str, str]:
    return {"config": str(base.folder / "ingest.toml"), "kb": str(base.kb)}


def test_what_is_stale_is_told_and_fails_nothing(flow_run: Any, published: Any, waited: Any) -> None:
    from flows.scheduled.checking import check_flow

    state, run = flow_run(check_flow, **named(published))
    assert state.is_completed() and state.result()["status"] == "fresh"
    published.write("new.md", "# New\n\nA document.\n")
    state, stale = flow_run(check_flow, **named(published))
    assert state.is_completed() and state.result()["status"] == "stale"
    (event,) = waited(lambda: stale.events("concord.stale"))
    assert event["payload"]["changes"] == {"added": 1} and event["payload"]["documents"] == ["docs/new.md"]
    assert "docs/new.md" in stale.artifacts()["concord-check-report"].data
    assert not run.events("concord.stale")


def test_a_check_that_cannot_tell_fails(flow_run: Any, published: Any) -> None:
    from flows.scheduled.checking import check_flow

    published.docs.rename(published.folder / "away")
    state, run = flow_run(check_flow, **named(published), pause_seconds=0.1)
    assert state.is_failed() and "could not tell" in state.message
    assert not run.events("concord.stale")


def test_verifying_a_sound_base_says_so(flow_run: Any, published: Any) -> None:
    from flows.scheduled.verifying import verify_flow

    state, run = flow_run(verify_flow, **named(published), deep=True)
    assert state.result() == {"generation": 1, "clean": True, "findings": []}
    assert "concord-verify-findings" in run.artifacts()


def test_drift_fails_the_flow_and_is_told(flow_run: Any, published: Any, waited: Any) -> None:
    from flows.scheduled.verifying import verify_flow

    (build,) = (published.kb / "builds" / "bm25").iterdir()
    torn = max((file for file in build.rglob("*") if file.is_file()), key=lambda file: file.stat().st_size)
    torn.write_bytes(torn.read_bytes()[:-1])
    state, run = flow_run(verify_flow, **named(published))
    assert state.is_failed() and "drifted" in state.message
    (event,) = waited(lambda: run.events("concord.drift"))
    assert event["payload"]["generation"] == 1 and any("bm25" in where for where in event["payload"]["where"])


def test_the_exported_registry_is_that_of_the_command(flow_run: Any, published: Any, tmp_path: Path) -> None:
    from flows.exporting import Wanted, export
    from flows.scheduled.exporting import export_registry_flow

    out = tmp_path / "registry.jsonld"
    state, run = flow_run(export_registry_flow, str(out), **named(published))
    assert out.read_bytes() == b"".join(export(published.settings, Wanted()))
    assert state.result() == {"file": str(out), "bytes": out.stat().st_size}
    assert out.as_uri() in run.artifacts()["concord-registry"].data


def test_an_evaluation_fails_where_a_threshold_was_missed(flow_run: Any, published: Any, tmp_path: Path) -> None:
    from flows.scheduled.evaluating import eval_flow

    asked = {"id": "q1", "query": "ERR_1042", "mode": "bm25", "category": "code", "expected": {"sources": ["docs/手册.md"]}}
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(asked, ensure_ascii=False) + "\n", encoding="utf-8")
    state, run = flow_run(eval_flow, str(file), **named(published), thresholds=["Recall@20>=0.5"], report=str(tmp_path / "out"))
    assert state.is_completed() and state.result()["questions"] == 1
    assert {"concord-eval-report", "concord-eval-html"} <= run.artifacts().keys()
    state, _ = flow_run(eval_flow, str(file), **named(published), thresholds=["Recall@20>=1.5"])
    assert state.is_failed() and "Recall@20" in state.message


def test_a_base_that_is_not_there_fails_at_once(flow_run: Any, prefect: Any, tmp_path: Path, waited: Any) -> None:
    from flows.scheduled.verifying import verify_flow
    from ingest.errors import KnowledgeBaseMissing

    state, run = flow_run(verify_flow, kb=str(tmp_path / "none"), pause_seconds=0.1)
    assert isinstance(state.result(raise_on_failure=False), KnowledgeBaseMissing)
    assert waited(lambda: run.tasks() == {"verify": 1})
