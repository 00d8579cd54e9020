"""The registry of a generation as a document: who is in it, what is said of them, what was merged, as far as a caller may see.

In: a pinned generation. Out: pieces of JSON-LD, N-Quads or Turtle, in an order that depends on ids alone. What belongs together
lies apart in the catalog (an entity by its id, assertions by theirs), so it is put in order in a private file on disk first:
memory does not grow with the registry.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import orjson

from entities.assertions.standing import Standing, standings
from entities.jsonld.node import Described, Reference
from flows.opening import reading
from flows.reviewed import exclusive_of, vocabulary_of
from indexes.generation.snapshot import Snapshot
from indexes.query.request import Request, predicate_of
from indexes.query.visible import Visible
from ingest.errors import NotFound, StorageFailed
from ingest.model.access import Principal
from ingest.model.codec import decode
from ingest.model.edge import REGISTRY
from ingest.model.entity import Assertion, Entity, Name, followed
from ingest.settings import Settings

Format = Literal["jsonld", "turtle", "nquads"]
FORMATS: tuple[Format, ...] = ("jsonld", "turtle", "nquads")

_LABELS = 20_000
"""Labels of referred entities that are kept at hand."""
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported. `who` None: everything, whoever may see it. `as_of`: a normalised instant, None: all times.
    `entity`: only this one, as a document of its own."""

    format: Format = "jsonld"
    who: Principal | None = Principal()
    as_of: str | None = None
    entity: str | None = None


def export(settings: Settings, wanted: Wanted, generation: int | None = None) -> Iterator[bytes]:
    """Yield the pieces of a document. Raises NotFound for an entity that there is none of, or that is hidden; ExtraMissing."""
    from entities.jsonld import rdf, write

    vocabulary = vocabulary_of(settings)
    with reading(settings, generation) as snapshot, _gathered(snapshot, wanted, exclusive_of(settings)) as held:
        if wanted.entity is None:
            made = write.nodes(held.every(), held.refer, vocabulary)
        else:
            described = held.one(wanted.entity)
            if wanted.format == "jsonld":
                document = write.document(described, held.refer, vocabulary)
                yield orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
                return
            made = write.nodes([described, *described.absorbed], held.refer, vocabulary)
        writer = {"jsonld": write.graph, "turtle": rdf.turtle, "nquads": rdf.nquads}[wanted.format]
        yield from writer(made, vocabulary)


def keep(out: Path, pieces: Iterable[bytes]) -> int:
    """Write a file, whole or not at all, and return its size in bytes. Raises StorageFailed."""
    part = out.with_name(out.name + ".part")
    try:
        with part.open("wb") as file:
            file.writelines(pieces)
            size = file.tell()
        part.replace(out)
    except OSError as error:
        raise StorageFailed(f"{out} cannot be written ({error.strerror}); check the folder and the free space") from error
    finally:
        part.unlink(missing_ok=True)
    return size


@contextmanager
def _gathered(snapshot: Snapshot, wanted: Wanted, exclusive: Collection[str]) -> Iterator[Gathered]:
    """What is to be exported of a generation, in order, in a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="concord-export-") as folder:
        connection = sqlite3.connect(Path(folder) / "held.db", isolation_level=None)
        try:
            held = Gathered(connection, snapshot.manifest.redirects, exclusive, wanted)
            held.fill(snapshot)
            yield held
        finally:
            connection.close()


class Gathered:
    """Entities by id and assertions by subject, of one generation and for one caller."""

    def __init__(
        self, connection: sqlite3.Connection, redirects: Mapping[str, str], exclusive: Collection[str], wanted: Wanted
    ) -> None:
        self._db = connection
        self._redirects = redirects
        self._exclusive = exclusive
        self._wanted = wanted
        self._shows: Callable[[str], bool] | None = None
        self.refer: Callable[[str], Reference | None] = lru_cache(_LABELS)(self._referred)
        for statement in (
            "pragma journal_mode=off", "pragma synchronous=off",
            "create table entities (id text primary key, into_id text, payload blob) without rowid",
            "create table assertions (subject text, id text, payload blob, primary key (subject, id)) without rowid",
        ):
            connection.execute(statement)

    def fill(self, snapshot: Snapshot) -> None:
        """Take in what of the generation the caller may see, and what held then."""
        seen = _Seen(snapshot, self._wanted)
        self._shows = seen.means_something
        catalog, generation = snapshot.catalog, snapshot.generation
        self._db.execute("begin")
        for fact in catalog.facts("entities", generation):
            # An entity that several documents mint is one; what the registry says of it counts most.
            entity = seen.entity(fact.noun(Entity))
            if entity is not None:
                verb = "insert or replace" if fact.source_id == REGISTRY else "insert or ignore"
                into = self._redirects.get(entity.entity_id)
                self._db.execute(f"{verb} into entities values (?, ?, ?)", (entity.entity_id, into, orjson.dumps(entity)))
        for fact in catalog.facts("assertions", generation):
            assertion = fact.noun(Assertion)
            if seen.assertion(assertion):
                row = (assertion.subject, fact.id, orjson.dumps(assertion))
                self._db.execute("insert or ignore into assertions values (?, ?, ?)", row)
        self._db.execute("commit")
        self._db.execute("create index merged on entities (into_id) where into_id is not null")

    def every(self) -> Iterator[Described]:
        """Yield every entity, by id."""
        last = ""
        while rows := self._db.execute("select id from entities where id > ? order by id limit ?", (last, _BATCH)).fetchall():
            for (id,) in rows:
                if (described := self._described(id)) is not None:
                    yield described
            last = rows[-1][0]

    def one(self, id: str) -> Described:
        """Return one entity; an id that was merged gives the one that it means, to who may see that. Raises NotFound."""
        meant = followed(id, self._redirects)
        known = self._shows is None or self._shows(id)
        described = self._described(meant if self._entity(meant) is not None else id) if known else None
        if described is None:
            raise NotFound(f"no entity that this caller may see is called {id}; `ingest entities list` shows those that are")
        return described

    def _described(self, id: str) -> Described | None:
        entity = self._entity(id)
        if entity is None:
            return None
        into = self._redirects.get(id)
        into = into if into is not None and self._entity(into) is not None else None
        others = [other for (other,) in self._db.execute("select id from entities where into_id = ? order by id", (id,))]
        held = {each: self._assertions(each) for each in (id, *others)}
        every = [assertion for assertions in held.values() for assertion in assertions]
        stood = {each.assertion.assertion_id: each for each in standings(every, self._exclusive, self._redirects)}
        absorbed = tuple(
            Described(other, self._of(held[other.entity_id], stood), id)
            for other in map(self._entity, others) if other is not None
        )
        return Described(entity, self._of(held[id], stood), into, absorbed)

    def _of(self, assertions: list[Assertion], stood: Mapping[str, Standing]) -> tuple[Standing, ...]:
        found = [stood[assertion.assertion_id] for assertion in assertions]
        instant = self._wanted.as_of
        if instant is None:
            return tuple(found)
        # Then, nothing had taken the place of what held, and only what held could contradict it.
        return tuple(
            replace(each, superseded_by=None, contradicts=tuple(id for id in each.contradicts if stood[id].holds_at(instant)))
            for each in found if each.holds_at(instant)
        )

    def _entity(self, id: str) -> Entity | None:
        row = self._db.execute("select payload from entities where id = ?", (id,)).fetchone()
        return None if row is None else decode(Entity, orjson.loads(row[0]))

    def _assertions(self, subject: str) -> list[Assertion]:
        rows = self._db.execute("select payload from assertions where subject = ? order by id", (subject,))
        return [decode(Assertion, orjson.loads(payload)) for (payload,) in rows]

    def _referred(self, id: str) -> Reference | None:
        entity = self._entity(followed(id, self._redirects)) or self._entity(id)
        return None if entity is None else Reference(entity.entity_id, entity.type, entity.label)


class _Seen:
    """What of a generation a caller sees at an instant."""

    def __init__(self, snapshot: Snapshot, wanted: Wanted) -> None:
        self._as_of = wanted.as_of
        self._visible = None
        if wanted.who is not None:
            request = Request("", principal=wanted.who, statuses=None)
            self._visible = Visible(snapshot, predicate_of(request, snapshot, instant=None))

    def entity(self, entity: Entity) -> Entity | None:
        shown = entity if self._visible is None else self._visible.entity(entity)
        if shown is None or self._as_of is None:
            return shown
        names = tuple(name for name in shown.names if _held(name, self._as_of))
        return replace(shown, names=names) if names or not shown.names else None

    def means_something(self, id: str) -> bool:
        """Whether the caller may be told what an id means: one that was merged may be hidden where the other is not."""
        return self._visible is None or bool(self._visible.members(id))

    def assertion(self, assertion: Assertion) -> bool:
        return self._visible is None or self._visible.assertion(assertion)


def _held(name: Name, instant: str) -> bool:
    return (name.valid_from or "") <= instant < (name.valid_until or "~")
