"""The same content is the same snapshot, whatever the folder, the order of arrival, the history or the executor."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

SEED = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}, {text: YunGate, kind: preferred}]}
  - {id: "urn:kb:entity:bus", type: product, names: [{text: YunBus, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:gate", relation: uses, object: "urn:kb:entity:bus", evidence: limits.en.md}
"""
CORPUS = {
    "手册/网关.md": "# 云脉网关\n\n云脉网关单节点最多承载两万个并发连接。\n\n"
    "## 安装\n\n安装前确认机柜有两路电源。见[限制](../limits.en.md)。\n",
    "limits.en.md": "---\nallowed_roles: [sre]\n---\n"
    "# Limits\n\nYunGate answers with ERR_1042 beyond 20000 connections to YunBus.\n",
    "v1.md": "---\ndocument: retention\nversion: '1'\nvalid_from: 2024-01-01\n---\n"
    "# Retention\n\nYunBus keeps messages for 7 days.\n",
    "v2.md": "---\ndocument: retention\nversion: '2'\nvalid_from: 2025-01-01\n---\n"
    "# Retention\n\nYunBus keeps messages for 14 days.\n",
    "hotline.txt": "客户二十四小时内第三次来电按一级问题处理。\n\n统一社会信用代码 91320594MAQH5N1C4N 的来电转给销售。\n",
    "page.html": "<!doctype html><html><head><title>Trial</title></head><body><main><h1>Trial</h1><p>The trial of YunGate "
    "lasts 45 days and needs no contract.</p></main></body></html>",
    "copy.md": "# 云脉网关\n\n云脉网关单节点最多承载两万个并发连接。\n",
    "bad.md": "---\nallowed_usres: [lin]\n---\n# Bad\n\nNobody reads this.\n",
}
QUESTIONS = ("云脉网关最多多少连接", "how long are messages kept", "ERR_1042", "91320594MAQH5N1C4N", "trial contract")


def fill(base: Any, paths: Any = CORPUS) -> Any:
    for path in paths:
        base.write(path, CORPUS[path])
    return base


def made(base: Any) -> Any:
    base.seed(SEED)
    return base


def answers(base: Any) -> list[Any]:
    """Return what every question is answered with, scores and all, less what names the generation or a clock."""
    from ingest.model.access import Principal
    from ingest.model.canonical import plain

    packs = [
        plain(base.search(question, mode=mode, who=Principal(roles=roles), as_of="2026-01-01T00:00:00Z"))
        for question in QUESTIONS for mode in ("bm25", "vector", "hybrid") for roles in ((), ("sre",))
    ]
    for pack in packs:
        del pack["generation"], pack["freshness"]  # which publication it was, and when: never content
        pack["trace"].pop("milliseconds", None)
    return packs


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Any:
    base = fill(made(make_base(tmp_path_factory.mktemp("reference"))))
    base.run()
    return base


@pytest.fixture(scope="module")
def expected(reference: Any) -> list[Any]:
    return answers(reference)


def same(base: Any, reference: Any, expected: list[Any]) -> bool:
    with base.catalog() as mine, reference.catalog() as other:
        manifest, there = mine.published(mine.head()).manifest, other.published(other.head()).manifest
    assert manifest.catalog == there.catalog
    assert (manifest.snapshot, manifest.builds) == (there.snapshot, there.builds)
    assert answers(base) == expected
    return True


def test_questions_are_answered_at_all(reference: Any, expected: list[Any]) -> None:
    assert sum(bool(pack["evidence"]) for pack in expected) > 20
    assert any(pack["evidence"] and pack["evidence"][0]["entity_ids"] for pack in expected)


def test_another_folder_and_a_second_clean_build_write_the_same_files(
    new_base: Callable[..., Any], reference: Any, expected: list[Any]
) -> None:
    base = fill(made(new_base("elsewhere/深/deeper")), reversed(CORPUS))
    base.run()
    assert same(base, reference, expected)
    mine, there = (folder.kb / "generations/1/manifest.json" for folder in (base, reference))
    assert mine.read_bytes() == there.read_bytes()
    for kind in ("bm25", "graph"):
        assert contents(base.kb / "builds" / kind) == contents(reference.kb / "builds" / kind)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_arrival_in_any_order_over_several_runs(
    new_base: Callable[..., Any], reference: Any, expected: list[Any], seed: int
) -> None:
    base, chance = made(new_base(f"order{seed}")), random.Random(seed)  # noqa: S311  # an order, not a secret
    paths = list(CORPUS)
    chance.shuffle(paths)
    while paths:
        count = chance.randint(1, 3)
        fill(base, paths[:count])
        del paths[:count]
        base.run()
    assert same(base, reference, expected)
    assert base.verify() == []


def test_edits_undone_deletions_undone_and_renames_undone(
    new_base: Callable[..., Any], reference: Any, expected: list[Any]
) -> None:
    base = fill(made(new_base("undone")))
    base.run()
    base.write("limits.en.md", "# Limits\n\nWholly other text, open to all.\n")
    base.write("bad.md", "# Bad\n\nNow everybody reads this.\n")
    base.write("extra.md", "# Extra\n\nYunGate and YunBus and more.\n")
    base.run()
    base.delete("v2.md")
    (base.docs / "copy.md").rename(base.docs / "手册" / "copy.md")
    base.set("chunk", child_max=100)
    base.seed(SEED.replace("YunBus", "SkyBus"))
    base.run()
    assert base.search("more").snapshot != reference.search("more").snapshot
    fill(base)
    base.delete("extra.md")
    base.delete("手册/copy.md")
    base.set("chunk", child_max=300)
    base.seed(SEED)
    base.run()
    assert same(base, reference, expected)
    assert base.verify() == []


def test_after_a_rollback_and_its_release(new_base: Callable[..., Any], reference: Any, expected: list[Any]) -> None:
    from flows.history import go_back, let_go

    base = made(new_base("rollback"))
    fill(base, list(CORPUS)[:4]).run()
    fill(base).run()
    go_back(base.settings, 1)
    let_go(base.settings)
    base.run()
    assert base.head() == 4
    assert same(base, reference, expected)


def test_processes_make_what_one_process_makes(
    new_base: Callable[..., Any], reference: Any, expected: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.gather._INLINE_BYTES", 0)
    base = fill(made(new_base("processes", execute={"executor": "processes", "workers": 2})))
    base.run()
    assert same(base, reference, expected)


def test_caches_decide_nothing(new_base: Callable[..., Any], reference: Any, expected: list[Any]) -> None:
    """A rebuild with a lost cache, and one in which every index starts from empty, give the same snapshot."""
    import shutil

    base = fill(made(new_base("cache")))
    base.run()
    shutil.rmtree(base.kb / "cache")
    base.write("extra.md", "# Extra\n\nYunGate and YunBus and more.\n")
    base.run()
    base.delete("extra.md")
    report = base.run()
    assert report.sources["gone"] == 1
    assert same(base, reference, expected)


def test_snapshot_tells_apart_what_differs(new_base: Callable[..., Any], reference: Any) -> None:
    for name, path, text in (
        ("text", "hotline.txt", CORPUS["hotline.txt"].replace("第三次", "第四次")),
        ("access", "limits.en.md", CORPUS["limits.en.md"].replace("sre", "it")),
        ("window", "v1.md", CORPUS["v1.md"].replace("2024-01-01", "2024-01-02")),
    ):
        base = fill(made(new_base(name)))
        base.write(path, text)
        report = base.run()
        assert report.snapshot != reference.search("x").snapshot, name
    assert orjson.loads((reference.kb / "generations/1/manifest.json").read_bytes())["generation"] == 1
