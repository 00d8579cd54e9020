"""What the looks at a tampered base amount to, in a few words: for the tables, and for the tests that hold us to them."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.tampering.looking import Seen


def detected(seen: Seen, levels: Sequence[str]) -> str:
    """The first level of verifying that said something, or empty."""
    return next((level for level in levels if seen.found(level)), "")


def meanwhile(seen: Seen) -> str:
    """What who asks gets before anybody repairs."""
    if seen.leaks:
        return "**shows what it must not**"
    said = ["refused"] * bool(seen.refused) + ["other"] * bool(seen.differs)
    return " or ".join(said) or "the same"


def whole(seen: Seen) -> bool:
    """Whether repair led back to what was published: verifying is content at the deepest level, the snapshot digest and all
    answers are those of before."""
    return seen.after["drift"] == [] and bool(seen.after["snapshot"]) and bool(seen.after["answers"])


def repaired(seen: Seen) -> str:
    """What repair led to; where it is not what was published, what it said."""
    if whole(seen):
        return "as published"
    if seen.after["left"]:
        return "told: " + "; ".join(f"{item['what']} cannot be given back" for item in seen.after["left"])
    if seen.after["said"]:
        return f"told: {seen.after['error']}"
    if seen.after["drift"]:
        places = {f"{item['kind']} in {item['where'].partition('/')[0]}" for item in seen.after["drift"]}
        return f"told: {', '.join(sorted(places))}"
    return "**not repaired**"


def named(seen: Seen) -> bool:
    """Whether what repair could not give back was named instead."""
    return repaired(seen).startswith("told: ")
