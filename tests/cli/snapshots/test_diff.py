"""`ingest snapshots diff`: its text against a golden file, its JSON, its bounds.

After a wanted change: `CONCORD_REWRITE_GOLDEN=1 pytest tests/cli/snapshots/test_diff.py`, then read the diff.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parent / "diff.txt"
REWRITE = os.environ.get("CONCORD_REWRITE_GOLDEN") == "1"


def happenings() -> Any:
    """The module that says what happens between the two generations; tests of `flows.between` stand on it too."""
    place = Path(__file__).parents[2] / "flows" / "between" / "conftest.py"
    spec = importlib.util.spec_from_file_location("happenings", place)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def changed(base: Any, ingest: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    both = happenings()
    both.before(base)
    base.run()
    both.after(base)
    base.run()
    monkeypatch.setenv("INGEST_KB", str(base.kb))
    return base


def masked(text: str) -> str:
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, snapshot [0-9a-f]{12}", "CLOCK, snapshot ID", text)
    return re.sub(r"recognise: [0-9a-f]{32} -> [0-9a-f]{32}", "recognise: A -> B", text)


def test_text_is_what_the_golden_file_says(changed: Any, ingest: Callable[..., Any]) -> None:
    ended = ingest("snapshots", "diff")
    assert (ended.code, ended.err) == (0, "")
    if REWRITE:
        GOLDEN.write_text(masked(ended.out), encoding="utf-8")
    else:
        assert masked(ended.out) == GOLDEN.read_text(encoding="utf-8")


def test_nothing_is_being_rewritten() -> None:
    assert not REWRITE


def test_json_has_all_of_it(changed: Any, ingest: Callable[..., Any]) -> None:
    ended = ingest("snapshots", "diff", "1", "2", "--json")
    told = ended.json
    assert ended.code == 0
    assert set(told) == {"before", "after", "shape", "documents", "entities", "assertions", "counts"}
    assert (told["before"]["generation"], told["after"]["generation"]) == (1, 2)
    assert set(told["before"]) == {"generation", "published_at", "confirmed_at", "origin", "snapshot"}
    assert set(told["shape"]) == {"settings", "fingerprints", "engines", "scoring", "registry"}
    by_uri = {document["uri"]: document for document in told["documents"]}
    assert set(by_uri["docs/limits.md"]) == {"what", "uri", "id", "was_uri", "was_id", "fields", "chunks", "moved"}
    assert set(by_uri["docs/limits.md"]["chunks"][0]) == {"what", "id", "heading_path", "excerpt", "fields", "was_id"}
    assert by_uri["docs/access.md"]["fields"]["declared.access.roles"] == [None, ["sre"]]
    assert {one["what"] for one in told["entities"]} == {"added", "removed", "changed"}
    counts = told["counts"]["documents"]
    assert len(told["documents"]) == sum(count for name, count in counts.items() if name != "same")


def test_many_lines_are_bounded_and_counted(base: Any, ingest: Callable[..., Any]) -> None:
    base.write("one.md", "# One\n\nOnly this.\n")
    base.run()
    for number in range(250):
        base.write(f"{number:03}.txt", f"Number {number}.\n")
    base.run()
    at = ("--kb", str(base.kb))
    short = ingest("snapshots", "diff", *at).out.splitlines()
    full = ingest("snapshots", "diff", "--full", *at).out.splitlines()
    assert short[-1] == "and 50 more lines; all of them with: --full, or --json"
    assert short[:-1] == full[: len(short) - 1] and len(full) == len(short) - 1 + 50
    assert len(ingest("snapshots", "diff", "--json", *at).json["documents"]) == 250


def test_documents_cannot_drive_the_terminal(base: Any, ingest: Callable[..., Any]) -> None:
    base.write("one.md", "# One\n\nOnly this.\n")
    base.run()
    base.write("one.md", "# One \x1b[31mred\n\nOnly \x1b]0;title\x07 that.\n")
    base.run()
    out = ingest("snapshots", "diff", "--kb", str(base.kb)).out
    assert "\x1b" not in out and "\x07" not in out and "Only" in out


def test_what_is_not_there_is_an_error_with_its_code(base: Any, ingest: Callable[..., Any]) -> None:
    assert ingest("snapshots", "diff", "--kb", str(base.kb)).code == 6
    base.write("one.md")
    base.run()
    ended = ingest("snapshots", "diff", "--kb", str(base.kb))
    assert (ended.code, ended.out) == (1, "") and "no generation before 1 is kept" in ended.err
    assert ingest("snapshots", "diff", "1", "x", "--kb", str(base.kb)).code == 2
