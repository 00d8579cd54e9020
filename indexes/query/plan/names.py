"""Names of the registry in a query, as far as the caller may know them.

One automaton over all names is made for a snapshot. A name that it finds counts where a chunk that shows
both mentions the entity and has the name in it, or where the registry gives a source of it that shows (`indexes.query.visible`
tells the same of every name of an entity). What is hidden is taken out before the longest of overlapping names is chosen, so a
query is read as if hidden names did not exist.

What a chunk says never changes in a snapshot. So it is remembered beside the columns that decide who may see it, and the next
question, whoever asks it, costs no reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from entities.folding import NAME
from entities.identifiers import Found
from entities.mentions.gazetteer import Gazetteer
from indexes.generation.snapshot import Snapshot
from indexes.query.plan.plan import Named
from indexes.query.visible import Visible, folded
from ingest.model.edge import REGISTRY
from ingest.model.entity import Entity, Name, followed
from ingest.model.predicate import FilterColumns, Predicate, filter_columns
from ingest.model.row import ChunkRow

_FEW, _MANY = 16, 200
"""Chunks that are read for the names of an entity: most names are in the first ones."""
_WITNESSES = 16
_REMEMBERED = 4096
_ABBREVIATION = 4
_LOWER = re.compile("[a-z]")

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A name of an entity; `form`: folded as names are compared, `word`: folded as texts are searched for it."""

    name: Name
    form: str
    word: str
    shouted: bool
    """It is an abbreviation that is a name in capitals only."""


@dataclass
class _Witnesses:
    """Word -> columns of some chunks that say it of the entity."""

    of: dict[str, set[FilterColumns]] = field(default_factory=dict)


class Register:
    """What a generation knows of names, whoever asks. Kept with its snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.entities: dict[str, Entity] = {}
        for fact in snapshot.catalog.facts("entities", snapshot.generation):
            if fact.id not in self.entities or fact.source_id == REGISTRY:
                self.entities[fact.id] = fact.noun(Entity)
        self.redirects = snapshot.manifest.redirects
        self._spelled: dict[str, tuple[Spelled, ...]] = {}
        self.gazetteer = Gazetteer((name.text, id) for id, each in self.entities.items() for name in each.names)
        self.gazetteer.find("")  # builds what looking needs, once
        self.by_identifier: dict[tuple[str, str], list[str]] = {}
        for id, entity in self.entities.items():
            for item in entity.identifiers:
                self.by_identifier.setdefault((item.scheme, item.value), []).append(id)
        self._members: dict[str, list[str]] = {}
        for old, new in sorted(self.redirects.items()):
            self._members.setdefault(new, []).append(old)
        self._witnesses: dict[str, _Witnesses] = {}
        self._read: dict[tuple[str, str], tuple[FilterColumns, str]] = {}
        self._told: dict[tuple[Predicate, str], frozenset[str]] = {}
        self._used: dict[tuple[Predicate, str], dict[str, int]] = {}

    def spelled(self, id: str) -> tuple[Spelled, ...]:
        """The names of an entity."""
        if id not in self._spelled:
            self._spelled[id] = tuple(_spelled(name) for name in self.entities[id].names)
        return self._spelled[id]

    def members(self, meant: str) -> list[str]:
        """The ids that mean the same as one that is not redirected, itself first."""
        return [id for id in (meant, *self._members.get(meant, ())) if id in self.entities]

    def shown(self, id: str, words: frozenset[str], predicate: Predicate) -> frozenset[str]:
        """Those of some words that a chunk says which shows and mentions the entity."""
        known = self._witnesses.setdefault(id, _Witnesses())
        seen = {word for word in words if any(predicate.admits(columns) for columns in tuple(known.of.get(word, ())))}
        if len(seen) == len(words):
            return frozenset(seen)
        return frozenset(seen) | (words & self._all_shown(id, predicate))

    def _all_shown(self, id: str, predicate: Predicate) -> frozenset[str]:
        """The words by which an entity shows, looked for in the chunks that mention it."""
        key = (predicate, id)
        told = self._told.get(key)
        if told is None:
            words = {each.word for each in self.spelled(id)} | {folded(item.value) for item in self.entities[id].identifiers}
            found: set[str] = set()
            for most in (_FEW, _MANY):
                chunks = Visible(self._snapshot, predicate).mentioning(id, most)
                found |= self._said(id, words, chunks, predicate)
                if len(found) == len(words) or len(chunks) < most:
                    break
            told = _remember(self._told, key, frozenset(found))
        return told

    def _said(self, id: str, words: set[str], chunks: Sequence[str], predicate: Predicate) -> set[str]:
        found: set[str] = set()
        known = self._witnesses.setdefault(id, _Witnesses())
        for columns, text in self._look(id, chunks).values():
            if not predicate.admits(columns):
                continue
            for word in words - found:
                if word in text:
                    found.add(word)
                    witnesses = known.of.setdefault(word, set())
                    if len(witnesses) < _WITNESSES:
                        witnesses.add(columns)
        return found

    def used(self, id: str, predicate: Predicate) -> Mapping[str, int]:
        """Word -> how many of some chunks that show and mention the entity say it."""
        key = (predicate, id)
        used = self._used.get(key)
        if used is None:
            read = self._look(id, Visible(self._snapshot, predicate).mentioning(id, _FEW))
            texts = [text for columns, text in read.values() if predicate.admits(columns)]
            words = {each.word for each in self.spelled(id)}
            used = _remember(self._used, key, {word: sum(word in text for text in texts) for word in words})
        return used

    def _look(self, id: str, chunks: Sequence[str]) -> dict[str, tuple[FilterColumns, str]]:
        """What chunks say, and by what they mention the entity, beside the columns that decide who may see them."""
        known = {chunk: read for chunk in chunks if (read := self._read.get((id, chunk))) is not None}
        new = [chunk for chunk in chunks if chunk not in known]
        if not new:
            return known
        catalog, generation = self._snapshot.catalog, self._snapshot.generation
        mentions = catalog.get("mentions", generation, new)
        for chunk, fact in catalog.get("chunks", generation, new).items():
            row = fact.noun(ChunkRow)
            named = mentions[chunk].noun(dict)["mentions"] if chunk in mentions else []
            said = "\n".join([row.search_text, *(each["method"] for each in named if each["entity_id"] == id)])
            known[chunk] = _remember(self._read, (id, chunk), (filter_columns(row), folded(said)))
        return known


class Names:
    """The register as one caller may know it."""

    def __init__(self, register: Register, snapshot: Snapshot, predicate: Predicate) -> None:
        self._register = register
        self._predicate = predicate
        self._visible = Visible(snapshot, predicate)

    def in_text(self, text: str, found: Iterable[Found]) -> list[Named]:
        """The names and identifiers in a text that the caller may know, in order; no two names share a character."""
        hits = [(start, end, ids) for start, end, form in self._register.gazetteer.every(text)
                if (ids := self._owners(form, text[start:end]))]
        named = [Named(start, end, text[start:end], ids) for start, end, ids in _longest(hits)]
        for item in found:
            owners = self._register.by_identifier.get((item.scheme, item.value), [])
            word = folded(item.value)
            ids = _meant((id for id in owners if self._register.shown(id, frozenset([word]), self._predicate)), self._register)
            if ids and all(item.end <= each.start or each.end <= item.start for each in named):
                named.append(Named(item.start, item.end, text[item.start : item.end], ids))
        return sorted(named, key=lambda each: each.start)

    def of(self, meant: str) -> list[Name]:
        """The names of an entity that show, of all ids that mean it: preferred ones first."""
        shown: list[Name] = []
        for id in self._register.members(meant):
            spelled = self._register.spelled(id)
            words = self._register.shown(id, frozenset(each.word for each in spelled), self._predicate)
            shown += [each.name for each in spelled if each.word in words or self._sourced(each.name, id)]
        return sorted(dict.fromkeys(shown), key=lambda name: name.kind != "preferred")

    def used(self, meant: str) -> list[tuple[Name, int]]:
        """The names that show of an entity with how often texts have them, the most used first."""
        counts: dict[str, int] = {}
        for id in self._register.members(meant):
            for word, count in self._register.used(id, self._predicate).items():
                counts[word] = counts.get(word, 0) + count
        return sorted(((name, counts.get(folded(name.text), 0)) for name in self.of(meant)), key=lambda each: -each[1])

    def shared(self, name: Name) -> bool:
        """Whether a name is that of others, too, as far as shows."""
        form = _spelled(name).form
        return form in self._register.gazetteer.forms and len(self._owners(form, name.text)) > 1

    def type_of(self, meant: str) -> str:
        return self._register.entities[self._register.members(meant)[0]].type

    def _owners(self, form: str, written: str) -> tuple[str, ...]:
        """Whom a form means, of those whose name it shows to be."""
        ids = []
        for id in self._register.gazetteer.forms[form].entity_ids:
            spelled = [each for each in self._register.spelled(id) if each.form == form]
            said = [each for each in spelled if not each.shouted or not _LOWER.search(written)]
            words = self._register.shown(id, frozenset(each.word for each in said), self._predicate) if said else frozenset()
            if any(each.word in words or self._sourced(each.name, id) for each in said):
                ids.append(id)
        return _meant(ids, self._register)

    def _sourced(self, name: Name, id: str) -> bool:
        """Whether the registry gives a source of a name that shows, and the entity does itself."""
        return bool(name.source) and self._visible.source_shows(name.source or "") and bool(self._visible.mentioning(id, 1))


def register_of(snapshot: Snapshot) -> Register:
    return snapshot.kept("names", lambda: Register(snapshot))


def _spelled(name: Name) -> Spelled:
    text = name.text.strip()
    shouted = len(text) <= _ABBREVIATION and text.isascii() and text.isalpha() and text.isupper()
    return Spelled(name, " ".join(NAME(name.text).text.split()), folded(name.text), shouted)


def _meant(ids: Iterable[str], register: Register) -> tuple[str, ...]:
    return tuple(sorted({followed(id, register.redirects) for id in ids}))


def _longest(hits: Sequence[tuple[int, int, T]]) -> list[tuple[int, int, T]]:
    """Of hits that overlap the longest, of equally long ones the first."""
    taken: list[tuple[int, int, T]] = []
    for hit in sorted(hits, key=lambda hit: (hit[0] - hit[1], hit[0])):
        if all(hit[1] <= each[0] or each[1] <= hit[0] for each in taken):
            taken.append(hit)
    return sorted(taken, key=lambda hit: hit[0])


def _remember(kept: dict[K, T], key: K, value: T) -> T:
    """Keep a value and return it. Threads may clear what is kept at any time: nobody reads back what they put in."""
    if len(kept) >= _REMEMBERED:
        kept.clear()
    kept[key] = value
    return value
