"""`ingest verify --repair` as typed: what it says, its JSON and its exit codes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_repair_says_what_was_repaired_and_ends_with_0(ingest: Callable[..., Any], docs: Path, tmp_path: Path) -> None:
    ingest("run", "docs")
    shutil.rmtree(tmp_path / ".kb" / "builds" / "bm25")
    assert ingest("verify").code == 5
    ended = ingest("verify", "--repair")
    assert ended.code == 0
    assert "repaired: torn file: bm25/" in ended.out and "generation 2 is as published" in ended.out
    shutil.rmtree(tmp_path / ".kb" / "builds" / "graph")
    ended = ingest("verify", "--repair", "--json")
    told = json.loads(ended.out)
    assert (ended.code, told["generation"], told["clean"], told["drift"]) == (0, 3, True, [])
    assert {item["kind"] for item in told["repaired"]} <= {"torn file", "wrong build"} and told["repaired"]
    assert ingest("verify", "--repair").out == ingest("verify").out


def test_repair_of_an_older_generation_is_a_usage_error(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    ended = ingest("verify", "--repair", "--generation", "1")
    assert (ended.code, ended.out) == (2, "")
    assert "--generation" in ended.err
