"""A query as rules meet it, and where they apply.

Only the beginning of what is pasted is read: what follows two thousand characters is searched for like the rest, but says no more
about what is wanted. Half characters and characters of private use, which no text needs and placeholders use, are read as unknown
ones, so that any text at all is a query.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from entities.folding import NAME, Folded
from indexes.query.plan.rules import Compiled
from ingest.model.language import HAN, language_of

MOST = 2000
"""Characters that are read by rules, embedded and held against what was found; words are looked for in all of a query."""

_log = logging.getLogger(__name__)

_UNKNOWN = re.compile("[\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]")
_HAN = re.compile(f"[{HAN}]")
_WORD = re.compile(r"[a-z]{2,}")


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that applies. Places are those of the query as written; `groups` are folded text."""

    rule: Compiled
    start: int
    end: int
    text: str
    groups: dict[str, str]
    at: tuple[int, int]
    """The same in folded text."""
    places: dict[str, tuple[int, int]]
    """Where each group stands in folded text."""


class Reading:
    """`query`, read."""

    def __init__(self, query: str) -> None:
        self.text = _UNKNOWN.sub("\ufffd", query[:MOST])
        self._folded: Folded = NAME(self.text)
        self.folded = self._folded.text
        self.slow: dict[str, None] = {}
        """Ids of rules that took too long on this query, and are left out of the rest of its plan."""

    @cached_property
    def language(self) -> str | None:
        """zh, en, `mixed` (Chinese with more than names of English in it), or None: something else, or nothing to tell by."""
        told = language_of(self.text)
        if told == "zh" and len(_WORD.findall(self.folded)) > len(_HAN.findall(self.folded)) / 2:
            return "mixed"
        if told == "en" and _HAN.search(self.folded):
            return "mixed"
        return told

    @cached_property
    def _languages(self) -> frozenset[str]:
        """Whose rules can apply at all."""
        found = {"any"}
        if _HAN.search(self.folded):
            found.add("zh")
        if any("a" <= char <= "z" for char in self.folded):
            found.add("en")
        return frozenset(found)

    def matches(self, rules: Iterable[Compiled], text: str | None = None) -> Iterator[Match]:
        """Yield where rules apply, rule by rule. `text`: a form of the folded text of the same length."""
        searched = self.folded if text is None else text
        for rule in rules:
            if rule.pattern is None or rule.rule.language not in self._languages or rule.id in self.slow:
                continue
            try:
                if rule.unless is not None and rule.unless.search(searched):
                    continue
                all_of_it = [found for found in rule.pattern.finditer(searched) if found.end() > found.start()]
            except TimeoutError:
                self._leave_out(rule)
                continue
            yield from (self._match(rule, found) for found in all_of_it)

    def without(self, rules: Iterable[Compiled], text: str) -> str:
        """A folded text without what rules match, one after the other."""
        for rule in rules:
            if rule.pattern is not None and rule.id not in self.slow:
                try:
                    text = rule.pattern.sub(" ", text)
                except TimeoutError:
                    self._leave_out(rule)
        return text

    def first(self, rules: Iterable[Compiled]) -> Match | None:
        return next(self.matches(rules), None)

    def _match(self, rule: Compiled, found: re.Match[str]) -> Match:
        start, end = self.span(*found.span())
        groups = {name: value for name, value in found.groupdict().items() if value is not None}
        places = {name: found.span(name) for name in groups}
        return Match(rule, start, end, self.text[start:end], groups, found.span(), places)

    def _leave_out(self, rule: Compiled) -> None:
        self.slow[rule.id] = None
        _log.warning("the rule %s took too long on a question and was left out; see docs/planning.md, Changing a rule", rule.id)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """As written, of a part of the folded text that is not empty."""
        return self._folded.span(start, end)

    def written(self, start: int, end: int) -> str:
        """The text as written of a part of the folded text that is not empty."""
        first, last = self.span(start, end)
        return self.text[first:last]
