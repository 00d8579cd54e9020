"""`ingest parse --chunks`: what becomes of a file, for people and for programs, under the settings that are for that file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingest.model.chunk import embedded

RULE = "云脉网关在每天两点备份全部配置，备份写入对象存储，失败时重试三次，每次间隔十分钟。"
RULES = RULE * 24


def test_parents_are_headlines_over_their_children(ingest: Callable[..., Any], docs: Path) -> None:
    ended = ingest("parse", str(docs / "手册.md"), "--chunks")
    out = ended.out.splitlines()
    assert ended.code == 0
    assert "=== cut into parents of 600-1000 and children of 180-300 units (what belongs together: up to 600)" in out
    (parent,) = [line for line in out if line.startswith("=== parent")]
    assert parent.startswith("=== parent 1, ") and parent.endswith(" units, 云脉网关手册")
    children = [line for line in out if line.startswith("--- ")]
    assert [line.rpartition(", ")[2] for line in children] == ["云脉网关手册", "云脉网关手册 > Limits"]
    assert all("lines " in line for line in children) and "    embedded with: 云脉网关手册" in out


def test_what_is_repeated_is_marked(ingest: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text(f"# 备份\n\n{RULES}\n", encoding="utf-8")
    out = ingest("parse", "rules.md", "--chunks").out
    assert out.count(f"⟦{RULE}⟧{RULE}") >= 2


def test_settings_that_are_for_the_file_are_shown(ingest: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text(f"# 备份\n\n{RULES}\n", encoding="utf-8")
    (tmp_path / "ingest.toml").write_text(
        "[[chunk.rules]]\ntypes = ['text/markdown']\nchild_min = 80\nchild_max = 120\n"
        "[[chunk.rules]]\npaths = ['*.txt']\nchild_max = 9\n",
        encoding="utf-8",
    )
    (seen,) = ingest("parse", "rules.md", "--chunks", "--format", "json").json
    assert (seen["chunk_settings"]["child_max"], seen["chunk_settings"]["parent_max"]) == (120, 1000)
    assert "rules" not in seen["chunk_settings"]
    assert max(child["units"] for child in seen["children"]) <= 120
    assert "children of 80-120 units" in ingest("parse", "rules.md", "--chunks").out


def test_rules_for_a_folder_are_those_of_a_run_over_the_root(ingest: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "kb/contracts").mkdir(parents=True)
    (tmp_path / "kb/contracts/rules.md").write_text(f"# 备份\n\n{RULES}\n", encoding="utf-8")
    (tmp_path / "ingest.toml").write_text("[[chunk.rules]]\npaths = ['contracts/*']\nchild_max = 200\n", encoding="utf-8")
    shown = ("parse", "kb/contracts/rules.md", "--chunks", "--format", "json")
    (seen,) = ingest(*shown, "--root", "kb").json
    assert (seen["chunk_settings"]["child_max"], seen["uri"]) == (200, "kb/contracts/rules.md")
    assert ingest(*shown).json[0]["chunk_settings"]["child_max"] == 300
    assert ingest(*shown, "--root", "elsewhere").code == 2


def test_tokens_are_told_where_the_engine_tells_them(
    ingest: Callable[..., Any], docs: Path, monkeypatch: Any
) -> None:
    (seen,) = ingest("parse", str(docs / "手册.md"), "--chunks", "--format", "json").json
    assert {child["tokens"] for child in seen["children"]} == {None}
    monkeypatch.setattr("ingest.embed.engine.tokenizer", lambda *_: len)
    (seen,) = ingest("parse", str(docs / "手册.md"), "--chunks", "--format", "json").json
    assert [child["tokens"] for child in seen["children"]] == [
        len(embedded(child["prefix"], child["text"])) for child in seen["children"]
    ]
    assert " tokens, lines " in ingest("parse", str(docs / "手册.md"), "--chunks").out
