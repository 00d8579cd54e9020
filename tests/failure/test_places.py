"""The same documents under another locale, time zone, encoding, umask or hash seed: the same digest, nothing is done again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
INGEST = "from ingest.cli.main import main; main()"
PLACES: dict[str, dict[str, str]] = {
    "C": {"LC_ALL": "C", "TZ": "UTC", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "Shanghai": {"LC_ALL": "zh_CN.GB18030", "LANG": "zh_CN.GB18030", "TZ": "Asia/Shanghai", "PYTHONUTF8": "0"},
    "New York": {"LC_ALL": "en_US.UTF-8", "TZ": "America/New_York", "PYTHONHASHSEED": "1"},
    "POSIX in ASCII": {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
                       "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "7"},
}
DOCUMENTS = {
    "手册/云脉网关.md": (
        "---\ntitle: 云脉网关手册\nvalid_from: 2024-07-01\n---\n# 云脉网关手册\n\n云脉网关支持两路电源。\n\n"
        "## 安裝\n\n繁體中文。\n"
    ),
    "étude.md": (
        "---\ndocument: étude\nversion: '1'\nvalid_from: 2024-01-01T23:30:00\n---\n# Étude\n\nİstanbul, ıŞIK, Straße, ﬁn.\n"
    ),
    "gb.txt": "机柜有两路电源，先接管理口。\n".encode("gb18030"),
    "dates.md": "---\nvalid_from: 2025-03-30T02:30:00\nvalid_until: 2025-10-26\n---\n# Dates\n\nSummer time begins and ends.\n",
}


class Elsewhere:
    """`ingest` as a program, in a place."""

    def __init__(self, base: Any) -> None:
        self.base = base
        for path, content in DOCUMENTS.items():
            base.write(path, content)

    def __call__(self, place: str, *arguments: str, umask: int = 0o022) -> dict[str, Any]:
        import json

        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "TZ", "PYTHON"))}
        ended = subprocess.run(
            [sys.executable, "-c", INGEST, *arguments, "--kb", str(self.base.kb), "--json"], capture_output=True, umask=umask,
            env={**inherited, "PYTHONPATH": str(PROJECT), "INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline",
                 "OMP_NUM_THREADS": "1", **PLACES[place]},
            check=False,
        )
        assert ended.returncode == 0, ended.stderr.decode("utf-8", "replace")
        found: dict[str, Any] = json.loads(ended.stdout)
        return found


@pytest.fixture
def elsewhere(base: Any) -> Elsewhere:
    return Elsewhere(base)


def test_run_in_another_place_finds_nothing_to_do(elsewhere: Elsewhere) -> None:
    here = elsewhere.base.run()
    assert here.failures == ()
    for place in ("C", "New York"):
        there = elsewhere(place, "run", str(elsewhere.base.docs), "--rehash")
        assert (there["published"], there["embedded"], there["snapshot"]) == (False, 0, here.snapshot), place


@pytest.mark.parametrize(
    "place", ["Shanghai", *(pytest.param(place, marks=pytest.mark.slow) for place in PLACES if place != "Shanghai")]
)
def test_base_made_in_another_place_is_the_same_base(elsewhere: Elsewhere, new_base: Any, place: str) -> None:
    there = elsewhere(place, "run", str(elsewhere.base.docs))
    assert elsewhere.base.run().published is False
    here = new_base("here")
    for path, content in DOCUMENTS.items():
        here.write(path, content)
    assert here.run().snapshot == there["snapshot"]
    question = elsewhere(place, "search", "云脉网关 电源", "--mode", "hybrid", "--as-of", "2024-07-01")
    answer = here.search("云脉网关 电源", mode="hybrid", as_of="2024-07-01T00:00:00Z")
    assert [item["chunk_id"] for item in question["evidence"]] == [item.chunk_id for item in answer.evidence]
    assert question["evidence"][0]["uri"] == "docs/手册/云脉网关.md"


def test_day_is_midnight_in_utc_wherever_it_is_asked_from(elsewhere: Elsewhere) -> None:
    elsewhere.base.run()
    assert elsewhere("Shanghai", "search", "云脉网关", "--mode", "bm25", "--as-of", "2024-06-30T23:59:59Z")["evidence"] == []
    assert elsewhere("New York", "search", "云脉网关", "--mode", "bm25", "--as-of", "2024-07-01")["evidence"]


def test_files_of_a_base_are_closed_to_whom_the_umask_closes_them(elsewhere: Elsewhere) -> None:
    elsewhere("New York", "run", str(elsewhere.base.docs), umask=0o077)
    open_to_others = [path for path in elsewhere.base.kb.rglob("*") if path.stat().st_mode & 0o077]
    assert open_to_others == []
    assert elsewhere.base.verify() == []
