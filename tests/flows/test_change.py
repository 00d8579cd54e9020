"""What a change of sources costs and brings about, and that nothing else is re-done."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from ingest.errors import NotFound
from ingest.model.access import Principal

LONG = "".join(
    f"## 第 {number} 节 Section {number}\n\n网关在第 {number} 节的配置由管理员维护。"
    f"The setting number {number} is kept by the operators of site {number}, who review it every {number + 2} weeks.\n\n"
    for number in range(12)
)
"""A document of a dozen sections, each a chunk of its own kind."""


@pytest.fixture
def long(base: Any) -> Any:
    base.set("chunk", parent_min=60, parent_max=120, child_min=20, child_max=60)
    base.write("long.md", f"# 站点配置\n\n{LONG}")
    base.write("other.md", "# Other\n\nAnother document that stays as it is.\n")
    base.run()
    return base


def test_first_run_publishes_every_document_in_three_indexes(base: Any) -> None:
    base.write("手册.md")
    base.write("a/b.txt", "纯文本也是文档。\n\nPlain text is a document too.\n")
    report = base.run()
    assert (report.generation, report.published, report.exit_code) == (1, True, 0)
    assert report.sources == {"added": 2, "changed": 0, "same": 0, "gone": 0, "renamed": 0, "failed": 0}
    held = base.held()
    assert held["vector"] == held["bm25"] == held["graph"] == set(base.chunks())
    assert report.chunks["added"] == len(base.chunks()) > 2


def test_run_with_nothing_to_do_publishes_nothing_and_confirms(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    base.write("手册.md")
    first = base.run()
    monkeypatch.setattr("ingest.store.catalog.now", lambda: "2999-01-01T00:00:00Z")
    second = base.run()
    assert (second.published, second.generation, second.snapshot, second.embedded) == (False, 1, first.snapshot, 0)
    assert second.sources["same"] == 1
    with base.catalog() as catalog:
        (published,) = catalog.generations()
    assert published.confirmed_at == "2999-01-01T00:00:00Z" != published.published_at


def test_edit_that_keeps_size_and_times_is_seen(base: Any, trusting: None) -> None:
    file = base.write("limits.md", "# Limits\n\nA node accepts 20000 connections.\n")
    base.run()
    before = file.stat()
    file.write_text("# Limits\n\nA node accepts 30000 connections.\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert base.run().sources["changed"] == 1
    assert base.found("30000") == ["limits.md"]
    assert base.found("20000") == []


def test_touched_file_is_read_and_nothing_is_redone(base: Any, trusting: None) -> None:
    file = base.write("手册.md")
    base.run()
    os.utime(file, ns=(1, 1))
    report = base.run()
    assert (report.published, report.embedded, report.sources["same"], report.sources["changed"]) == (False, 0, 1, 0)


def test_settled_file_is_not_even_opened(base: Any, trusting: None, monkeypatch: pytest.MonkeyPatch) -> None:
    base.write("手册.md")
    base.run()
    opened: list[str] = []
    monkeypatch.setattr("flows.gather.read", lambda scanned, limit: opened.append(scanned.source.path))
    assert base.run().published is False
    assert opened == []


def test_rehash_sees_what_signatures_cannot_tell(base: Any, trusting: None) -> None:
    file = base.write("limits.md", "# Limits\n\nA node accepts 20000 connections.\n")
    base.run()
    file.write_text("# Limits\n\nA node accepts 30000 connections.\n")
    status = file.stat()
    signature = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    with base.catalog() as catalog:  # a file system that gives the new bytes the old signature
        catalog.put_seen([(id, {"file": signature, "sidecar": None}, seen[1]) for id, seen in catalog.seen().items()])
    assert base.run().published is False
    assert base.run(rehash=True).sources["changed"] == 1
    assert base.found("30000") == ["limits.md"]


@pytest.mark.parametrize("how", ["rename", "copy", "move to a folder"])
def test_moved_and_copied_documents_embed_nothing(base: Any, how: str) -> None:
    base.write("手册.md")
    base.write("limits.md", "# Limits\n\nA node accepts 20000 connections.\n")
    base.run()
    (base.docs / "new").mkdir()
    target = base.docs / {"rename": "说明书.md", "copy": "copy.md", "move to a folder": "new/手册.md"}[how]
    (shutil.copy if how == "copy" else shutil.move)(base.docs / "手册.md", target)
    report = base.run()
    assert report.published
    assert report.embedded == 0
    assert report.sources["renamed"] == (how != "copy")
    assert (report.sources["added"], report.sources["gone"]) == (1 if how == "copy" else 0, 0)
    name = target.relative_to(base.docs).as_posix()
    assert base.found("机柜") == sorted({"手册.md", name} if how == "copy" else {name})


def test_one_edited_paragraph_embeds_at_most_two_chunks(long: Any) -> None:
    text = (long.docs / "long.md").read_text()
    long.write("long.md", text.replace("由管理员维护。The setting number 5", "由值班员维护。The setting number 5"))
    report = long.run()
    assert 1 <= report.embedded <= 2
    assert report.chunks["added"] <= 2 and report.chunks["removed"] <= 2
    assert long.found("值班员") == ["long.md"]


def test_inserted_section_moves_the_others_without_embedding_them(long: Any) -> None:
    text = (long.docs / "long.md").read_text()
    long.write("long.md", text.replace("## 第 5 节", "## 插入的一节\n\n这是全新的内容。\n\n## 第 5 节"))
    report = long.run()
    assert 1 <= report.embedded <= 2
    assert long.verify() == []
    shown = long.show("docs/long.md")
    spans = [long.show(chunk)["provenance"]["span"][0] for chunk in shown["children"]]
    assert spans == sorted(spans)


def restriction(kind: str) -> Callable[[Any], None]:
    def front_matter(base: Any) -> None:
        base.write("plan.md", "---\ntitle: Plan\nallowed_users: [lin]\n---\n# Plan\n\nThe ZEPHYR plan.\n")

    def sidecar(base: Any) -> None:
        base.write("plan.md.meta.yaml", "title: Plan\nallowed_users: [lin]\n")

    return front_matter if kind == "front matter" else sidecar


@pytest.mark.parametrize("kind", ["front matter", "sidecar"])
def test_changed_access_rule_takes_effect_without_embedding(base: Any, kind: str) -> None:
    base.write("plan.md", "---\ntitle: Plan\n---\n# Plan\n\nThe ZEPHYR plan.\n")
    base.write("other.md", "# Other\n\nUnrelated.\n")
    base.run()
    assert base.found("ZEPHYR") == ["plan.md"]
    restriction(kind)(base)
    report = base.run()
    assert (report.published, report.embedded, report.sources["changed"]) == (True, 0, 1)
    assert (report.chunks["added"], report.chunks["removed"]) == (0, 0)
    assert base.found("ZEPHYR") == []
    assert base.found("ZEPHYR", who=Principal("lin")) == ["plan.md"]
    assert base.found("ZEPHYR", mode="vector") == ["other.md"]


def test_deleted_document_leaves_three_indexes_and_answers(base: Any) -> None:
    base.write("手册.md")
    base.write("limits.md", "# Limits\n\nSee QUOKKA for details.\n")
    base.run()
    gone = set(base.chunks("limits.md"))
    base.delete("limits.md")
    report = base.run()
    assert (report.sources["gone"], report.chunks["removed"], report.embedded) == (1, len(gone), 0)
    assert all(not held & gone for held in base.held().values())
    assert base.found("QUOKKA") == []
    assert base.found("limits", mode="vector") == ["手册.md"]
    for id in ("docs/limits.md", *gone):
        with pytest.raises(NotFound):
            base.show(id)


def test_deleting_the_last_document_leaves_an_empty_base(base: Any) -> None:
    file = base.write("手册.md")
    base.run()
    file.unlink()
    assert base.run(file).sources["gone"] == 1
    assert base.held() == {"vector": set(), "bm25": set(), "graph": set()}
    assert base.search("云脉", mode="hybrid").status == "insufficient_evidence"
    assert base.verify() == []
    base.write("手册.md")
    assert base.run().embedded == 0
    assert base.found("云脉") == ["手册.md"]


def test_narrowed_run_touches_nothing_outside(base: Any) -> None:
    base.write("a/one.md", "# One\n\nALPHA\n")
    base.write("b/two.md", "# Two\n\nBETA\n")
    base.run()
    base.write("a/one.md", "# One\n\nGAMMA\n")
    base.write("a/three.md", "# Three\n\nDELTA\n")
    base.write("b/two.md", "# Two\n\nEPSILON\n")
    base.write("c/four.md", "# Four\n\nZETA\n")
    report = base.run(base.docs / "a")
    assert (report.sources["added"], report.sources["changed"], report.sources["gone"]) == (1, 1, 0)
    found = {word: base.found(word) for word in ("ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON", "ZETA")}
    assert found == {
        "ALPHA": [], "BETA": ["b/two.md"], "GAMMA": ["a/one.md"], "DELTA": ["a/three.md"], "EPSILON": [], "ZETA": [],
    }
    base.delete("b/two.md")
    assert base.run(base.docs / "a").published is False
    assert base.found("BETA") == ["b/two.md"]
    assert base.run(base.docs / "b" / "two.md").sources["gone"] == 1
    assert base.found("BETA") == []


def test_links_between_documents_survive_their_order_of_arrival(base: Any) -> None:
    base.write("a.md", "# A\n\nSee [the other](sub/b.md).\n")
    base.run()
    base.write("sub/b.md", "# B\n\nBack to [A](../a.md).\n")
    base.run()
    from flows.opening import reading
    from ingest.model.predicate import Predicate
    from ingest.model.source import source_id

    a, b = source_id("docs", "a.md"), source_id("docs", "sub/b.md")
    with reading(base.settings) as snapshot:
        edges = snapshot.graph.neighbors([a, b], ["links_to"], Predicate(), 10)
    assert {(edge.subject, edge.object) for edge in edges} == {(a, b), (b, a)}


def test_manifest_has_no_clock_path_or_host(base: Any) -> None:
    base.write("手册.md")
    base.run()
    manifest = orjson.loads((base.kb / "generations/1/manifest.json").read_bytes())
    assert set(manifest) == {
        "generation", "snapshot", "builds", "catalog", "registry", "settings", "fingerprints", "scoring", "values",
        "engines", "redirects", "format",
    }
    text = orjson.dumps(manifest).decode()
    assert str(base.folder) not in text and os.uname().nodename not in text and "T00:" not in text


def test_root_of_any_name_and_base_at_any_path(new_base: Callable[..., Any]) -> None:
    base = new_base("知识 库 #1?%20&x=y")
    base.write("规 定/手册 (终稿).md")
    report = base.run()
    assert report.exit_code == 0
    assert base.found("机柜") == ["规 定/手册 (终稿).md"]
    assert base.run().published is False


def test_renamed_document_without_a_title_embeds_nothing(base: Any) -> None:
    base.write("first-name.md", "Nothing here says what this is called. It holds the word QUOKKA.\n")
    base.run()
    base.write("second-name.md", (base.docs / "first-name.md").read_bytes())
    base.delete("first-name.md")
    report = base.run()
    assert (report.sources["renamed"], report.embedded) == (1, 0)
    (item,) = base.search("QUOKKA").evidence
    assert item.title == "second-name"
