"""Outcomes added up: every metric over all questions, by category, by language, and by both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flows.evaluation.intervals import Change, Figure, change, figure, percentile
from flows.evaluation.outcome import Outcome

METRICS = (
    "Recall@1", "Recall@5", "Recall@10", "Recall@20", "nDCG@10", "MRR", "evidence hit", "entity linking", "right version",
    "conflict reported", "refusal precision", "refusal recall", "refused wrongly", "citation validity", "leaks",
    "needed the graph",
)
"""In the order in which they are shown. `leaks` is a mean here; the count is what `Group.leaks` says."""
LATENCIES = {"p50 ms": 50, "p95 ms": 95}
"""Milliseconds -> the share of searches, in percent, that take no longer."""
ALL = "all"


@dataclass(frozen=True, slots=True)
class Group:
    """Some questions of a set. `category` and `language` are empty where all are in it. Latencies, in
    milliseconds, are those of a whole search with the embedding of its query."""

    category: str
    language: str
    questions: int
    missed: int
    leaks: int
    errors: int
    figures: dict[str, Figure]

    @property
    def name(self) -> str:
        return ", ".join(part for part in (self.category, self.language) if part) or ALL


def groups(outcomes: Sequence[Outcome]) -> tuple[Group, ...]:
    """Return all, each category, each language, and each category in each language, where there are more than one. Questions
    without a category are told in all, and in their language, only."""
    categories = list(dict.fromkeys(one.category for one in outcomes if one.category))
    languages = list(dict.fromkeys(one.language for one in outcomes if one.language))
    made = [_group("", "", outcomes)]
    made += [_group(name, "", [one for one in outcomes if one.category == name]) for name in categories]
    if len(languages) > 1:
        made += [_group("", name, [one for one in outcomes if one.language == name]) for name in languages]
        made += [
            _group(category, language, some) for category in categories for language in languages
            if (some := [one for one in outcomes if (one.category, one.language) == (category, language)])
        ]
    return tuple(made)


def _group(category: str, language: str, outcomes: Sequence[Outcome]) -> Group:
    figures = {name: made for name in METRICS if (made := figure([one.parts[name] for one in outcomes if name in one.parts]))}
    took = [one.milliseconds for one in outcomes]
    figures |= {name: percentile(took, share) for name, share in LATENCIES.items()}
    return Group(
        category, language, len(outcomes), sum(bool(one.missed) for one in outcomes), sum(len(one.leaks) for one in outcomes),
        sum(bool(one.error) for one in outcomes), figures,
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """One group under two systems."""

    category: str
    language: str
    changes: dict[str, Change]

    @property
    def name(self) -> str:
        return ", ".join(part for part in (self.category, self.language) if part) or ALL


def compared(first: Iterable[Outcome], second: Iterable[Outcome]) -> tuple[Compared, ...]:
    """Return how every metric changed, paired by question, over all and by category."""
    before, after = {one.id: one for one in first}, {one.id: one for one in second}
    both = [id for id in before if id in after]
    made = [_compared("", [(before[id], after[id]) for id in both])]
    for category in dict.fromkeys(before[id].category for id in both if before[id].category):
        made.append(_compared(category, [(before[id], after[id]) for id in both if before[id].category == category]))
    return tuple(made)


def _compared(category: str, pairs: Sequence[tuple[Outcome, Outcome]]) -> Compared:
    changes = {}
    for name in METRICS:
        parts = [(one.parts[name], two.parts[name]) for one, two in pairs if name in one.parts and name in two.parts]
        made = change([one for one, _ in parts], [two for _, two in parts])
        if made is not None:
            changes[name] = made
    return Compared(category, "", changes)
