"""Whom a name may mean: the entities that show and have it, or have one like it, each with the reason. Nothing is ever decided
here between several, and likeness alone never makes one.

    identifier   the text holds a valid identifier that the entity has, or is one
    name         equal, but for width, case and spaces
    spelling     one name written in another way (script, brackets, legal form), by the rules of the entity's type
    like         similar; told only where nothing better is found
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from entities.compare import stated
from entities.names import folded, form_of
from entities.score import score_of
from indexes.serve.answers import Candidate, Candidates
from indexes.serve.arguments import EntityResolve
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.entities import identifiers_of
from indexes.serve.tools.looking import Looking
from indexes.serve.tools.names import Table
from ingest.model.entity import Entity, followed

ORDER = ("identifier", "name", "spelling", "like")
LIKE_FROM = 0.55
"""Names less alike are not told. As in the review queue, likeness only orders what a person is asked about."""
_LIKE_READ = 60
"""Names that show and are compared closely: what is hidden takes no place of theirs."""
_LIKE_LOOKED_AT = 1000
"""Names, the likest first, of which it is asked whether they show. This bounds what a question costs."""
_LIKE_AT_ALL = 45.0
"""Names less alike by rapidfuzz, of 100, never reach LIKE_FROM."""

_ADVICE = {
    "one": "one entity that you may see has it; go on with its entity_id",
    "several": "several entities have it: ask which is meant, or tell them apart by type, identifiers or entity_get",
    "like": "no entity has this name; these are only similar: ask before taking one for it",
    "none": "no entity that you may see has a name like it; try another spelling or the full name, or knowledge_search",
}


@dataclass(frozen=True, slots=True)
class _Match:
    """How an entity, or one that was merged into it, came into question."""

    how: str
    score: float
    matched: str
    why: str


def entity_resolve(asking: Asking, asked: EntityResolve) -> Told:
    """Entities that a name, abbreviation or identifier may mean, with the reason for each. Several are a question to whoever
    asked, never a guess."""
    found, failed = asking.each(asked.kb_ids, lambda looking: _candidates(looking, asking.names.of(looking.snapshot), asked))
    every = [each for one in found for each in one.result]
    firm = [each for each in every if each.how != "like"]
    kept = sorted(firm or every, key=lambda each: (ORDER.index(each.how), -each.score, each.label, each.entity_id, each.kb_id))
    meant = {each.entity_id for each in firm}
    outcome = "one" if len(meant) == 1 else "several" if meant else "like" if kept else "none"
    shown = tuple(kept[: asked.limit])
    seen = tuple(one.seen(each.entity_id for each in shown if each.kb_id == one.kb_id) for one in found)
    return Told(Candidates(outcome, shown, failed, _ADVICE[outcome]), seen)


def _candidates(looking: Looking, table: Table, asked: EntityResolve) -> list[Candidate]:
    """The candidates of one base that show, each by the best way in which it matches."""
    redirects = looking.snapshot.manifest.redirects
    told: dict[str, Candidate] = {}

    def shows(id: str, name: str) -> bool:
        return any(name == each.text for entity in looking.visible.members(id).values() for each in entity.names)

    for id, match in _matches(table, asked, shows):
        meant = followed(id, redirects)
        if meant in told or (asked.type is not None and table.entities[id].type != asked.type):
            continue
        if match.how == "like" and any(each.how != "like" for each in told.values()):
            break  # nobody is offered what is only similar beside what is equal
        members = looking.visible.members(id)
        if any(_has(entity, match) for entity in members.values()):
            told[meant] = _told(looking, meant, members, match)
        if len(told) >= asked.limit:
            break
    return list(told.values())


def _matches(table: Table, asked: EntityResolve, shows: Callable[[str, str], bool]) -> Iterator[tuple[str, _Match]]:
    """Entities that come into question, surest first. Equal ones whether they show or not; similar ones that do."""
    text = folded(asked.name)
    for item in sorted(stated(asked.name), key=lambda item: (item.scheme, item.value)):
        for id in table.identified.get(item, ()):
            yield id, _Match("identifier", 1.0, item.value, f"has the identifier {item.scheme} {item.value}")
    for item in [item for item in table.identified if item.value.casefold() == text]:
        for id in table.identified[item]:
            yield id, _Match("identifier", 1.0, item.value, f"has the identifier {item.scheme} {item.value}")
    for id in table.called.get(text, ()):
        name = next(name.text for name in table.entities[id].names if folded(name.text) == text)
        yield id, _Match("name", 1.0, name, "has exactly this name")
    for id in table.spelled(asked.name, asked.type):
        entity = table.entities[id]
        key = form_of(asked.name, entity.type).key
        name = next(name.text for name in entity.names if form_of(name.text, entity.type).key == key)
        yield id, _Match("spelling", 1.0, name, "has this name in another spelling")
    yield from _like(table, text, asked, shows)


def _like(table: Table, text: str, asked: EntityResolve, shows: Callable[[str, str], bool]) -> Iterator[tuple[str, _Match]]:
    from rapidfuzz import fuzz, process

    near = process.extract(
        text, [name for name, _ in table.texts], scorer=fuzz.WRatio, score_cutoff=_LIKE_AT_ALL, limit=_LIKE_LOOKED_AT
    )
    found = []
    places = (place for _, _, place in near if asked.type in (None, table.entities[table.texts[place][1]].type))
    for name, original, entity in islice(_showing(table, places, shows), _LIKE_READ):
        score = score_of(form_of(asked.name, entity.type), form_of(name, entity.type))
        if score >= LIKE_FROM:
            match = _Match("like", round(score, 3), original, f"is similar to the name {original!r}")
            found.append((-score, entity.entity_id, match))
    for _, id, match in sorted(found, key=lambda each: each[:2]):
        yield id, match


def _showing(
    table: Table, places: Iterable[int], shows: Callable[[str, str], bool]
) -> Iterator[tuple[str, str, Entity]]:
    """The names at `places` that show: folded, as written, and whose."""
    for place in places:
        name, id = table.texts[place]
        entity = table.entities[id]
        original = next(each.text for each in entity.names if folded(each.text) == name)
        if shows(id, original):
            yield name, original, entity


def _has(entity: Entity, match: _Match) -> bool:
    """Whether what matched shows: names and identifiers that only hidden documents give show nothing."""
    if match.how == "identifier":
        return any(item.value == match.matched for item in entity.identifiers)
    return any(name.text == match.matched for name in entity.names)


def _told(looking: Looking, meant: str, members: dict[str, Entity], match: _Match) -> Candidate:
    head = members.get(meant) or next(iter(members.values()))
    names = tuple(dict.fromkeys(name.text for entity in members.values() for name in entity.names))
    return Candidate(
        looking.kb_id, meant, head.type, head.label, match.matched, match.how, match.score, (match.why,), names,
        identifiers_of(list(members.values())),
    )
