"""When a document holds: versions of one family follow one another, whoever asks and at whatever instant."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from ingest.model.access import Principal

VERSIONS = (("1.0", "2024-01-01", "alderwood"), ("2.0", "2025-03-01", "birchwood"), ("3.0", "2026-06-01", "cedarwood"))


def version(number: str, since: str, word: str, more: str = "") -> str:
    return (
        f"---\ntitle: Retention\ndocument: retention\nversion: '{number}'\nvalid_from: {since}\n{more}---\n"
        f"# Retention\n\nMessages are kept as {word} says.\n"
    )


@pytest.fixture
def family(base: Any) -> Any:
    for number, since, word in VERSIONS:
        base.write(f"v{number}.md", version(number, since, word))
    base.run()
    return base


def at(day: str) -> str:
    return f"{day}T00:00:00Z"


@pytest.mark.parametrize(
    ("day", "expected"),
    [("2023-12-31", []), ("2024-01-01", ["v1.0.md"]), ("2025-02-28", ["v1.0.md"]), ("2025-03-01", ["v2.0.md"]),
     ("2026-05-31", ["v2.0.md"]), ("2026-06-01", ["v3.0.md"]), ("2030-01-01", ["v3.0.md"])],
)
def test_as_of_moves_between_versions(family: Any, day: str, expected: list[str]) -> None:
    for mode in ("bm25", "vector", "hybrid"):
        assert family.found("messages kept", as_of=at(day), mode=mode) == expected


def test_window_and_version_are_told_with_the_evidence(family: Any) -> None:
    (item,) = family.search("messages", as_of=at("2025-06-01")).evidence
    assert (item.version, item.valid_from, item.valid_until) == ("2.0", at("2025-03-01"), at("2026-06-01"))


def test_new_version_closes_the_old_one_without_its_file_being_read(base: Any) -> None:
    base.write("v1.0.md", version(*VERSIONS[0]))
    base.run()
    base.write("v2.0.md", version(*VERSIONS[1]))
    report = base.run()
    assert (report.sources["added"], report.sources["same"], report.chunks["rewritten"]) == (1, 1, 1)
    assert base.found("messages") == ["v2.0.md"]
    assert base.found("messages", as_of=at("2024-06-01")) == ["v1.0.md"]


def test_deleted_version_opens_the_one_before_again(family: Any) -> None:
    family.delete("v2.0.md")
    assert family.run().embedded == 0
    assert family.found("messages", as_of=at("2026-01-01")) == ["v1.0.md"]
    assert family.verify() == []


def test_draft_and_archived_versions_are_hidden_and_close_nothing(base: Any) -> None:
    base.write("v1.0.md", version(*VERSIONS[0]))
    base.write("v2.0.md", version(*VERSIONS[1], "status: draft\n"))
    base.write("old.md", version("0.9", "2020-01-01", "oakwood", "status: archived\n"))
    base.run()
    assert base.found("messages") == ["v1.0.md"]
    assert base.found("birchwood") == base.found("oakwood", as_of=at("2021-01-01")) == []
    assert base.found("birchwood", statuses=("draft",)) == ["v2.0.md"]
    assert base.show("docs/v2.0.md")["declared"]["status"] == "draft"


def test_no_reader_ever_gets_two_versions_at_one_instant(base: Any) -> None:
    """Open and restricted versions, declared and missing ends: per reader and instant there is at most one."""
    base.write("a.md", version("1", "2024-01-01", "one"))
    base.write("b.md", version("2", "2024-07-01", "two", "valid_until: 2024-12-31\n"))
    base.write("c.md", version("3", "2025-01-01", "three", "allowed_roles: [sre]\n"))
    base.write("d.md", version("4", "2025-07-01", "four"))
    base.run()
    readers = {"nobody": Principal(), "sre": Principal(roles=("sre",))}
    days = [f"{year}-{month:02}-15" for year, month in itertools.product((2023, 2024, 2025, 2026), (3, 9))]
    seen = {
        name: [base.found("messages", as_of=at(day), who=who) for day in days] for name, who in readers.items()
    }
    assert seen["nobody"] == [[], [], ["a.md"], ["b.md"], [], ["d.md"], ["d.md"], ["d.md"]]
    assert seen["sre"] == [[], [], ["a.md"], ["b.md"], ["c.md"], ["d.md"], ["d.md"], ["d.md"]]


def test_version_that_some_may_not_see_does_not_take_the_old_one_from_them(base: Any) -> None:
    base.write("open.md", version("1", "2024-01-01", "one"))
    base.write("closed.md", version("2", "2025-01-01", "two", "allowed_roles: [sre]\n"))
    report = base.run()
    assert base.found("messages") == ["open.md"]
    # Who sees both is told that both hold, instead of one of them being picked.
    pack = base.search("messages", who=Principal(roles=("sre",)))
    assert {item.uri for item in pack.evidence} == {"docs/open.md", "docs/closed.md"}
    assert [conflict.kind for conflict in pack.conflicts] == ["versions"]
    assert any("open.md" in warning for warning in report.warnings)


def test_two_active_versions_are_reported_as_a_conflict(base: Any) -> None:
    base.write("one.md", version("1.0", "2025-01-01", "one"))
    base.write("two.md", version("1.1", "2025-01-01", "two"))
    report = base.run()
    assert any("deprecate all but one" in warning for warning in report.warnings)
    (conflict,) = base.search("messages").conflicts
    assert (conflict.kind, conflict.sources) == ("versions", ("docs/one.md", "docs/two.md"))
    assert any("deprecate all but one" in warning for warning in base.check().warnings)


def test_in_place_edit_replaces_and_leaves_no_second_version(family: Any) -> None:
    family.write("v3.0.md", version("3.1", "2026-06-01", "dogwood"))
    family.run()
    assert family.found("cedarwood") == []
    assert family.found("dogwood") == ["v3.0.md"]
    assert family.search("messages").conflicts == ()


def test_version_bump_embeds_nothing(family: Any) -> None:
    family.write("v3.0.md", version("3.1", "2026-06-02", "cedarwood"))
    report = family.run()
    assert (report.embedded, report.sources["changed"]) == (0, 1)
    assert family.found("messages", as_of=at("2026-06-01")) == ["v2.0.md"]
