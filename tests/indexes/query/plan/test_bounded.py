"""How large a pattern is before it is compiled: large enough to refuse one that would eat all memory, and no other."""

from __future__ import annotations

import re
from typing import Any

import pytest

from indexes.query.plan.bounded import LARGEST, Bounded, size
from indexes.query.plan.rules import SHIPPED, rules_of


@pytest.mark.parametrize(("pattern", "characters"), [
    ("abc", 3), (r"\d{4}", 8), ("[a{9}]{2}", 12), (r"a\{60000\}", 10), ("a{0,9}", 1), ("a{3,}b", 4), ("a{2}b{3}", 5),
    ("(?:(?:a{60}){60}){60}", 60 * (60 * 63 + 3)), ("(a{60}|b{9}){2}", 142), (")))a{3}", 6), ("((a{3}", 3),
])
def test_a_pattern_is_as_large_as_what_it_repeats_at_least(pattern: str, characters: int) -> None:
    assert size(pattern) == characters


def test_every_shipped_rule_and_sensible_ones_may_be_written_by_a_user() -> None:
    shipped = [each for rules in rules_of(()).by_effect.values() for each in rules]
    own: list[Any] = [each.rule for each in shipped if each.rule.pattern or each.rule.unless]
    assert len(own) > 50 and SHIPPED.is_file()
    for rule in own:
        assert max(size(rule.pattern), size(rule.unless)) < LARGEST / 40
    names = "|".join(f"型号{number:04}" for number in range(6000))
    for pattern in (names, "(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}", r"(?:.{0,200}\n){0,200}x", r"(?:\d{4} ?){4,60}", "x{2000}"):
        assert Bounded(pattern)


def test_a_pattern_that_would_eat_all_memory_is_not_compiled() -> None:
    for pattern in ("(?:a{60000}){60000}", "(?:(?:ab|c){1000}){1000}", f"[{'我' * 1000}]{{60000}}", "a" * 50_001):
        with pytest.raises(re.error, match="lower the numbers in braces"):
            Bounded(pattern)
