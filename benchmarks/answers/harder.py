"""Questions of the second calibration set, where refusing is hard: the same facts in words further from the text, what nobody
wrote down of things that are there, and what the caller may not see of them, while papers that show say it of their neighbours.

Subjects are those of the first calibration set, of which the golden set asks nothing; the words are in `harder.yaml`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from benchmarks.answers.composing import Composer, Question, _codenames, _expected
from benchmarks.answers.world.everything import ROOT
from benchmarks.answers.world.facts import Fact
from benchmarks.answers.world.registry import product_alias

HARDER = {  # questions of a category and language
    "in other words": 70, "access isolation": 64, "cross-lingual": 45, "no property": 70, "no property, cross-lingual": 24,
}
_WORDS = yaml.safe_load(Path(__file__).with_name("harder.yaml").read_text(encoding="utf-8"))
_CLOSED = ("order", "minutes", "supply", "runbook")
"""Kinds of papers that some may see and others not."""


class Harder(Composer):
    """Questions of one language on what the other calibration questions ask of."""

    def __init__(self, language: str) -> None:
        super().__init__(language, "calibration")
        self._other: dict[str, dict[str, list[str]]] = _WORDS[language]["other"]
        self._absent: dict[str, list[list[str]]] = _WORDS[language]["absent"]

    def _ways(self) -> dict[str, list[Callable[[], Iterator[Question]]]]:
        return {
            "in other words": [self._reworded],
            "access isolation": [lambda kind=kind: self._closed(kind) for kind in _CLOSED],  # type: ignore[misc]
            "cross-lingual": [self._reworded_abroad],
            "no property": [lambda kind=kind: self._unsaid(kind) for kind in self._absent],  # type: ignore[misc]
            "no property, cross-lingual": [self._unsaid_abroad],
        }

    def _reworded(self) -> Iterator[Question]:
        kinds = [kind for kind in self._other if kind not in _CLOSED]
        for turn, fact in enumerate(self._told(self, kinds)):
            yield self._say(self._ask(fact, turn, self._called(fact)), _expected(fact))

    def _reworded_abroad(self) -> Iterator[Question]:
        """Of things whose papers are in the other language, by the name there or by the one that the registry has in this."""
        away = Harder("en" if self.language == "zh" else "zh")
        for turn, fact in enumerate(self._told(away, ["manual", "faq", "catalogue", "quotas", "profile", "policy", "system"])):
            yield self._say(self._ask(fact, turn, away._abroad_called(fact, turn)), _expected(fact))

    def _closed(self, kind: str) -> Iterator[Question]:
        """What some may see, asked by them, and by others: nobody, or somebody who sees the like of another."""
        facts = list(self._told(self, [kind]))
        for turn, fact in enumerate(facts):
            yield self._say(self._ask(fact, turn, self._called(fact)), _expected(fact), self._reader(fact))
            another = next((each for each in facts[turn:] if each.subject != fact.subject), facts[0])
            who: dict[str, Any] = {"roles": ["sales"], "level": 3} if kind == "runbook" else self._reader(another)
            never = [f"{ROOT}/{fact.source}", *_codenames(self.half, fact)]
            query = self._ask(fact, turn + 1, self._called(fact))
            yield self._say(query, {"refusal": True, "never": never}, who if turn % 3 else {})

    def _unsaid(self, kind: str) -> Iterator[Question]:
        facts = {fact.subject: fact for fact in self._each(kind)}
        for turn, (fact, ways) in enumerate(_paired(list(facts.values()), self._absent[kind])):
            who = self._reader(fact) if kind in _CLOSED else None
            yield self._say(ways[turn % len(ways)].format(name=self._called(fact)), {"refusal": True}, who)

    def _unsaid_abroad(self) -> Iterator[Question]:
        away = Harder("en" if self.language == "zh" else "zh")
        kinds = [kind for kind in self._absent if kind in ("profile", "policy", "system", "faq", "catalogue")]
        each = [
            list(_paired(list({fact.subject: fact for fact in away._each(kind)}.values()), self._absent[kind])) for kind in kinds
        ]
        for turn, (fact, ways) in enumerate(filter(None, itertools.chain.from_iterable(itertools.zip_longest(*each)))):
            name = away._abroad_called(fact, turn)
            yield self._say(ways[turn // len(kinds) % len(ways)].format(name=name), {"refusal": True})

    def _told(self, whose: Composer, kinds: list[str]) -> Iterator[Fact]:
        """Facts that hold, of which this language has other words."""
        return (fact for fact in whose._each(*kinds) if fact.slot in self._other[fact.kind])

    def _ask(self, fact: Fact, turn: int, name: str) -> str:
        return replace(fact, wordings=tuple(self._other[fact.kind][fact.slot])).asked(turn, name=name)

    def _called(self, fact: Fact) -> str:
        if fact.kind in ("order", "minutes", "supply"):
            return self._organisation(fact)["legal"]
        return str(fact.values["name"]) if fact.kind == "runbook" else super()._called(fact)

    def _abroad_called(self, fact: Fact, turn: int) -> str:
        """What those who ask in the other language call it."""
        if fact.kind in ("profile", "policy"):
            return self._organisation(fact)["other"]
        if fact.kind == "system":
            return str(self.half.papers.systems[fact.subject]["other"])
        product = self.products[fact.subject]
        return product.full if turn % 2 else product_alias(product)

    def _reader(self, fact: Fact) -> dict[str, Any]:
        """Somebody who may see the paper."""
        if fact.kind == "runbook":
            return {"roles": ["sre"], "level": 1}
        slug = self._organisation(fact)["slug"]
        of_kind: dict[str, dict[str, Any]] = {
            "order": {"tenant": slug}, "minutes": {"roles": [f"{slug}-board"], "level": 3},
            "supply": {"user": f"{slug}.buyer", "level": 2},
        }
        return of_kind[fact.kind]


def _paired(facts: list[Fact], properties: list[list[str]]) -> Iterator[tuple[Fact, list[str]]]:
    """Every thing with every property, in an order that repeats neither soon."""
    for turn in range(len(facts)):
        for number, ways in enumerate(properties):
            yield facts[(turn + number) % len(facts)], ways
