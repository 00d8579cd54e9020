"""Nothing of a document reaches somebody who may not see it: no word, name, id, count, message, candidate or copy of it, through
any door; and what is answered is what would be answered if it had never been there.

Compared with a base that never held what is hidden, byte for byte: rows, their order and scores, `status` and `confidence`,
texts, sections, entities and copies, conflicts, plan, clarification and trace, every listing and error. Not compared: digests of
the base as a whole, and how long things took.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

import pytest

CASES = 100
QUICK, ALL = 10, 200


class Published:
    """A base of a made-up world in two generations, and the ids that are in it by path."""

    def __init__(self, base: Any, first: dict[str, str], second: dict[str, str], world: Any) -> None:
        self.base = base
        base.seed(world.registry)
        base.set("generations", keep=9)
        if world.merged is not None:
            _merge(base, *world.merged)
        for documents in (first, second):
            for path in {file.name for file in base.docs.iterdir()} - documents.keys():
                base.delete(path)
            for path, content in documents.items():
                base.write(path, content)
            base.run(allow_mass_delete=True)

    def ids(self) -> tuple[dict[str, list[str]], set[str]]:
        """Source, parent and chunk ids of both generations by path; assertion ids."""
        from ingest.model.source import source_id

        paths = {source_id("docs", file): file for file in self._paths()}
        found: dict[str, list[str]] = {path: [id] for id, path in paths.items()}
        assertions: set[str] = set()
        with self.base.catalog() as catalog:
            for generation in (1, 2):
                for table in ("chunks", "parents"):
                    for fact in catalog.facts(table, generation):
                        found[paths[fact.source_id]].append(fact.id)
                assertions |= {fact.id for fact in catalog.facts("assertions", generation)}
        return found, assertions

    def _paths(self) -> set[str]:
        from ingest.model.source import SourceRecord

        with self.base.catalog() as catalog:
            return {fact.noun(SourceRecord).path for generation in (1, 2) for fact in catalog.facts("sources", generation)}


def _merge(base: Any, one: str, other: str) -> None:
    from entities.judgements import append, judged
    from flows.reviewed import judgements_file

    entry = judged("merge", actor="lin", at="2026-01-01", reason="one thing", entities=(one, other))
    append(judgements_file(base.settings), [entry])


@contextmanager
def opened(published: Published, doors: ModuleType, principals: list[dict[str, Any]]) -> Iterator[list[Any]]:
    """Yield the doors of a base for each of some callers."""
    from flows.opening import reading
    from flows.serving import bases_of

    settings = published.base.settings
    with ExitStack() as stack:
        pinned = {generation: stack.enter_context(reading(settings, generation)) for generation in (1, 2)}
        bases = bases_of(settings)
        stack.callback(bases.close)
        yield [doors.Doors(published.base, who, pinned, bases) for who in principals]


class Look:
    """One made-up world, published whole and as it would be without what one of its callers may not see."""

    def __init__(
        self, number: int, new_base: Callable[..., Any], worlds: ModuleType, oracle: ModuleType, doors: ModuleType,
        cases: ModuleType,
    ) -> None:
        self._number, self._oracle, self._doors, self._cases = number, oracle, doors, cases
        self._rng = random.Random(f"asked {number}")  # noqa: S311
        self._world = world = worlds.world(number)
        self._apart = self._rng.choice(world.principals)
        everything = [{path: each.content() for path, each in held.items()} for held in (world.first, world.second)]
        self._whole = Published(new_base("whole"), everything[0], everything[1], world)
        less = [oracle.without(world, self._apart, generation) for generation in (1, 2)]
        self._without = Published(new_base("without"), less[0], less[1], world)
        self._ids, self._assertions = self._whole.ids()
        self.told: Counter[str] = Counter()

    def leaks(self, also: float) -> list[str]:
        """Return what somebody was told of what is hidden, or would not have been told without it. Four in ten cases are of
        the one who is answered from both bases."""
        people = list(self._world.principals)
        others = [who for who in people if who is not self._apart]
        found: list[str] = []
        with opened(self._whole, self._doors, people) as everybody, opened(self._without, self._doors, [self._apart]) as (alone,):
            asking = dict(zip(map(str, people), everybody, strict=True))
            for place, who in enumerate([self._apart, *others]):
                share = CASES * 4 // 10 if place == 0 else CASES // 10
                found += self._asked(who, asking[str(who)], alone if place == 0 else None, share, also)
        return found

    def _asked(self, who: dict[str, Any], one: Any, other: Any, share: int, also: float) -> Iterator[str]:
        oracle, world = self._oracle, self._world
        hidden = {generation: self._hidden(who, generation) for generation in (1, 2)}
        asker = self._cases.Asker(
            self._rng, world, oracle.hidden_paths(world, who, 2), self._ids, sorted(self._assertions)
        )
        for case in asker.calls(share, also):
            self.told["cases"] += 1
            for door, given in case:
                self.told["calls"] += 1
                answer = one.ask(door, **given)
                text = json.dumps([answer, one.seen.rows, one.seen.latest], ensure_ascii=False, default=str)
                seen = oracle.found_in(hidden[given.get("generation", 2)], text, json.dumps(given, ensure_ascii=False))
                if seen:
                    yield f"world {self._number}, {who}: {door} {given} tells {seen[:5]}"
                if other is not None:
                    self.told["compared"] += 1
                    same = self._doors.lasting(answer), self._doors.lasting(other.ask(door, **given))
                    if differences := self._doors.differing(*same):
                        yield f"world {self._number}, {who}: {door} {given} differs: {differences[:2]}"

    def _hidden(self, who: dict[str, Any], generation: int) -> list[str]:
        """Folded words and ids that a caller may not be given from a generation."""
        paths = self._oracle.hidden_paths(self._world, who, generation)
        ids = [id for path in paths for id in (*self._ids.get(path, ()), f"docs/{path}")]
        return [*self._oracle.hidden_words(self._world, who, generation), *map(self._oracle.folded, ids)]


Seek = Callable[[int, float], list[str]]


@pytest.fixture
def seek(
    new_base: Callable[..., Any], worlds: ModuleType, oracle: ModuleType, doors: ModuleType, cases: ModuleType
) -> Seek:
    """Return the leaks of the world of a number; with the chance `also` each case has a second call."""
    def sought(number: int, also: float) -> list[str]:
        look = Look(number, new_base, worlds, oracle, doors, cases)
        found = look.leaks(also)
        assert look.told["cases"] == CASES
        return [f"{len(found)} of {dict(look.told)}", *found[:5]] if found else []

    return sought


@pytest.mark.parametrize("number", range(QUICK))
def test_nothing_hidden_is_told(number: int, seek: Seek) -> None:
    assert seek(number, 0.2) == []


def test_word_that_only_hidden_rows_hold_weighs_like_one_that_none_holds(
    new_base: Callable[..., Any], worlds: ModuleType, oracle: ModuleType, doors: ModuleType
) -> None:
    world = worlds.world(ALL)
    published = Published(
        new_base("whole"), *({path: each.content() for path, each in held.items()} for held in (world.first, world.second)), world
    )
    hidden = [word for word in oracle.hidden_words(world, {}, 2) if word.isascii() and word.isalpha()]
    with opened(published, doors, [{}]) as (nobody,):
        def told(word: str) -> Any:
            pack = nobody.ask("search", query=f"gateway {word} pressure", generation=2, mode="bm25")
            kept = [(item["chunk_id"], item["scores"]) for item in pack["evidence"]]
            return pack["status"], pack["confidence"], pack["trace"]["bm25_match"], pack["trace"]["sufficiency"], kept

        never = told("zzyzxqwort")
        assert len(hidden) > 5 and never[-1]
        assert [word for word in hidden if told(word) != never] == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(QUICK, ALL))
def test_nothing_hidden_is_told_in_many_more(number: int, seek: Seek) -> None:
    assert seek(number, 1.0) == []
