"""When documents hold: windows of families, by example, by a slow oracle, and in any order."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.model.access import Access, Principal
from ingest.model.instant import next_day
from ingest.model.source import Declared, source_id
from ingest.sources.families import Derived, Member, windows

DAY = "2025-{}T00:00:00Z".format


def member(name: str, **declared: Any) -> Member:
    declared = {"family": "manual", **declared}
    for key in ("valid_from", "valid_until"):
        if len(declared.get(key) or "") == 5:
            declared[key] = DAY(declared[key])
    return Member(source_id("docs", name), f"docs/{name}", Declared(**declared))


def window(derived: Derived, name: str) -> tuple[str | None, str | None]:
    return derived.window[source_id("docs", name)]


def kinds(derived: Derived) -> list[str]:
    return sorted(finding.kind for finding in derived.findings)


def test_a_version_ends_where_the_next_one_starts() -> None:
    made = windows([member("3", valid_from="07-01"), member("1", valid_from="01-01"), member("2", valid_from="04-01")])
    assert [window(made, name) for name in "123"] == [
        (DAY("01-01"), DAY("04-01")), (DAY("04-01"), DAY("07-01")), (DAY("07-01"), None),
    ]
    assert made.findings == []


def test_documents_without_a_family_hold_as_declared() -> None:
    made = windows([
        member("a", family=None, valid_from="01-01"), member("b", family=None, valid_from="02-01"),
        member("c", family=None, valid_until="03-01", until_day=True), member("d", family=None),
    ])
    assert [window(made, name) for name in "abcd"] == [
        (DAY("01-01"), None), (DAY("02-01"), None), (None, DAY("03-02")), (None, None),
    ]
    assert made.findings == []


def test_a_missing_start_closes_nothing_and_is_closed() -> None:
    made = windows([member("old"), member("new", valid_from="04-01")])
    assert window(made, "old") == (None, DAY("04-01"))
    assert window(made, "new") == (DAY("04-01"), None)
    assert made.findings == []


@pytest.mark.parametrize("status", ["draft", "deprecated", "archived"])
def test_only_active_versions_close(status: str) -> None:
    made = windows([member("1", valid_from="01-01"), member("2", valid_from="04-01", status=status)])
    assert window(made, "1") == (DAY("01-01"), None)
    assert made.findings == []


@pytest.mark.parametrize("status", ["draft", "deprecated", "archived"])
def test_every_version_can_be_closed(status: str) -> None:
    made = windows([member("1", valid_from="01-01", status=status), member("2", valid_from="04-01")])
    assert window(made, "1") == (DAY("01-01"), DAY("04-01"))


def test_a_removed_version_reopens_the_one_before() -> None:
    versions = [member("1", valid_from="01-01"), member("2", valid_from="04-01"), member("3", valid_from="07-01")]
    assert window(windows([versions[0], versions[2]]), "1") == (DAY("01-01"), DAY("07-01"))
    assert window(windows(versions[:1]), "1") == (DAY("01-01"), None)


# --- declared ends


def test_a_declared_end_wins_and_the_overlap_is_reported() -> None:
    made = windows([member("1", valid_from="01-01", valid_until="06-01"), member("2", valid_from="04-01")])
    assert window(made, "1") == (DAY("01-01"), DAY("06-01"))
    (finding,) = made.findings
    assert finding.kind == "overlap"
    assert set(finding.sources) == {source_id("docs", "1"), source_id("docs", "2")}
    assert "docs/1" in finding.message
    assert DAY("04-01") in finding.message


def test_a_declared_end_wins_and_the_gap_is_reported() -> None:
    made = windows([member("1", valid_from="01-01", valid_until="03-01"), member("2", valid_from="04-01")])
    assert window(made, "1") == (DAY("01-01"), DAY("03-01"))
    assert kinds(made) == ["gap"]


def test_a_gap_that_another_version_covers_is_none() -> None:
    made = windows([
        member("0", valid_from="01-01", valid_until="05-01"), member("1", valid_from="02-01", valid_until="03-01"),
        member("2", valid_from="04-01"),
    ])
    assert "gap" not in kinds(made)


def test_a_gap_that_another_version_covers_in_part_is_reported_once() -> None:
    made = windows([
        member("0", valid_from="01-01", valid_until="05-01"), member("1", valid_from="02-01", valid_until="03-01"),
        member("2", valid_from="06-01"),
    ])
    (gap,) = [finding for finding in made.findings if finding.kind == "gap"]
    assert "docs/0" in gap.message


def test_the_last_day_is_covered_unless_a_successor_starts_on_it() -> None:
    last = member("1", valid_from="01-01", valid_until="06-30", until_day=True)
    assert window(windows([last]), "1") == (DAY("01-01"), DAY("07-01"))
    for start, end, found in [
        ("07-01", DAY("07-01"), []), ("06-30", DAY("06-30"), []), ("2025-06-30T08:00:00Z", "2025-06-30T08:00:00Z", []),
        ("07-02", DAY("07-01"), ["gap"]), ("06-29", DAY("07-01"), ["overlap"]),
    ]:
        made = windows([last, member("2", valid_from=start)])
        assert window(made, "1") == (DAY("01-01"), end)
        assert kinds(made) == found


def test_a_last_day_is_cut_short_by_whoever_starts_on_it_even_after_an_overlap() -> None:
    made = windows([
        member("1", valid_from="01-01", valid_until="06-30", until_day=True), member("2", valid_from="03-01"),
        member("3", valid_from="06-30"),
    ])
    assert window(made, "1") == (DAY("01-01"), DAY("06-30"))
    assert "overlap" in kinds(made)


def test_a_last_day_is_not_cut_by_a_draft_or_by_one_that_readers_cannot_see() -> None:
    last = member("1", valid_from="01-01", valid_until="06-30", until_day=True)
    for other in (member("2", valid_from="06-30", status="draft"), member("2", valid_from="06-30", access=Access(level=2))):
        assert window(windows([last, other]), "1") == (DAY("01-01"), DAY("07-01"))


def test_a_document_of_one_day_holds_that_day() -> None:
    made = windows([member("1", valid_from="06-30", valid_until="06-30", until_day=True), member("2", valid_from="06-30")])
    assert window(made, "1") == (DAY("06-30"), DAY("07-01"))


def test_for_ever_is_an_open_end() -> None:
    made = windows([member("1", valid_until="9999-12-31T00:00:00Z", until_day=True), member("2", valid_from="04-01")])
    assert window(made, "1") == (None, None)
    assert kinds(made) == ["overlap"]


# --- equal starts


@pytest.mark.parametrize("start", ["01-01", None])
def test_two_active_versions_that_start_together_are_reported_and_close_neither(start: str | None) -> None:
    made = windows([member("1", valid_from=start), member("2", valid_from=start), member("3", valid_from="04-01")])
    assert window(made, "1")[1] == window(made, "2")[1] == DAY("04-01")
    (finding,) = made.findings
    assert (finding.kind, len(finding.sources)) == ("two_active", 2)


def test_translations_of_one_version_do_not_conflict() -> None:
    zh, en = member("zh", version="2", language="zh"), member("en", version="2", language="en")
    assert windows([zh, en]).findings == []
    assert kinds(windows([zh, en, member("en2", version="2", language="en")])) == ["two_active"]
    assert kinds(windows([zh, member("en", version="3", language="en")])) == ["two_active"]
    assert kinds(windows([zh, member("en", version="2")])) == ["two_active"]


# --- who sees what


@pytest.mark.parametrize(
    ("old", "new", "closes"),
    [
        (Access(), Access(), True), (Access(), Access(level=1), False), (Access(level=1), Access(), True),
        (Access(), Access(users=("a",)), False), (Access(users=("a",)), Access(), True), (Access(users=("a",)),
        Access(users=("a", "b")), True),
        (Access(users=("a", "b")), Access(users=("a",)), False), (Access(users=("a",)), Access(roles=("r",)), False),
        (Access(users=("a",)), Access(roles=("r",), users=("a",)), True), (Access(users=()), Access(users=("a",)), True),
        (Access(tenant="t"), Access(), False), (Access(), Access(tenant="t"), False), (Access(tenant="t"),
        Access(tenant="t"), True),
        (Access(tenant="t"), Access(tenant="u"), False), (Access(), Access(users=("*",)), True),
    ],
)
def test_only_a_successor_that_all_readers_see_closes(old: Access, new: Access, closes: bool) -> None:
    made = windows([member("1", valid_from="01-01", access=old), member("2", valid_from="04-01", access=new)])
    assert window(made, "1") == (DAY("01-01"), DAY("04-01") if closes else None)


def test_a_restricted_successor_is_passed_over_for_the_next_open_one() -> None:
    made = windows([
        member("1", valid_from="01-01"), member("2", valid_from="04-01", access=Access(users=("li.na",))), member("3",
            valid_from="07-01"),
    ])
    assert window(made, "1") == (DAY("01-01"), DAY("07-01"))
    assert kinds(made) == ["overlap"]


# --- supersedes


def test_a_document_of_another_family_is_closed_when_it_is_named() -> None:
    for named in ("docs/old.md", "old.md"):
        made = windows([member("old.md", family="guide", valid_from="01-01"),
                        member("new.md", valid_from="04-01", supersedes=(named,))])
        assert window(made, "old.md") == (DAY("01-01"), DAY("04-01"))
        assert made.findings == []


def test_superseding_a_version_of_the_family_is_no_more_than_following_it() -> None:
    made = windows([member("1", version="1.8", valid_from="01-01"), member("2", version="2.0", valid_from="04-01",
        supersedes=("1.8",))])
    assert window(made, "1") == (DAY("01-01"), DAY("04-01"))
    assert made.findings == []


def test_a_superseded_document_ends_at_the_earliest_of_all() -> None:
    made = windows([
        member("old", valid_from="01-01"), member("next", valid_from="07-01"), member("x", family="x", valid_from="04-01",
            supersedes=("old",)),
        member("y", family="y", valid_from="05-01", supersedes=("old",)),
    ])
    assert window(made, "old") == (DAY("01-01"), DAY("04-01"))


@pytest.mark.parametrize(
    ("more", "kind"),
    [({"valid_from": None}, "superseded_undated"), ({"valid_from": "01-01"}, "superseded_later"),
    ({"supersedes": ("gone.md",)}, "superseded_unknown")],
)
def test_a_claim_that_cannot_hold_is_reported(more: dict[str, Any], kind: str) -> None:
    made = windows([member("old", family="guide", valid_from="01-01"), member("new", **{"supersedes": ("old",),
        "valid_from": "04-01", **more})])
    assert window(made, "old") == (DAY("01-01"), None)
    assert kinds(made) == [kind]


@pytest.mark.parametrize("more", [{"status": "draft"}, {"access": Access(level=2)}, {"access": Access(tenant="t")}])
def test_a_claim_closes_under_the_same_conditions(more: dict[str, Any]) -> None:
    made = windows([member("old", family="guide"), member("new", valid_from="04-01", supersedes=("old",), **more)])
    assert window(made, "old") == (None, None)


def test_documents_that_supersede_each_other_follow_their_dates() -> None:
    made = windows([member("a", family="a", valid_from="01-01", supersedes=("b",)), member("b", family="b",
        valid_from="04-01", supersedes=("a",))])
    assert (window(made, "a"), window(made, "b")) == ((DAY("01-01"), DAY("04-01")), (DAY("04-01"), None))
    assert kinds(made) == ["superseded_later"]


# --- properties

ACCESSES = st.builds(
    Access, tenant=st.sampled_from([None, None, "t"]), level=st.integers(0, 1),
    users=st.sampled_from([None, (), ("a",), ("a", "b"), ("*",)]), roles=st.sampled_from([None, ("r",)]),
)
DAYS = st.sampled_from([None, *(DAY(f"0{month}-0{day}") for month in (1, 2) for day in (1, 2, 3))])


@st.composite
def members(draw: st.DrawFn) -> list[Member]:
    made = []
    for index in range(draw(st.integers(0, 7))):
        start, end = draw(DAYS), draw(DAYS)
        day = draw(st.booleans())
        if start and end and (end < start or (end == start and not day)):
            end = None
        made.append(Member(
            source_id("docs", str(index)), f"docs/{index}",
            Declared(
                family=draw(st.sampled_from(["f", "f", "g", None])), version=draw(st.sampled_from(["1", "2", None])),
                    valid_from=start,
                valid_until=end, until_day=day and end is not None, status=draw(st.sampled_from(["active", "active",
                    "draft", "archived"])),
                supersedes=draw(st.sampled_from([(), (), ("0",), ("docs/1", "2"), ("none",)])), access=draw(ACCESSES),
            ),
        ))
    return made


@given(members(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_outcome_does_not_depend_on_order(found: list[Member], shuffler: random.Random) -> None:
    made = windows(found)
    shuffler.shuffle(found)
    assert windows(found) == made
    assert set(made.window) == {one.source_id for one in found}


def slow_window(one: Member, found: list[Member]) -> tuple[str | None, str | None]:
    """The rule of `windows`, word for word and without its tables."""
    mine = one.declared
    starts = []
    for other in found:
        theirs = other.declared
        names = set(theirs.supersedes)
        versions = [m for m in found if m.declared.family and m.declared.family == theirs.family and m.declared.version in names]
        by_version = {m.declared.version for m in versions}
        claims = (one in versions) or bool(({one.uri, one.uri.partition("/")[2]} & names) - by_version)
        follows = mine.family is not None and mine.family == theirs.family
        if (
            other is not one and theirs.status == "active" and theirs.valid_from is not None and (follows or claims)
            and (mine.valid_from is None or theirs.valid_from > mine.valid_from)
            and theirs.access.tenant == mine.access.tenant and theirs.access.at_least_as_open_as(mine.access)
        ):
            starts.append(theirs.valid_from)
    if mine.valid_until is None:
        return mine.valid_from, min(starts, default=None)
    if not mine.until_day:
        return mine.valid_from, mine.valid_until
    after = next_day(mine.valid_until)
    return mine.valid_from, min((start for start in starts if mine.valid_until <= start < after), default=after)


@given(members())
@settings(deadline=None)
def test_windows_are_what_the_rule_says(found: list[Member]) -> None:
    made = windows(found)
    for one in found:
        assert made.window[one.source_id] == slow_window(one, found)


@given(members(), st.sampled_from([Principal(), Principal(user="a"), Principal(tenant="t", level=1), Principal(roles=("r",),
    level=1)]))
@settings(deadline=None)
def test_no_reader_is_left_without_a_version_by_one_that_is_hidden(found: list[Member], reader: Principal) -> None:
    """Where a window ends without a declared end, whoever saw the old version sees an active one that starts there."""
    made = windows(found)
    for one in found:
        end = made.window[one.source_id][1]
        if end is None or one.declared.valid_until is not None or not one.declared.access.admits(reader):
            continue
        assert any(
            other.declared.valid_from == end and other.declared.status == "active" and other.declared.access.admits(reader)
            for other in found
        )


@given(members())
@settings(deadline=None)
def test_windows_are_never_empty_and_findings_name_members(found: list[Member]) -> None:
    made = windows(found)
    for start, end in made.window.values():
        assert start is None or end is None or start < end
    for finding in made.findings:
        assert finding.sources == tuple(sorted(finding.sources))
        assert set(finding.sources) <= set(made.window)
        assert finding.message
