"""The questions that wait for a person, with what speaks for and against, and what becomes of the answers.

Three kinds. `same`: may two entities be one? `name`: does a text name an entity? `assertion`: is what the wording of a document
proposes true? Whoever may not see the evidence is not asked. An answer is written to the log at once, so that an interrupted
review loses nothing; an accepted assertion joins the imported material. Answered questions are not asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Literal

from entities.assertions.proposals import PROPOSED, proposed
from entities.judgements import Judgements, append, judged, read
from entities.mentions.recogniser import Recogniser
from entities.registry_judged import Judged
from entities.resolve import Resolver
from flows.candidates import candidate_mentions
from flows.candidates import questions as candidates_of
from flows.importing import keep_assertions
from flows.judging import Decided, Judging
from flows.opening import reading
from flows.reviewed import judged as judged_of
from flows.reviewed import judgements_file, registry_of, vocabulary_of
from indexes.generation.snapshot import Snapshot
from indexes.query.request import Request, predicate_of
from indexes.query.visible import Visible
from ingest.errors import ConcordError, NotFound, UsageError
from ingest.model.access import Principal
from ingest.model.codec import decode
from ingest.model.entity import Assertion, Candidate, Entity, Mention
from ingest.model.instant import now
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord
from ingest.settings import Settings
from ingest.store.cache import Cache
from ingest.store.layout import layout_of
from ingest.store.opening import catalog_if_any

Kind = Literal["same", "name", "assertion"]
Answer = Literal["yes", "no", "pin"]

_EXCERPTS = 3
_AROUND = 60


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two entities that a question is about. `id` is empty for a value."""

    id: str
    label: str
    names: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Where it can be read."""

    chunk_id: str
    uri: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked. `relation`: what may hold of left and right: `same as` for two entities that may be one, `names`
    for a text (which has no id) and an entity."""

    id: str
    kind: Kind
    type: str
    left: Side
    relation: str
    right: Side
    score: float
    why: str
    reasons: tuple[str, ...] = ()
    evidence: tuple[Excerpt, ...] = ()


def questions(settings: Settings, who: Principal | None = None, limit: int | None = None) -> list[Question]:
    """Return the questions that wait, pairs first, the likeliest first. `who` None: all, for those who run the knowledge base."""
    log = read(judgements_file(settings))
    with ExitStack() as stack:
        looking = None
        if _published(settings):
            looking = _Looking(stack.enter_context(reading(settings)), who)
        judged, resolver = _resolving(settings, log)
        same = list(_pairs(judged, resolver, log, looking))
        named = list(_names(settings, judged, resolver, looking)) if looking is not None else []
        asserted = list(_assertions(settings, judged, log, looking)) if looking is not None else []
        ranked = (sorted(kind, key=lambda each: (-each.score, each.id)) for kind in (same, named, asserted))
        found = [each for kind in ranked for each in kind][:limit]
        return [replace(each, evidence=looking.excerpts(each)) if looking and not each.evidence else each for each in found]


def answer(settings: Settings, question: Question, said: Answer, *, actor: str, reason: str) -> Decided:
    """Write down what a person said to a question."""
    decided, refused = answer_all(settings, [(question, said, reason)], actor=actor)
    for _, error in refused:
        raise error
    return decided[0]


def answer_all(
    settings: Settings, answers: Iterable[tuple[Question, Answer, str]], *, actor: str
) -> tuple[list[Decided], list[tuple[Question, ConcordError]]]:
    """Write down what a person said to many questions, with the reason of each, and return which answers made no sense.

    The registry is read once for all of them, and so is what documents propose."""
    judging = Judging(settings)
    refused: list[tuple[Question, ConcordError]] = []
    proposed_: list[tuple[Question, Answer, str]] = []
    for question, said, reason in answers:
        try:
            if said == "pin" and question.kind != "same":
                raise UsageError("only two entities can be pinned apart; answer yes or no")
            if question.kind == "assertion":
                proposed_.append((question, said, reason))
            else:
                _judge(judging, question, said, actor, reason)
        except ConcordError as error:
            refused.append((question, error))
    decided = judging.keep()
    if proposed_:
        wanted = {question.id: (said == "yes", reason) for question, said, reason in proposed_}
        made, missing = _answer_proposed(settings, wanted, actor)
        decided += made
        refused += [(question, _gone(question.id)) for question, _, _ in proposed_ if question.id in missing]
    return decided, refused


def _judge(judging: Judging, question: Question, said: Answer, actor: str, reason: str) -> None:
    evidence = [excerpt.chunk_id for excerpt in question.evidence]
    if question.kind == "name":
        judging.judge(
            "accept" if said == "yes" else "reject", actor=actor, reason=reason, entities=(question.right.id,),
            text=question.left.label, type=question.type, evidence=evidence,
        )
        return
    kind: Literal["merge", "reject", "pin"] = "merge" if said == "yes" else "reject" if said == "no" else "pin"
    judging.judge(kind, actor=actor, reason=reason, entities=(question.left.id, question.right.id), evidence=evidence)


def answer_proposed(settings: Settings, id: str, *, accepted: bool, actor: str, reason: str) -> Decided:
    """Accept or reject a proposed assertion by its id. Raises NotFound for one that nothing proposes."""
    if not _published(settings):
        raise NotFound(f"nothing is published that could propose {id}; run: ingest run")
    decided, missing = _answer_proposed(settings, {id: (accepted, reason)}, actor)
    if missing:
        raise _gone(id)
    return decided[0]


def _gone(id: str) -> NotFound:
    return NotFound(f"no document proposes {id}; `ingest entities review --json` lists what waits")


def _answer_proposed(
    settings: Settings, wanted: Mapping[str, tuple[bool, str]], actor: str
) -> tuple[list[Decided], set[str]]:
    """Accept or reject proposed assertions, by id, with the reason of each. Returns the ids that nothing proposes besides."""
    found: dict[str, _Proposal] = {}
    with reading(settings) as snapshot:
        for each in _proposals(settings, _Looking(snapshot, None)):
            if each.assertion.assertion_id in wanted:
                found.setdefault(each.assertion.assertion_id, each)
    entries, kept = [], []
    ends: list[Entity] = []
    for id, each in found.items():
        accepted, reason = wanted[id]
        types = {entity.entity_id: entity.type for entity in each.ends}
        entries.append(judged(
            "accept" if accepted else "reject", actor=actor, at=now(), reason=reason, entities=(each.assertion.subject,),
            text=id, type=types[each.assertion.subject], evidence=(each.row.chunk_id,),
        ))
        if accepted:
            kept.append(replace(each.assertion, confidence=1.0))
            ends.extend(each.ends)
    if kept:
        keep_assertions(settings, kept, ends)
    written = append(judgements_file(settings), entries)
    redirects = registry_of(settings).redirected()
    return [Decided(entry.judgement_id, entry, redirects) for entry in written], wanted.keys() - found.keys()


@dataclass(frozen=True, slots=True)
class _Proposal:
    assertion: Assertion
    ends: tuple[Entity, ...]
    row: ChunkRow
    uri: str
    span: tuple[int, int]


class _Looking:
    """The published generation through the eyes of whoever is asked."""

    def __init__(self, snapshot: Snapshot, who: Principal | None) -> None:
        self.snapshot = snapshot
        if who is None:
            self.predicate = Predicate(principal=None, statuses=None)
        else:
            self.predicate = predicate_of(Request("", principal=who, statuses=None), snapshot, instant=None)
        self.everything = who is None
        self.visible = Visible(snapshot, self.predicate)
        self._admitted: dict[str, bool] = {}

    def admits(self, chunk: str) -> bool:
        """Whether a chunk shows."""
        if self.everything:
            return True
        if chunk not in self._admitted:
            row = self._row(chunk)
            self._admitted[chunk] = row is not None and self.predicate.admits(filter_columns(row))
        return self._admitted[chunk]

    def quoted(self, chunks: Iterable[str], text: str) -> tuple[Excerpt, ...]:
        """Where chunks say a text."""
        found = []
        for chunk in chunks:
            row = self._row(chunk)
            if row is not None:
                at = max(row.text.find(text), 0)
                found.append(Excerpt(chunk, self.uri(row.source_id), _around(row.text, at, at + len(text))))
        return tuple(found)

    def _row(self, chunk: str) -> ChunkRow | None:
        fact = self.snapshot.catalog.get("chunks", self.snapshot.generation, [chunk]).get(chunk)
        return None if fact is None else fact.noun(ChunkRow)

    def shown(self, entity: Entity) -> Entity | None:
        return entity if self.everything else self.visible.entity(entity)

    def excerpts(self, question: Question) -> tuple[Excerpt, ...]:
        """A few places where either side is mentioned."""
        chunks = [chunk for side in (question.left, question.right) if side.id
                  for chunk in self.visible.mentioning(side.id, _EXCERPTS - 1)]
        catalog, generation = self.snapshot.catalog, self.snapshot.generation
        found = []
        for id, fact in sorted(catalog.get("chunks", generation, list(dict.fromkeys(chunks))).items()):
            row = fact.noun(ChunkRow)
            mention = next((each for each in self.mentions(id) if each.entity_id in (question.left.id, question.right.id)), None)
            span = (mention.start, mention.end) if mention is not None else (0, 0)
            found.append(Excerpt(id, self.uri(row.source_id), _around(row.text, *span)))
        return tuple(found)

    def mentions(self, chunk: str) -> list[Mention]:
        fact = self.snapshot.catalog.get("mentions", self.snapshot.generation, [chunk]).get(chunk)
        return [] if fact is None else [decode(Mention, each) for each in fact.noun(dict)["mentions"]]

    def uri(self, source: str) -> str:
        fact = self.snapshot.catalog.get("sources", self.snapshot.generation, [source]).get(source)
        return source if fact is None else fact.noun(SourceRecord).uri


def _published(settings: Settings) -> bool:
    with catalog_if_any(layout_of(settings)) as catalog:
        return catalog is not None and catalog.head() > 0


def _resolving(settings: Settings, log: Judgements) -> tuple[Judged, Resolver]:
    judged = judged_of(settings)
    return judged, Resolver(judged.registry, log, settings.entities)


def _names(settings: Settings, judged: Judged, resolver: Resolver, looking: _Looking) -> Iterator[Question]:
    """Whether what documents seem to name is one of the entities that it is like."""
    entities = {entity.entity_id: entity for entity in judged.registry.entities}
    recogniser = Recogniser(judged.registry, settings.entities.models)
    snapshot = looking.snapshot
    cache = Cache(snapshot.layout.cache)
    try:
        mentions = [
            mention for mention in candidate_mentions(snapshot.catalog, snapshot.generation, recogniser, cache)
            if looking.admits(mention.chunk_id)
        ]
    finally:
        cache.close()
    for candidate in candidates_of(mentions, resolver):
        evidence = looking.quoted(candidate.evidence[:_EXCERPTS], candidate.text)
        for proposal in candidate.proposals:
            right = _side(entities.get(proposal.entity_id), looking)
            if right is not None:
                yield Question(
                    f"{candidate.candidate_id}/{proposal.entity_id}", "name", candidate.type, Side("", candidate.text), "names",
                    right, proposal.score, candidate.why, proposal.reasons, evidence,
                )


def _pairs(judged: Judged, resolver: Resolver, log: Judgements, looking: _Looking | None) -> Iterator[Question]:
    entities = {entity.entity_id: entity for entity in judged.registry.entities}
    asked: set[tuple[str, str]] = set()
    for candidate in (*judged.candidates(), *resolver.twins()):
        for question in _of(candidate, entities, looking):
            pair = min(question.left.id, question.right.id), max(question.left.id, question.right.id)
            if pair not in asked and log.of_pair(*pair) is None:
                asked.add(pair)
                yield question


def _of(candidate: Candidate, entities: dict[str, Entity], looking: _Looking | None) -> Iterator[Question]:
    """A question for each proposal, as far as both sides show."""
    left = _side(entities.get(candidate.entity_id or ""), looking)
    for proposal in candidate.proposals if left is not None else ():
        right = _side(entities.get(proposal.entity_id), looking)
        if left is not None and right is not None:
            yield Question(
                f"{candidate.candidate_id}/{proposal.entity_id}", "same", candidate.type, left, "same as", right, proposal.score,
                candidate.why, proposal.reasons,
            )


def _side(entity: Entity | None, looking: _Looking | None) -> Side | None:
    shown = entity if entity is None or looking is None else looking.shown(entity)
    if shown is None:
        return None
    identifiers = tuple(f"{item.scheme} {item.value}" for item in shown.identifiers)
    return Side(shown.entity_id, shown.label, tuple(name.text for name in shown.names), identifiers)


def _assertions(settings: Settings, judged: Judged, log: Judgements, looking: _Looking) -> Iterator[Question]:
    held = looking.snapshot.catalog.facts("assertions", looking.snapshot.generation)
    known = {_said(assertion) for assertion in judged.registry.assertions} | {_said(fact.noun(Assertion)) for fact in held}
    answered = {entry.text for entry in log.in_force if entry.text is not None and entry.text.startswith(PROPOSED)}
    for each in _proposals(settings, looking):
        assertion = each.assertion
        if _said(assertion) in known or assertion.assertion_id in answered:
            continue
        known.add(_said(assertion))
        sides = [side for entity in each.ends if (side := _side(entity, looking)) is not None]
        if len(sides) < len(each.ends):
            continue
        right = sides[1] if assertion.object is not None else Side("", assertion.value or "")
        excerpt = Excerpt(each.row.chunk_id, each.uri, _around(each.row.text, *each.span))
        yield Question(
            assertion.assertion_id, "assertion", each.ends[0].type, sides[0], assertion.relation, right, assertion.confidence,
            "the wording of a document proposes it", (), (excerpt,),
        )


def _said(assertion: Assertion) -> tuple[str, str, str]:
    return assertion.subject, assertion.relation, assertion.object or f"={assertion.value}"


def _proposals(settings: Settings, looking: _Looking) -> Iterator[_Proposal]:
    """What documents propose, chunk by chunk, as far as they show."""
    catalog, generation = looking.snapshot.catalog, looking.snapshot.generation
    vocabulary = vocabulary_of(settings)
    entities = {fact.id: fact.noun(Entity) for fact in catalog.facts("entities", generation)}
    types = {id: entity.type for id, entity in entities.items()}
    for fact in catalog.facts("mentions", generation):
        mentions = [decode(Mention, each) for each in fact.noun(dict)["mentions"]]
        row = next((held.noun(ChunkRow) for held in catalog.get("chunks", generation, [fact.id]).values()), None)
        if row is None or not looking.predicate.admits(filter_columns(row)):
            continue
        uri = looking.uri(row.source_id)
        for assertion in proposed(row.text, mentions, types, vocabulary, uri):
            ids = [id for id in (assertion.subject, assertion.object) if id is not None]
            places = [(each.start, each.end) for each in mentions if each.entity_id in ids]
            span = min(start for start, _ in places), max(end for _, end in places)
            yield _Proposal(assertion, tuple(entities[id] for id in ids), row, uri, span)


def _around(text: str, start: int, end: int) -> str:
    """A piece of a text, on one line."""
    begin, stop = max(0, start - _AROUND), min(len(text), end + _AROUND, start + 4 * _AROUND)
    shown = " ".join(text[begin:stop].split())
    return ("…" if begin else "") + shown + ("…" if stop < len(text) else "")


def asked(settings: Settings, ids: Iterable[str], who: Principal | None = None) -> dict[str, Question]:
    """Return the questions of these ids that still wait."""
    wanted = set(ids)
    return {each.id: each for each in questions(settings, who) if each.id in wanted}
