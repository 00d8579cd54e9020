"""Files of questions: what is read, and what each mistake is told with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.evaluation.question import Need, read
from ingest.errors import UsageError
from ingest.model.access import Principal


def test_question_with_everything_is_read(questions: Callable[..., Path]) -> None:
    [one] = read(questions({
        "id": "q1", "category": "table", "language": "zh", "query": "并发上限是多少", "as_of": "2025-03-01", "mode": "bm25",
        "principal": {"user": "alice", "roles": ["sre", "board"], "tenant": "acme", "level": 2},
        "expected": {
            "sources": ["docs/a.md", "docs/b.md"], "spans": ["9000", ["行", "列"]], "entities": ["urn:x"], "version": "2.0",
            "conflict": "versions", "never": ["docs/c.md"],
        },
    }))
    assert one.principal == Principal("alice", ("board", "sre"), "acme", 2)
    assert one.as_of == "2025-03-01T00:00:00Z" and one.mode == "bm25"
    assert one.expected.needs == (Need("docs/a.md", ("9000",)), Need("docs/b.md", ("行", "列")))
    assert one.expected.refusal is False and one.expected.version == "2.0" and one.expected.never == ("docs/c.md",)


def test_bare_query_is_a_question_of_which_nothing_is_expected(questions: Callable[..., Path]) -> None:
    [one] = read(questions("", {"query": "anything?"}, "  "))
    assert (one.id, one.category, one.expected.refusal, one.expected.needs) == ("line-2", "all", None, ())


@pytest.mark.parametrize(("line", "told"), [
    ("{", "not JSON"),
    ("[1]", "not an object"),
    ({"id": "a"}, "query is missing"),
    ({"query": "q", "expect": {}}, "'expect' is no key of a question"),
    ({"query": "q", "expected": {"source": []}}, "'source' is no key of what is expected"),
    ({"query": "q", "mode": "graph"}, "mode 'graph'"),
    ({"query": "q", "as_of": "yesterday"}, "yesterday"),
    ({"query": "q", "as_of": 2025}, "as_of must be a text"),
    ({"query": "q", "principal": {"level": True}}, "level True"),
    ({"query": "q", "principal": {"role": "x"}}, "'role' is no key of a principal"),
    ({"query": "q", "expected": {"sources": ["a/b"], "spans": ["x", "y"]}}, "one entry a source (1)"),
    ({"query": "q", "expected": {"sources": ["a/b"], "spans": [[]]}}, ""),
    ({"query": "q", "expected": {"sources": ["a/b"], "spans": [7]}}, "the span 7"),
    ({"query": "q", "expected": {"sources": ["a/b"], "refusal": True}}, "take out sources"),
    ({"query": "q", "expected": {"refusal": "no"}}, "refusal must be true or false"),
    ({"query": "q", "expected": {"never": "a"}}, "never must be a list"),
])
def test_mistake_is_told_with_its_line(questions: Callable[..., Path], line: Any, told: str) -> None:
    if not told:
        assert read(questions(line))[0].expected.needs == (Need("a/b"),)
        return
    with pytest.raises(UsageError) as raised:
        read(questions({"query": "right"}, line))
    assert "line 2: " in str(raised.value) and told in str(raised.value)


def test_every_wrong_line_is_told_at_once_up_to_ten(questions: Callable[..., Path]) -> None:
    with pytest.raises(UsageError) as raised:
        read(questions(*(["{"] * 13)))
    assert str(raised.value).count("not JSON") == 10 and "and 3 more" in str(raised.value)


def test_id_is_used_once(questions: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match="line 2: the id 'a' was used before"):
        read(questions({"id": "a", "query": "q"}, {"id": "a", "query": "r"}))


def test_file_that_is_not_there_empty_or_not_utf8_is_told(tmp_path: Path, questions: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read(tmp_path / "nowhere.jsonl")
    with pytest.raises(UsageError, match="has no question"):
        read(questions(""))
    file = tmp_path / "gb.jsonl"
    file.write_bytes('{"query": "网关"}'.encode("gb18030"))
    with pytest.raises(UsageError, match="not UTF-8"):
        read(file)
