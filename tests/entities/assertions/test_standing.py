"""Later values take the place of earlier ones, what overlaps contradicts, and nothing depends on the order of arrival."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from entities.assertions.standing import Standing, standings
from ingest.model.entity import Assertion

A, B = "urn:kb:entity:a", "urn:kb:entity:b"


def version(value: str, since: str | None = None, until: str | None = None, subject: str = A) -> Assertion:
    return Assertion(subject, "softwareVersion", None, value, "手册.md", since, until)


def stood(*assertions: Assertion, redirects: dict[str, str] | None = None) -> dict[str, Standing]:
    return {each.assertion.value or "": each for each in standings(assertions, {"softwareVersion"}, redirects)}


def test_later_value_takes_the_place_of_an_open_earlier_one() -> None:
    old, new = version("1.8", "2024-01-01T00:00:00Z"), version("2.0", "2025-07-01T00:00:00Z")
    found = stood(new, old)
    assert found["1.8"] == Standing(old, new.valid_from, new.assertion_id)
    assert found["2.0"] == Standing(new, None)
    assert found["1.8"].holds_at("2025-06-30T00:00:00Z") and not found["1.8"].holds_at("2025-07-01T00:00:00Z")


def test_undated_value_is_superseded_and_supersedes_nothing() -> None:
    found = stood(version("1.0"), version("2.0", "2025-07-01T00:00:00Z"))
    assert found["1.0"].valid_until == "2025-07-01T00:00:00Z"
    assert found["2.0"].superseded_by is None


def test_values_at_once_contradict_each_other() -> None:
    one, other = version("1.0"), version("2.0")
    found = stood(one, other)
    assert found["1.0"].contradicts == (other.assertion_id,)
    assert found["2.0"].contradicts == (one.assertion_id,)


def test_declared_end_that_overlaps_is_a_contradiction_and_not_cut() -> None:
    found = stood(version("1.8", "2024-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), version("2.0", "2025-07-01T00:00:00Z"))
    assert found["1.8"].superseded_by is None
    assert found["1.8"].valid_until == "2026-01-01T00:00:00Z"
    assert len(found["1.8"].contradicts) == len(found["2.0"].contradicts) == 1


def test_the_same_value_on_other_evidence_is_no_contradiction() -> None:
    again = Assertion(A, "softwareVersion", None, "2.0", "other.md", "2025-07-01T00:00:00Z")
    found = standings([version("2.0"), again], {"softwareVersion"})
    assert all(each.superseded_by is None and not each.contradicts for each in found)


def test_relations_that_admit_several_are_never_at_odds() -> None:
    both = [Assertion(A, "makes", id, None, "") for id in (B, "urn:kb:entity:c")]
    assert all(each == Standing(each.assertion, None) for each in standings(both, {"softwareVersion"}))


def test_merged_entities_count_as_one() -> None:
    found = stood(version("1.0"), version("2.0", subject=B), redirects={B: A})
    assert found["1.0"].contradicts and found["2.0"].contradicts
    ends = [Assertion(A, "parentOrganization", id, None, "") for id in (B, "urn:kb:entity:c")]
    assert not any(each.contradicts for each in standings(ends, {"parentOrganization"}, {"urn:kb:entity:c": B}))


MOMENT = st.sampled_from([None, *(f"202{year}-01-01T00:00:00Z" for year in range(5))])


@given(st.lists(st.builds(version, st.sampled_from("123"), MOMENT, MOMENT), max_size=8), st.randoms())
def test_any_order_gives_the_same(assertions: list[Assertion], shuffler: random.Random) -> None:
    once = standings(assertions, {"softwareVersion"})
    shuffler.shuffle(assertions)
    assert standings(assertions, {"softwareVersion"}) == once
    against = {(each.assertion.assertion_id, other) for each in once for other in each.contradicts}
    assert against == {(other, one) for one, other in against}
