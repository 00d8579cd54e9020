"""Passages that say the same in several documents: told beside each other, and only to those who may see both."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.answering import answer
from flows.opening import reading
from flows.pipeline import Options, run
from indexes.query.request import Request
from ingest.model.access import Principal
from ingest.model.edge import NEAR_DUPLICATE
from ingest.model.evidence import EvidencePack
from ingest.progress import Silent
from ingest.settings import Settings, load

ZH = (
    "全体员工应当妥善保管账号与口令，不得转借他人使用。离开座位时必须锁定屏幕，发现异常应当在 2 小时以内报告信息安全部。"
    "违反规定的，按照员工手册处理，并且取消当年的评优资格。"
)
EN = (
    "All employees keep their accounts and passwords to themselves and lend them to nobody. Lock the screen when you leave "
    "your desk, and report anything odd to the security team within 2 hours, by telephone or in person."
)


class _Kb:
    def __init__(self, folder: Path, docs: Path) -> None:
        self.docs = docs
        overrides = {"kb": str(folder), "embed": {"engine": "hash"}, "execute": {"executor": "inline"}}
        self.settings: Settings = load(None, overrides, {})

    def run(self) -> None:
        run(self.settings, Options((self.docs,)), Silent())

    def ask(self, query: str, who: Principal = Principal()) -> EvidencePack:  # frozen
        return answer(self.settings, Request(query, principal=who), None)

    def edges(self) -> tuple[str, list[tuple[str, str, float]]]:
        with reading(self.settings) as snapshot:
            found = [edge for edge in snapshot.graph.edges() if edge.relation == NEAR_DUPLICATE]
            return snapshot.manifest.snapshot, sorted((edge.subject, edge.object, edge.confidence) for edge in found)


@pytest.fixture
def kb(tmp_path: Path) -> _Kb:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text(f"# 守则\n\n{ZH}\n", encoding="utf-8")
    (docs / "b.md").write_text(f"# Rules\n\n{EN}\n", encoding="utf-8")
    return _Kb(tmp_path / "kb", docs)


@pytest.mark.parametrize(("text", "original"), [(ZH, "docs/a.md"), (EN, "docs/b.md")], ids=["zh", "en"])
def test_a_copy_is_listed_beside_what_was_found(kb: _Kb, text: str, original: str) -> None:
    (kb.docs / "copy.txt").write_text(text + "\n", encoding="utf-8")
    kb.run()
    pack = kb.ask(text[:40])
    told = [{item.uri, *(copy.uri for copy in item.also_in)} for item in pack.evidence]
    assert {original, "docs/copy.txt"} in told
    assert pack.trace["collapsed"] == 1


def test_another_figure_is_another_statement(kb: _Kb) -> None:
    (kb.docs / "c.md").write_text(f"# 守则\n\n{ZH.replace('2 小时', '8 小时')}\n", encoding="utf-8")
    kb.run()
    assert kb.edges()[1] == []
    assert {"docs/a.md", "docs/c.md"} <= {item.uri for item in kb.ask("发现异常多久报告").evidence}


def test_a_copy_that_the_caller_may_not_see_is_not_told(kb: _Kb) -> None:
    (kb.docs / "c.md").write_text(f"---\nallowed_users: [lin]\n---\n# 守则\n\n{ZH}\n", encoding="utf-8")
    kb.run()
    assert len(kb.edges()[1]) == 1
    pack = kb.ask("保管账号口令")
    assert all(item.also_in == () for item in pack.evidence)
    assert pack.trace["collapsed"] == 0
    shown = kb.ask("保管账号口令", Principal(user="lin")).evidence
    assert "docs/c.md" in {copy.uri for item in shown for copy in item.also_in} | {item.uri for item in shown}


def test_steps_give_the_edges_of_a_clean_build(kb: _Kb, tmp_path: Path) -> None:
    kb.run()
    for number in range(4):
        (kb.docs / f"{number}.md").write_text(f"# 分公司\n\n{ZH}\n\n# Branch\n\n{EN}\n", encoding="utf-8")
        kb.run()
    (kb.docs / "1.md").unlink()
    (kb.docs / "2.md").write_text("# 分公司\n\n这里现在写着完全不同的内容。\n", encoding="utf-8")
    kb.run()
    clean = _Kb(tmp_path / "clean", kb.docs)
    clean.run()
    assert kb.edges() == clean.edges()
    assert len(kb.edges()[1]) >= 6


def test_a_lost_file_of_keys_costs_time_only(kb: _Kb, tmp_path: Path) -> None:
    kb.run()
    for file in (tmp_path / "kb" / "cache").glob("passages.db*"):
        file.unlink()
    (kb.docs / "c.md").write_text(f"# 守则\n\n{ZH}\n", encoding="utf-8")
    kb.run()
    assert len(kb.edges()[1]) == 1
