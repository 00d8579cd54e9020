"""A run looks only at sources that could have changed; what it concludes is what looking at all of them would give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flows.records import Records
from flows.state import state_after
from ingest.model.canonical import digest_of
from ingest.model.source import Declared, Failure, Revision, SourceRecord, source_id
from ingest.sources.families import Member, windows
from ingest.store.catalog import Fact

PATHS = [f"d{number}.md" for number in range(6)]
_days = st.none() | st.sampled_from(["2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z"])
_declared = st.builds(
    Declared, family=st.none() | st.sampled_from(["manual", "policy"]), version=st.none() | st.sampled_from(["1", "2"]),
    valid_from=_days, valid_until=_days, status=st.sampled_from(["active", "active", "draft"]),
    supersedes=st.lists(st.sampled_from([*PATHS, "kb/d0.md", "1", "elsewhere.md"]), max_size=2).map(tuple),
)
_bases = st.dictionaries(st.sampled_from(PATHS), st.one_of(st.just(Declared()), _declared))


def record(path: str, declared: Declared, **others: Any) -> SourceRecord:
    values: dict[str, Any] = {
        "revision": Revision("r", "", 1), "served": "r", "state": "served", "media_type": "text/markdown", "stages": {},
        "title": path, "valid_from": declared.valid_from, "valid_until": declared.valid_until, **others,
    }
    return SourceRecord(source_id=source_id("kb", path), root="kb", path=path, declared=declared, **values)


def derived(records: dict[str, SourceRecord]) -> tuple[dict[str, SourceRecord], list[str]]:
    """Every record within its window, looking at all of them, and the findings."""
    made = windows(Member(one.source_id, one.uri, one.declared) for one in records.values() if one.served is not None)
    dated = {id: replace(one, valid_from=made.window[id][0], valid_until=made.window[id][1]) if id in made.window else one
             for id, one in records.items()}
    return dated, [finding.message for finding in made.findings]


def catalogued(records: dict[str, SourceRecord]) -> Records:
    return Records(Fact.of(one, id=id, source_id=id, checksum=digest_of(one)) for id, one in records.items())


@settings(deadline=None)
@given(_bases, st.sets(st.sampled_from(PATHS)))
def test_windows_are_those_of_all_sources_whatever_went(base: dict[str, Declared], leaving: set[str]) -> None:
    before, _ = derived({source_id("kb", path): record(path, declared) for path, declared in base.items()})
    gone = {source_id("kb", path) for path in leaving if path in base}
    state = state_after(catalogued(before), gone, ())
    wanted, findings = derived({id: one for id, one in before.items() if id not in gone})
    assert dict(state) == wanted and list(state.findings) == findings
    assert set(state.changed) == {id for id, one in wanted.items() if one != before[id]}
    assert len(state) == len(wanted)


def test_what_did_not_change_is_the_very_record_of_the_head() -> None:
    records = catalogued({source_id("kb", path): record(path, Declared()) for path in PATHS})
    state = state_after(records, set(), ())
    assert not state.changed
    assert all(state[id] is records[id] for id in records)


def test_failures_and_names_are_found_without_looking_at_the_rest() -> None:
    failure = Failure("parse", "DocumentCorrupt", "it is cut", False)
    held = [record("a/x.md", Declared()), record("b/y.md", Declared(), failure=failure)]
    state = state_after(catalogued({one.source_id: one for one in held}), set(), ())
    assert [one.path for one in state.failed()] == ["b/y.md"]
    assert [one.path for one in state.named({"kb/a/x.md", "b/y.md", "y.md"})] == ["a/x.md", "b/y.md"]
