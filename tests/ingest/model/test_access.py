"""The rule about readers: what it admits, its encoding in columns, and rules compared and joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.model.access import Access, Principal

NAMES = st.sampled_from(["lin", "wang", "sales", "*"])
LISTS = st.none() | st.lists(NAMES, unique=True, max_size=3).map(tuple)
TENANTS = st.none() | st.sampled_from(["larkfield", "yanxi"])
RULES = st.builds(Access, TENANTS, LISTS, LISTS, st.integers(0, 2))
CALLERS = st.builds(
    Principal, st.none() | st.sampled_from(["lin", "wang", "sales"]), st.lists(NAMES, unique=True, max_size=2).map(tuple),
    TENANTS, st.integers(0, 2),
)


def spelled_out(rule: Access, who: Principal) -> bool:
    """The rule as DESIGN says it, word by word."""
    users, roles = rule.users, rule.roles
    listed = (users is None and roles is None) or "*" in (*(users or ()), *(roles or ()))
    listed = listed or who.user in (users or ()) or any(role in (roles or ()) for role in who.roles)
    return rule.tenant in (None, who.tenant) and rule.level <= who.level and listed


@given(RULES, CALLERS)
def test_rule_admits_what_it_says(rule: Access, who: Principal) -> None:
    assert rule.admits(who) is spelled_out(rule, who)


@given(RULES, RULES, CALLERS)
def test_narrowed_rule_admits_nobody_whom_one_of_the_two_does_not(one: Access, other: Access, who: Principal) -> None:
    narrowed = one.narrowed(other)
    if narrowed.admits(who):
        assert one.admits(who) and other.admits(who)


@given(RULES, CALLERS)
def test_narrowing_by_itself_or_by_no_rule_changes_nothing(rule: Access, who: Principal) -> None:
    for other in (rule, Access()):
        assert rule.narrowed(other).admits(who) is other.narrowed(rule).admits(who) is rule.admits(who)


@given(RULES, RULES, CALLERS)
def test_rule_as_open_as_another_admits_all_whom_it_does(one: Access, other: Access, who: Principal) -> None:
    if one.at_least_as_open_as(other) and other.admits(who):
        assert one.admits(who)
