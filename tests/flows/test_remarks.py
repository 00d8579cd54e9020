"""What `check` warns of: windows, families, contradictions, documents that do not parse. Told, and nothing is stale by it."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest


def document(title: str, **declared: str) -> str:
    front = "".join(f"{key}: {value}\n" for key, value in declared.items())
    return f"---\n{front}---\n# {title}\n\nText of {title}.\n"


def confirmed(base: Any, instant: str) -> None:
    """Let the last confirmation be at another time."""
    with sqlite3.connect(base.kb / "catalog.db") as db:
        db.execute("update generations set confirmed_at = ?", [instant])
    db.close()


def remarks(report: Any, kind: str) -> list[Any]:
    return [remark for remark in report.remarks["warnings"] if remark.kind == kind]


def told(base: Any, kind: str, moment: str = "2030-01-01T00:00:00Z", **options: Any) -> list[str]:
    return [remark.message for remark in remarks(base.check(clock=lambda: moment, **options), kind)]


# Windows


@pytest.fixture
def dated(base: Any) -> Any:
    base.write("旧版.md", document("旧版", document="手册", version="1", valid_from="2024-01-01"))
    base.write("新版.md", document("新版", document="手册", version="2", valid_from="2026-03-01"))
    base.write("offer.md", document("Offer", valid_until="2026-05-31"))
    base.write("draft.md", document("Draft", valid_from="2026-04-01", status="draft"))
    base.run()
    confirmed(base, "2026-02-01T00:00:00Z")
    return base


def test_windows_that_opened_and_closed_since_are_named_with_their_instants(dated: Any) -> None:
    assert told(dated, "window", "2026-06-15T00:00:00Z") == [
        "docs/offer.md ceased to hold at 2026-06-01T00:00:00Z, after the last confirmation",
        "docs/新版.md began to hold at 2026-03-01T00:00:00Z, after the last confirmation",
        "docs/旧版.md ceased to hold at 2026-03-01T00:00:00Z, after the last confirmation",
    ]


@pytest.mark.parametrize(("moment", "count"), [
    ("2026-02-28T23:59:59Z", 0), ("2026-03-01T00:00:00Z", 2), ("2026-05-31T23:59:59Z", 2), ("2026-06-01T00:00:00Z", 3),
    ("2020-01-01T00:00:00Z", 0),
])
def test_window_counts_from_its_instant_on(dated: Any, moment: str, count: int) -> None:
    assert len(told(dated, "window", moment)) == count


def test_windows_are_warnings_and_stale_only_when_strict(dated: Any) -> None:
    moment = "2026-06-15T00:00:00Z"
    report, strict = dated.check(clock=lambda: moment), dated.check(clock=lambda: moment, strict=True)
    assert (report.status, report.exit_code, report.strict) == ("fresh", 0, False)
    assert (strict.status, strict.exit_code, strict.strict) == ("stale", 3, True)
    assert report.warnings == strict.warnings and len(report.warnings) == 3


def test_a_run_that_confirms_ends_the_warnings(dated: Any) -> None:
    dated.run()
    assert remarks(dated.check(), "window") == []


def test_strict_without_warnings_is_fresh(base: Any) -> None:
    base.write("手册.md")
    base.run()
    assert base.check(strict=True).status == "fresh"


# Families


def test_versions_that_overlap_or_leave_a_gap_are_named_with_their_documents(base: Any) -> None:
    base.write("one.md", document("One", document="terms", version="1", valid_from="2024-01-01", valid_until="2025-12-31"))
    base.write("two.md", document("Two", document="terms", version="2", valid_from="2025-06-01", valid_until="2026-06-30"))
    base.write("three.md", document("Three", document="terms", version="3", valid_from="2027-01-01"))
    base.run()
    found = remarks(base.check(), "family")
    assert [remark.uris for remark in found] and all(remark.uris for remark in found)
    overlap = next(remark for remark in found if "already from" in remark.message)
    gap = next(remark for remark in found if "only from" in remark.message)
    assert set(overlap.uris) == {"docs/one.md", "docs/two.md"} and "2025-06-01" in overlap.message
    assert set(gap.uris) == {"docs/two.md", "docs/three.md"} and "2026-07-01" in gap.message


# Contradictions

SEED = """
entities:
  - {id: "urn:kb:entity:lin", type: person, names: [{text: 林知远, kind: preferred}]}
  - {id: "urn:kb:entity:yunmai", type: organization, names: [{text: 云脉, kind: preferred}]}
  - {id: "urn:kb:entity:norrvik", type: organization, names: [{text: Norrvik, kind: preferred}]}
exclusive: [worksFor, maintainedUntil]
assertions:
"""
LIN = "subject: 'urn:kb:entity:lin', relation: worksFor"
YUNMAI, NORRVIK = "object: 'urn:kb:entity:yunmai', evidence: 手册.md", "object: 'urn:kb:entity:norrvik', evidence: other.md"


def contradictions(base: Any, *assertions: str, head: str = SEED) -> list[Any]:
    base.write("手册.md")
    base.write("other.md", "# Other\n\nNorrvik.\n")
    base.seed(head + "".join(f"  - {{{assertion}}}\n" for assertion in assertions))
    base.run()
    report = base.check()
    assert report.status == "fresh"
    return remarks(report, "contradiction")


def test_assertions_that_cannot_both_hold_are_named_with_their_evidence(base: Any) -> None:
    (found,) = contradictions(
        base, f"{LIN}, {YUNMAI}, valid_from: 2024-01-01, valid_until: 2025-06-01",
        f"{LIN}, {NORRVIK}, valid_from: 2025-01-01, valid_until: 2026-01-01",
    )
    assert found.message == (
        "林知远 worksFor: Norrvik (2025-01-01T00:00:00Z to 2026-01-01T00:00:00Z) and "
        "云脉 (2024-01-01T00:00:00Z to 2025-06-01T00:00:00Z) hold at the same time"
    )
    assert found.uris == ("docs/other.md", "docs/手册.md")


def test_literal_values_contradict_one_another_too(base: Any) -> None:
    subject = "subject: 'urn:kb:entity:yunmai', relation: maintainedUntil"
    (found,) = contradictions(base, f"{subject}, value: '2028'", f"{subject}, value: '2029'", f"{LIN}, {YUNMAI}")
    assert found.message == "云脉 maintainedUntil: '2028' and '2029' hold at the same time"


@pytest.mark.parametrize("pair", [
    (f"{LIN}, {YUNMAI}, valid_until: 2025-01-01", f"{LIN}, {NORRVIK}, valid_from: 2025-01-01"),
    (f"{LIN}, {YUNMAI}, valid_from: 2024-01-01", f"{LIN}, {NORRVIK}, valid_from: 2025-01-01"),
    (f"{LIN}, {YUNMAI}, valid_until: 2025-01-01", f"{LIN}, {YUNMAI}, valid_from: 2024-01-01"),
    (f"{LIN}, {YUNMAI}", "subject: 'urn:kb:entity:norrvik', relation: worksFor, object: 'urn:kb:entity:yunmai'"),
    (f"{LIN.replace('worksFor', 'supplies')}, {YUNMAI}", f"{LIN.replace('worksFor', 'supplies')}, {NORRVIK}"),
], ids=[
    "one after the other", "one takes the place of another left open", "the same twice", "of two subjects",
    "a relation that admits many",
])
def test_assertions_that_can_both_hold_are_none(base: Any, pair: tuple[str, str]) -> None:
    assert contradictions(base, *pair) == []


def test_without_exclusive_relations_nothing_contradicts(base: Any) -> None:
    head = SEED.replace("exclusive: [worksFor, maintainedUntil]\n", "")
    assert contradictions(base, f"{LIN}, {YUNMAI}", f"{LIN}, {NORRVIK}", head=head) == []


# Documents that do not parse


def test_documents_that_are_quarantined_failed_or_withdrawn_are_warnings(base: Any) -> None:
    base.write("手册.md")
    base.write("rules.md", document("Rules", level="internal"))
    base.run()
    base.write("手册.md", "")
    base.write("rules.md", document("Rules", levle="internal"))
    base.write("empty.md", "")
    base.run()
    report = base.check()
    assert report.status == "fresh"
    kinds = {remark.kind: remark for remark in report.remarks["warnings"]}
    assert {kind: remark.uris for kind, remark in kinds.items()} == {
        "quarantined": ("docs/手册.md",), "withdrawn": ("docs/rules.md",), "failed": ("docs/empty.md",)
    }
    assert "last good text" in kinds["quarantined"].message
    assert base.check(strict=True).exit_code == 3


def test_warnings_of_other_parts_are_left_out_of_a_narrowed_check(base: Any) -> None:
    base.write("a/empty.md", "")
    base.write("b/empty.md", "")
    base.write("手册.md")
    base.run()
    assert len(base.check().warnings) == 2
    (warning,) = base.check(base.docs / "a").warnings
    assert "docs/a/empty.md" in warning
    assert base.check(base.docs / "手册.md").warnings == ()


def test_hold_is_a_warning(base: Any) -> None:
    from flows.history import go_back

    base.write("手册.md")
    base.run()
    base.write("new.md", "# New\n\nNew.\n")
    base.run()
    go_back(base.settings, 1)
    report = base.check()
    assert [remark.kind for remark in report.remarks["warnings"]] == ["hold"]
    assert [change.what for change in report.changes] == ["added"]
