"""`ingest citations`: exit codes, what is told of each citation, and the generation that is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def held(ingest: Callable[..., Any], docs: Path, tmp_path: Path) -> Callable[..., Any]:
    """Hold an answer to the pack of a question to a published base."""
    ingest("run", "docs")
    (tmp_path / "pack.json").write_text(ingest("search", "ERR_1042", "--mode", "bm25", "--json").out, encoding="utf-8")

    def call(answer: str, *options: str) -> Any:
        (tmp_path / "answer.md").write_text(answer, encoding="utf-8")
        return ingest("citations", "answer.md", "--pack", "pack.json", *options)

    return call


def test_a_faithful_answer_holds(held: Callable[..., Any]) -> None:
    ended = held('It "answers with ERR_1042" [K1].', "--kept")
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "K1  holds  (docs/手册.md)", "quoted, K1: holds (K1): answers with ERR_1042",
        "0 of 1 sentences without a citation; valid",
    ]


def test_what_does_not_hold_is_told_and_ends_with_1(held: Callable[..., Any]) -> None:
    ended = held('It "answers with ERR_9999" [K1]. So it is [K7]. And more.')
    assert ended.code == 1
    assert "K7  the pack has no such piece" in ended.out and "no piece of the pack says so" in ended.out
    assert "without a citation: And more." in ended.out and ended.out.endswith("not valid\n")
    report = held("[K7]", "--json").json
    assert (report["valid"], report["cited"][0]["problems"]) == (False, ["unknown"])


def test_a_passage_that_changed_since_still_holds_in_its_generation(
    held: Callable[..., Any], ingest: Callable[..., Any], docs: Path
) -> None:
    file = docs / "手册.md"
    file.write_text(file.read_text(encoding="utf-8").replace("Beyond that", "Beyond this"), encoding="utf-8")
    ingest("run")
    assert held("[K1]", "--kept").code == 0


def test_a_generation_that_is_not_kept_cannot_be_told(held: Callable[..., Any], tmp_path: Path) -> None:
    pack = tmp_path / "pack.json"
    pack.write_text(pack.read_text(encoding="utf-8").replace('"generation": 1,', '"generation": 77,'), encoding="utf-8")
    ended = held("[K1]", "--kept")
    assert (ended.code, ended.out) == (6, "")
    assert held("[K1]").code == 0, "the pack alone still tells"


def test_what_is_no_pack_is_a_wrong_use(held: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "pack.json").write_text("[]", encoding="utf-8")
    assert held("[K1]").code == 2
    (tmp_path / "pack.json").unlink()
    assert held("[K1]").code == 2
