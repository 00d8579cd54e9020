"""The command line, run in this process: what it prints, where, and with which exit code it ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended. `out` and `err` are what it wrote to the descriptors, whoever in the process wrote it."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def ingest(
    tmp_path: Path, unflushed: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Run `ingest` with these arguments in a folder of its own, with the hash embedder and one process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INGEST_EMBED__ENGINE", "hash")
    monkeypatch.setenv("INGEST_EXECUTE__EXECUTOR", "inline")

    def call(*arguments: str) -> Ended:
        from ingest.cli.main import main

        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["ingest", *arguments])
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        out, err = capfd.readouterr()
        return Ended(code, out, err)

    return call


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "手册.md").write_text(
        "---\ntitle: 云脉网关手册\ndocument: manual\nversion: '2.0'\nvalid_from: 2025-01-01\n---\n"
        "# 云脉网关手册\n\n云脉网关最多承载两万个连接。\n\n## Limits\n\nBeyond that it answers with ERR_1042.\n",
        encoding="utf-8",
    )
    (folder / "private.md").write_text("---\nlevel: internal\n---\n# Private\n\nThe QUOKKA is private.\n", encoding="utf-8")
    return folder
