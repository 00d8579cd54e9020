"""A knowledge base with its vector and BM25 index on a server (the stand-in): every stage of it, and beside one in files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from ingest.errors import UsageError
from ingest.model.access import Principal
from ingest.progress import Silent

SECRET = """---
title: 内部价目
tenant: larkfield
level: 1
---
# 内部价目

青鹿套餐 quokka 的处理费是 4200 元。
"""
ASKED = (("云脉网关 安装", "hybrid"), ("ERR_1042 两路电源", "bm25"), ("connections limits", "vector"), ("absent", "hybrid"))


def _server(base: Any, url: str) -> Any:
    base.set("index", backend="qdrant", qdrant_url=url, retries=1, timeout_seconds=20)
    return base


def _answers(base: Any, generation: int | None = None, **request: Any) -> list[Any]:
    """What is found by every mode: chunk ids and scores."""
    return [
        [(item.chunk_id, item.checksum, _rounded(asdict(item.scores)))
         for item in base.search(query, generation, mode=mode, **request).evidence]
        for query, mode in ASKED
    ]


def _rounded(scores: dict[str, Any]) -> dict[str, Any]:
    return {name: round(score, 3) if isinstance(score, float) else score for name, score in scores.items()}


def test_a_base_on_a_server_answers_like_one_in_files(new_base: Callable[..., Any], qdrant_url: str) -> None:
    files, server = new_base("files"), _server(new_base("server"), qdrant_url)
    for base in (files, server):
        base.write("gateway.md")
        base.write("secret.md", SECRET)
    first = [base.run() for base in (files, server)]
    assert first[0].snapshot == first[1].snapshot
    assert _answers(files) == _answers(server)
    mine = Principal("ann", (), "larkfield", 1)
    assert server.found("quokka") == [] and server.found("quokka", who=mine) == ["secret.md"]
    assert _answers(files, who=mine) == _answers(server, who=mine)
    for base in (files, server):
        base.write("gateway.md", base.docs.joinpath("gateway.md").read_text().replace("20000", "30000"))
        base.write("more.md", "# 更多\n\n备份每日凌晨两点执行，ERR_1042 不影响备份。\n")
        base.delete("secret.md")
    assert files.run(allow_mass_delete=True).snapshot == server.run(allow_mass_delete=True).snapshot
    assert _answers(files) == _answers(server) and server.found("quokka", who=mine) == []
    assert _answers(files, 1) == _answers(server, 1), "the older generation answers from the same points"
    assert server.held() == files.held()
    assert server.verify() == server.verify(deep=True) == []
    assert server.check().status == "fresh" and server.run().published is False


def test_rollback_and_prune_work_on_the_points(new_base: Callable[..., Any], qdrant_url: str) -> None:
    from flows.history import drop, go_back, let_go

    files, server = new_base("files"), _server(new_base("server"), qdrant_url)
    answers = []
    for base in (files, server):
        base.write("gateway.md")
        base.run()
        base.write("gateway.md", base.docs.joinpath("gateway.md").read_text().replace("两路电源", "三路电源"))
        base.write("new.md", "# Added\n\nZephyr for everybody.\n")
        base.run()
        go_back(base.settings, 1)
        assert base.found("zephyr") == [] and base.found("zephyr", 2) == ["new.md"]
        back = _answers(base)
        assert back == _answers(base, 1)
        let_go(base.settings)
        base.write("gateway.md", base.docs.joinpath("gateway.md").read_text().replace("20000", "25000"))
        report = base.run()
        assert base.found("zephyr") == ["new.md"] and base.verify(deep=True) == []
        drop(base.settings, 1)
        assert base.verify(deep=True) == []
        answers.append((report.snapshot, back, _answers(base)))
    assert answers[0] == answers[1]
    assert _held(server, qdrant_url) == sum(1 for _ in server.chunks()), "points of pruned generations are gone"


def _held(base: Any, url: str) -> int:
    """How many points the collection of a base has, whoever needs them."""
    import httpx

    (name,) = json.loads((base.kb / "server.json").read_text())["collections"]
    return int(httpx.get(f"{url}/collections/{name}").json()["result"]["points_count"])


def test_a_move_there_and_back_changes_no_digest_and_no_answer(base: Any, qdrant_url: str) -> None:
    from flows.moving import move

    base.write("gateway.md")
    base.write("secret.md", SECRET)
    snapshot, before = base.run().snapshot, _answers(base)
    base.set("index", qdrant_url=qdrant_url)
    there = move(base.settings, "qdrant", Silent())
    assert (there.moved, there.snapshot, there.warnings) == (True, snapshot, ())
    assert _answers(base) == before and base.verify(deep=True) == []
    assert move(base.settings, "qdrant", Silent()).moved is False
    assert base.run().published is False, "auto keeps the place"
    base.write("more.md", "# More\n\nwombat once.\n")
    base.run()
    assert base.found("wombat") == ["more.md"]
    base.delete("more.md")
    assert base.run().snapshot == snapshot
    (base.kb / "cache" / "cache.db").unlink()
    back = move(base.settings, "embedded", Silent())
    assert (back.snapshot, back.contents) == (snapshot, there.contents)
    assert _answers(base) == before and base.verify(deep=True) == []
    assert [path.name for path in (base.kb / "builds" / "vector").iterdir() if (path / "shard").exists()]


def test_what_another_version_wrote_is_not_moved(base: Any, qdrant_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.moving import move

    base.write("gateway.md")
    base.run()
    base.set("index", qdrant_url=qdrant_url)
    monkeypatch.setattr("indexes.vector.format.FINGERPRINT", "vector 99")
    with pytest.raises(UsageError, match=r"vector index is of another format .* ingest run"):
        move(base.settings, "qdrant", Silent())
    assert base.head() == 1


def test_the_setting_alone_moves_too(base: Any, qdrant_url: str) -> None:
    base.write("gateway.md")
    snapshot = base.run().snapshot
    _server(base, qdrant_url)
    assert base.check().status == "stale"
    report = base.run()
    assert (report.published, report.snapshot, report.embedded) == (True, snapshot, 0)
    assert base.verify(deep=True) == []


def test_check_asks_the_server(base: Any, qdrant_process: Callable[..., Any]) -> None:
    shim = qdrant_process()
    _server(base, shim.url).write("gateway.md")
    base.run()
    assert base.check().status == "fresh"
    shim.kill()
    away = base.check()
    assert away.status == "unknown" and "does not answer" in " ".join(away.problems)


def test_what_is_on_a_server_is_not_exported(base: Any, qdrant_url: str) -> None:
    from flows.shipping import send

    _server(base, qdrant_url).write("gateway.md")
    base.run()
    with pytest.raises(UsageError, match="ingest move --to embedded"):
        send(base.settings, base.folder / "kb.tar.zst", None, Silent())
