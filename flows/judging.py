"""What a person decides about the registry: checked against what is known, appended to the log, in force with the next run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from entities.judgements import Pair, append, judged, pair_of, read, revocation
from flows.reviewed import judgements_file, registry_of
from ingest.errors import NotFound, UsageError
from ingest.model.entity import Entity, Judgement, JudgementKind, followed
from ingest.model.instant import now
from ingest.settings import Settings
from ingest.store.layout import layout_of
from ingest.store.opening import catalog_if_any


@dataclass(frozen=True, slots=True)
class Decided:
    """A judgement that was written. `redirects`: those of the registry that follow from all judgements, after it."""

    judgement_id: str
    judgement: Judgement
    redirects: dict[str, str]


class Judging:
    """Judgements on one state of the registry and its log, which are read once however many there are. They are written together,
    by `keep`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._log = read(judgements_file(settings))
        self._before = {entity.entity_id: entity for entity in registry_of(settings).entities}
        self._made: list[Judgement] = []
        self._pairs: dict[Pair, Judgement] = {}

    def judge(
        self, kind: JudgementKind, *, actor: str, reason: str, entities: Iterable[str] = (), text: str | None = None,
        type: str | None = None, evidence: Iterable[str] = (),
    ) -> Judgement:
        """Return a judgement that `keep` will write. Raises NotFound for an entity that neither the registry nor the published
        generation knows, UsageError for what makes no sense: a merge of two types, or of a pair that is pinned apart."""
        ids = tuple(entities)
        found = self._known(ids)
        if missing := sorted(set(ids) - found.keys()):
            raise NotFound(f"no entity is called {', '.join(missing)}; `ingest entities list` shows those that there are")
        if text is not None and type is None and ids:
            type = found[ids[0]].type
        entry = judged(kind, actor=actor, at=now(), reason=reason, entities=ids, text=text, type=type, evidence=evidence)
        if len(entry.entities) == 2:
            self._sensible(entry, found)
            self._pairs[pair_of(*entry.entities)] = entry
        self._made.append(entry)
        return entry

    def keep(self) -> list[Decided]:
        """Append what was judged to the log, all of it or nothing. Raises StorageFailed."""
        if not self._made:
            return []
        written = append(judgements_file(self._settings), self._made)
        redirects = registry_of(self._settings).redirected()
        return [Decided(entry.judgement_id, entry, redirects) for entry in written]

    def _known(self, ids: Iterable[str]) -> dict[str, Entity]:
        """The entities among `ids` that the registry has, or the published generation (one that an identifier minted)."""
        rest = sorted(set(ids) - self._before.keys())
        if rest:
            with catalog_if_any(layout_of(self._settings)) as catalog:
                if catalog is not None and (head := catalog.head()):
                    self._before |= {id: fact.noun(Entity) for id, fact in catalog.get("entities", head, rest).items()}
        return {id: self._before[id] for id in ids if id in self._before}

    def _sensible(self, entry: Judgement, found: dict[str, Entity]) -> None:
        one, other = (found[id] for id in entry.entities)
        if entry.kind == "merge" and one.type != other.type:
            raise UsageError(f"{one.entity_id} is a {one.type} and {other.entity_id} a {other.type}; types never mix")
        before = self._pairs.get(pair_of(*entry.entities)) or self._log.of_pair(*entry.entities)
        if entry.kind == "merge" and before is not None and before.kind == "pin":
            remedy = f"ingest entities revoke {before.judgement_id}"
            raise UsageError(f"{before.actor} pinned the two apart ({before.reason}); lift that first: {remedy}")


def decide(
    settings: Settings, kind: JudgementKind, *, actor: str, reason: str, entities: Iterable[str] = (), text: str | None = None,
    type: str | None = None, evidence: Iterable[str] = (),
) -> Decided:
    """Append one judgement to the log. Raises as `Judging.judge` and `Judging.keep`."""
    judging = Judging(settings)
    judging.judge(kind, actor=actor, reason=reason, entities=entities, text=text, type=type, evidence=evidence)
    return judging.keep()[0]


def revoke(settings: Settings, judgement_id: str, *, actor: str, reason: str) -> Decided:
    """Append that a judgement counts no more. Raises NotFound, UsageError."""
    entry = revocation(read(judgements_file(settings)), judgement_id, actor=actor, at=now(), reason=reason)
    [entry] = append(judgements_file(settings), [entry])
    return Decided(entry.judgement_id, entry, registry_of(settings).redirected())


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry of the log. `counts`: whether it is in force."""

    judgement_id: str
    judgement: Judgement
    counts: bool


def logged(settings: Settings, entity: str | None = None) -> list[Logged]:
    """Return the log, oldest first; with `entity`, what is about it or about what means it."""
    log, means = read(judgements_file(settings)), registry_of(settings).redirected()
    holding = {entry.judgement_id for entry in log.in_force}
    wanted = None if entity is None else followed(entity, means)
    return [
        Logged(entry.judgement_id, entry, entry.judgement_id in holding)
        for entry in log.entries if wanted is None or wanted in {followed(id, means) for id in entry.entities}
    ]
