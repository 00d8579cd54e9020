"""The catalog: what is true in which generation. SQLAlchemy Core over one SQLite file.

Facts live in interval tables. A fact is in effect in generation n when `gen_from <= n` and `gen_to` is null or greater than
n, so a generation is staged by inserting and closing intervals that no reader of the head can see, and published by moving
one number, the head. That update is the only commit point of the product; everything before it can be discarded by
`recover`, everything after it is history until `prune`.

Times (`published_at`, `confirmed_at`) and places (root locations, file signatures) are kept beside the facts, never in them.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson
import sqlalchemy as sa

from ingest.errors import Inconsistent, KnowledgeBaseMissing, NotFound, StorageFailed
from ingest.model.canonical import SetDigest
from ingest.model.codec import decode
from ingest.model.generation import Manifest
from ingest.model.instant import now
from ingest.model.source import Revision, Root
from ingest.steps import reached

T = TypeVar("T")

FORMAT = "1"
_BATCH = 500
_MOST = (1 << 63) - 1
"""The largest integer that SQLite has."""

_tables = sa.MetaData()


def _interval_table(name: str) -> sa.Table:
    return sa.Table(
        name, _tables,
        sa.Column("serial", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("source_id", sa.Text, nullable=False, index=True),
        sa.Column("checksum", sa.Text, nullable=False),
        sa.Column("gen_from", sa.Integer, nullable=False, index=True),
        sa.Column("gen_to", sa.Integer, index=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        # All that counting a generation needs, so that it reads a twentieth of the table.
        sa.Index(f"ix_{name}_id", "id", "checksum", "gen_from", "gen_to"),
    )


FACTS: dict[str, sa.Table] = {
    name: _interval_table(name) for name in ("sources", "parents", "chunks", "mentions", "edges", "entities", "assertions")
}
"""Interval tables by name; all in the snapshot digest."""

_meta = sa.Table("meta", _tables, sa.Column("key", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False))
_roots = sa.Table("roots", _tables, sa.Column("name", sa.Text, primary_key=True), sa.Column("location", sa.Text, nullable=False))
_generations = sa.Table(
    "generations", _tables,
    sa.Column("generation", sa.Integer, primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("manifest", sa.Text, nullable=False),
    sa.Column("published_at", sa.Text),
    sa.Column("confirmed_at", sa.Text),
    sa.Column("origin", sa.Text, nullable=False),
)
_PUBLISHED = f"select {', '.join(_generations.c.keys())} from {_generations.name} where generation = ? and state = 'published'"  # noqa: S608
_seen = sa.Table(
    "seen", _tables,
    sa.Column("source_id", sa.Text, primary_key=True),
    sa.Column("signature", sa.Text, nullable=False),
    sa.Column("revision", sa.Text, nullable=False),
)


@cache
def _keys(kind: type) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind))


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of an interval table. `position` orders the facts of a source; `payload` is the noun as JSON."""

    id: str
    source_id: str
    checksum: str
    position: int
    payload: bytes

    @classmethod
    def of(cls, noun: Any, *, id: str, source_id: str, checksum: str, position: int = 0) -> Fact:
        return cls(id, source_id, checksum, position, orjson.dumps(noun))

    def noun(self, kind: type[T]) -> T:
        """Raises Inconsistent when the payload is not what was written."""
        try:
            return decode(kind, orjson.loads(self.payload))
        except (ValueError, TypeError, KeyError) as error:
            raise self._unreadable(error) from error

    def stated(self, kind: type) -> dict[str, Any]:
        """The payload as JSON types, for who reads few of many: only its keys are compared with those of `kind`. Raises as
        `noun`."""
        try:
            found: dict[str, Any] = orjson.loads(self.payload)
            if found.keys() != _keys(kind):
                raise ValueError(f"it is no {kind.__name__}")
        except (ValueError, AttributeError) as error:
            raise self._unreadable(error) from error
        return found

    def _unreadable(self, error: Exception) -> Inconsistent:
        return Inconsistent(f"the catalog's fact {self.id} cannot be read ({error}); run: ingest verify")


@dataclass(frozen=True, slots=True)
class Published:
    """A generation as listed. `origin`: `run`, `rollback to N`, `repair`, `import`."""

    generation: int
    manifest: Manifest
    published_at: str
    confirmed_at: str
    origin: str


class Churn(NamedTuple):
    """How many facts of one source began with a generation, ended with it, and did both: those have changed."""

    began: int
    ended: int
    both: int


class Catalog:
    """The catalog at `path`. Threads may read through one; close it. Every method may raise StorageFailed."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if not create and not path.exists():
            raise KnowledgeBaseMissing(
                f"no knowledge base at {path.parent}; create one with: ingest run FOLDER --kb {path.parent}"
            )
        self._path = path
        # A path is no URL: ? and % are names. Any number of connections: a thread that streams rows may look others up meanwhile,
        # and threads that all wait for one more than there may be would wait for one another.
        self._engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)), max_overflow=-1)
        sa.event.listen(self._engine, "connect", _configure)
        sa.event.listen(self._engine, "begin", lambda connection: connection.exec_driver_sql("begin"))
        with self._failures():
            if create:
                _tables.create_all(self._engine)
            elif not self._is_begun():
                raise self._nothing()
            found = self.meta("format")
            if found is None and create:
                self.set_meta("format", FORMAT)
            elif found != FORMAT:
                raise StorageFailed(f"{path} has catalog format {found}, not {FORMAT}; use the version that wrote it")

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Catalog:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Small facts about the knowledge base itself

    def _is_begun(self) -> bool:
        """Whether the file has tables: a run that was killed, or met a full disk, while it made them left none, or a part."""
        with self._reading() as connection:
            found = connection.exec_driver_sql("select count(*) from sqlite_master where type = 'table' and name = 'meta'")
            return found.scalar() == 1 and self.meta("format") is not None

    def meta(self, key: str) -> str | None:
        with self._reading() as connection:
            # Asked with every request of a server: building the query anew would cost more than all the rest.
            value: str | None = connection.exec_driver_sql("select value from meta where key = ?", (key,)).scalar()
            return value

    def set_meta(self, key: str, value: str | None) -> None:
        with self._writing() as connection:
            _put_meta(connection, key, value)

    def head(self) -> int:
        """The published generation that readers get; 0 when there is none."""
        head = self.meta("head") or "0"
        if not (head.isascii() and head.isdecimal()):
            raise Inconsistent(f"the head that {self._path} names is no generation: {head!r}; run: ingest verify --repair")
        return int(head)

    def served(self) -> int:
        """As `head`, for those who need one. Raises KnowledgeBaseMissing when nothing was ever published."""
        head = self.head()
        if head == 0:
            raise self._nothing()
        return head

    def _nothing(self) -> KnowledgeBaseMissing:
        folder = self._path.parent
        return KnowledgeBaseMissing(f"nothing has been published in {folder}; run: ingest run FOLDER --kb {folder}")

    def roots(self) -> dict[str, Root]:
        with self._reading() as connection:
            return {row.name: Root(row.name, row.location) for row in connection.execute(sa.select(_roots))}

    def put_root(self, root: Root) -> None:
        with self._writing() as connection:
            connection.execute(sa.delete(_roots).where(_roots.c.name == root.name))
            connection.execute(sa.insert(_roots).values(name=root.name, location=root.location))

    # The stat cache: under this signature a source had this revision

    def seen(self) -> dict[str, tuple[Any, Revision]]:
        """source_id -> (signature as JSON types, the revision that was read under it). What cannot be read is left out."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(_seen.c.source_id, _seen.c.signature, _seen.c.revision))
            found = {}
            for source_id, signature, revision in rows:
                with suppress(ValueError, TypeError):
                    found[source_id] = (orjson.loads(signature), decode(Revision, orjson.loads(revision)))
            return found

    def put_seen(self, entries: Iterable[tuple[str, Any, Revision]]) -> None:
        """Replace entries of the stat cache. It is a cache: safe to write at any time, in or out of a generation."""
        values = [
            {"source_id": source_id, "signature": orjson.dumps(signature).decode(), "revision": orjson.dumps(revision).decode()}
            for source_id, signature, revision in entries
        ]
        if values:
            with self._writing() as connection:
                connection.execute(sa.insert(_seen).prefix_with("or replace"), values)

    # Reading a generation

    def facts(self, table: str, generation: int, *, source_id: str | None = None) -> Iterator[Fact]:
        """Stream the facts in effect, ordered by (source, position) for one source, by id otherwise."""
        columns = FACTS[table].c
        query = _select(table).where(_in_effect(table, generation))
        if source_id is not None:
            query = query.where(columns.source_id == source_id).order_by(columns.position, columns.id)
        else:
            query = query.order_by(columns.id)
        return self._stream(query)

    def get(self, table: str, generation: int, ids: Sequence[str]) -> dict[str, Fact]:
        """The facts in effect among `ids`."""
        return {fact.id: fact for fact in self.every(table, generation, ids)}

    def every(self, table: str, generation: int, ids: Sequence[str]) -> Iterator[Fact]:
        """As `get`, where several sources may say the same: an entity is minted by each that names its identifier."""
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            with self._reading() as connection:
                # Asked several times for every answer: building the query anew would cost more than the reading.
                found = connection.exec_driver_sql(_among(table, len(part)), (generation, generation, *part)).all()
            for row in found:
                yield Fact(*row)

    def apart(self, table: str, generation: int, other: int, *, sources: Sequence[str] | None = None) -> Iterator[Fact]:
        """Stream the facts in effect in `generation` and not in `other`, by source and position. What is read is what began or
        ended between the two, however large the base. `sources`: only theirs (a few hundred at most).

        A fact that ended and began again says the same in both: it is given for either side."""
        columns = FACTS[table].c
        query = _select(table).where(_between(table, generation, other, looked_up=sources is None))
        if sources is not None:
            query = query.where(columns.source_id.in_(sources))
        return self._stream(query.order_by(columns.source_id, columns.position, columns.id))

    def sources_apart(self, table: str, generation: int, other: int) -> Iterator[tuple[str, str, str]]:
        """(source id, id, checksum) of the facts that `apart` gives, in no order."""
        columns = FACTS[table].c
        with self._reading() as connection:
            query = sa.select(columns.source_id, columns.id, columns.checksum).where(
                _between(table, generation, other, looked_up=True)
            )
            for row in connection.execution_options(yield_per=5000).execute(query):
                yield row[0], row[1], row[2]

    def latest(self, table: str, generation: int, ids: Sequence[str]) -> dict[str, Fact]:
        """The newest fact of each id up to `generation`, whether it is still in effect or has ended."""
        columns = FACTS[table].c
        found: dict[str, Fact] = {}
        for start in range(0, len(ids), _BATCH):
            among = columns.id.in_(ids[start : start + _BATCH])
            query = _select(table).where(among, columns.gen_from <= generation).order_by(columns.gen_from)
            found.update((fact.id, fact) for fact in self._stream(query))
        return found

    def pairs(self, table: str, generation: int) -> Iterator[tuple[str, str]]:
        """(id, checksum) of every fact in effect, as the catalog holds it now."""
        columns = FACTS[table].c
        # Written so that SQLite does not look up by generation, where nearly all rows qualify, but reads the index of ids.
        until = sa.func.coalesce(columns.gen_to, _MOST)
        return self._pairs(table, sa.and_(columns.gen_from + 0 <= generation, until > generation))

    def digests(self, generation: int, before: dict[str, str] | None = None) -> dict[str, str]:
        """Table -> SetDigest of the facts in effect, counted afresh.

        `before`: the digests of the generation before, from which all but the chunks', which three indexes have to agree with,
        are carried on by what ended and began. A fact that was altered in between then shows when they are next counted."""
        return {
            table: str(SetDigest.of(self.pairs(table, generation)) if before is None or table == "chunks"
                       else self._carried_on(SetDigest.parse(before[table]), table, generation))
            for table in FACTS
        }

    def _carried_on(self, digest: SetDigest, table: str, generation: int) -> SetDigest:
        for id, checksum in self.ended(table, generation):
            digest.remove(id, checksum)
        for id, checksum in self.begun(table, generation):
            digest.add(id, checksum)
        return digest

    def count(self, table: str, generation: int) -> int:
        with self._reading() as connection:
            query = sa.select(sa.func.count()).select_from(FACTS[table]).where(_in_effect(table, generation))
            return int(connection.scalar(query) or 0)

    def added(self, table: str, generation: int) -> Iterator[Fact]:
        """Stream the facts that came with `generation`, by id: what an index has to write."""
        columns = FACTS[table].c
        return self._stream(_select(table).where(columns.gen_from == generation).order_by(columns.id))

    def begun(self, table: str, generation: int) -> Iterator[tuple[str, str]]:
        """(id, checksum) of the facts that came with `generation`."""
        return self._pairs(table, FACTS[table].c.gen_from == generation)

    def ended(self, table: str, generation: int) -> Iterator[tuple[str, str]]:
        """(id, checksum) of the facts that ended with `generation`."""
        return self._pairs(table, FACTS[table].c.gen_to == generation)

    def added_count(self, table: str, generation: int) -> int:
        with self._reading() as connection:
            query = sa.select(sa.func.count()).select_from(FACTS[table]).where(FACTS[table].c.gen_from == generation)
            return int(connection.scalar(query) or 0)

    def removed(self, table: str, generation: int) -> frozenset[str]:
        """Ids of the facts that ended with `generation` (a changed fact is removed and added)."""
        return frozenset(id for id, _ in self.ended(table, generation))

    def churn(self, table: str, generation: int) -> dict[str, Churn]:
        """Source id -> what of its facts came and went with `generation`. Of a table in which an id is of one source."""
        columns = FACTS[table].c
        came, went = (self._sources_of(table, column == generation) for column in (columns.gen_from, columns.gen_to))
        began, ended = Counter(came.values()), Counter(went.values())
        both = Counter(came[id] for id in came.keys() & went.keys())
        return {source: Churn(began[source], ended[source], both[source]) for source in began.keys() | ended.keys()}

    def _sources_of(self, table: str, where: sa.ColumnElement[bool]) -> dict[str, str]:
        columns = FACTS[table].c
        with self._reading() as connection:
            rows = connection.execution_options(yield_per=5000).execute(sa.select(columns.id, columns.source_id).where(where))
            return {row[0]: row[1] for row in rows}

    # Staging and publishing

    @contextmanager
    def staging(self, generation: int, origin: str = "run", *, since: tuple[str | None, str] | None = None) -> Iterator[Stage]:
        """One transaction that writes generation `generation` as staged: everything in it, or nothing.

        Left by an exception, or after `Stage.discard()`, it leaves no trace. `since`: when it was published (None: when it will
        be) and last confirmed, where that was earlier, or elsewhere; else publishing it is both."""
        with self._failures(), self._engine.connect() as connection, connection.begin() as transaction:
            connection.execute(
                sa.insert(_generations).values(
                    generation=generation, state="staged", manifest="", origin=origin,
                    published_at=since[0] if since else None, confirmed_at=since[1] if since else None,
                )
            )
            stage = Stage(connection, generation)
            reached("staging begun")
            yield stage
            stage.flush()
            reached("facts about to be staged")
            if stage.discarded:
                transaction.rollback()
                return
        reached("facts staged")

    def publish(self, manifest: Manifest, token: str) -> None:
        """Move the head to `manifest.generation`, if it is still the one before and the lease token is still mine. The first
        one may have any number.

        The commit point: SQLite with synchronous=FULL returns only when this is on disk."""
        generation = manifest.generation
        moment = now()
        reached("head about to move")
        with self._writing() as connection:
            head = connection.scalar(sa.select(_meta.c.value).where(_meta.c.key == "head"))
            holder = connection.scalar(sa.select(_meta.c.value).where(_meta.c.key == "token"))
            if int(head or generation - 1) != generation - 1 or holder != token:
                raise StorageFailed(f"generation {generation} was not published: another run moved the head; run again")
            connection.execute(
                sa.update(_generations).where(_generations.c.generation == generation).values(
                    state="published", manifest=orjson.dumps(manifest).decode(),
                    published_at=sa.func.coalesce(_generations.c.published_at, moment),
                    confirmed_at=sa.func.coalesce(_generations.c.confirmed_at, moment),
                )
            )
            _put_meta(connection, "head", str(generation))
            reached("head moving")
        reached("head moved")

    def confirm(self) -> None:
        """Note that the head was compared with its sources now and still holds."""
        with self._writing() as connection:
            head = int(connection.scalar(sa.select(_meta.c.value).where(_meta.c.key == "head")) or 0)
            connection.execute(sa.update(_generations).where(_generations.c.generation == head).values(confirmed_at=now()))

    def recover(self) -> bool:
        """Discard what a dead writer staged. Idempotent; returns whether there was anything. Call with the lease held."""
        head = self.head()
        with self._writing() as connection:
            stray = connection.execute(sa.delete(_generations).where(_generations.c.generation > head)).rowcount
            if not stray:
                return False
            for table in FACTS.values():
                connection.execute(sa.delete(table).where(table.c.gen_from > head))
                connection.execute(sa.update(table).where(table.c.gen_to > head).values(gen_to=None))
            return True

    def generations(self) -> list[Published]:
        """The published generations that are kept, newest first."""
        query = sa.select(_generations).where(_generations.c.state == "published").order_by(_generations.c.generation.desc())
        with self._reading() as connection:
            return [_published(row, self._path) for row in connection.execute(query)]

    def published(self, generation: int) -> Published:
        """Raises NotFound unless it is published and kept."""
        with self._reading() as connection:  # asked for every answer, see `every`
            row = connection.exec_driver_sql(_PUBLISHED, (generation,)).first() if abs(generation) <= _MOST else None
        if row is None:
            raise NotFound(f"generation {generation} is not kept; `ingest snapshots list` shows those that are")
        return _published(row, self._path)

    def records(self) -> dict[int, str]:
        """Generation -> manifest as JSON, as kept, of every published generation: for who asks whether it still can be read."""
        query = sa.select(_generations.c.generation, _generations.c.manifest).where(_generations.c.state == "published")
        with self._reading() as connection:
            return {row.generation: str(row.manifest) for row in connection.execute(query)}

    def faults(self) -> list[str]:
        """What SQLite finds wrong in its own file: pages, and indexes against tables; and tables and indexes that are not as they
        were made. Reads all of it."""
        with self._reading() as connection:
            found = [str(row[0]) for row in connection.exec_driver_sql("pragma integrity_check(20)")]
            misshapen = [table.name for table in _tables.sorted_tables if _shape(connection, table) != _shape_made(table)]
        faults = [fault for fault in found if fault != "ok"]
        return faults + [f"its table {name} is not as it was made" for name in misshapen]

    def reindex(self) -> None:
        """Make SQLite's own indexes anew from the tables."""
        with self._writing() as connection:
            connection.exec_driver_sql("reindex")

    def put_record(self, manifest: Manifest) -> None:
        """List a generation under this manifest, whatever was listed of it. For repair, which has proof that it was published."""
        moment, text = now(), orjson.dumps(manifest).decode()
        with self._writing() as connection:
            mine = _generations.c.generation == manifest.generation
            if not connection.execute(sa.update(_generations).where(mine).values(manifest=text, state="published")).rowcount:
                connection.execute(sa.insert(_generations).values(
                    generation=manifest.generation, state="published", manifest=text, published_at=moment, confirmed_at=moment,
                    origin="repair",
                ))

    def forget(self, generations: Sequence[int]) -> None:
        """Stop listing generations and drop the facts that only they had."""
        with self._writing() as connection:
            connection.execute(sa.delete(_generations).where(_generations.c.generation.in_(generations)))
            kept = sorted(connection.scalars(sa.select(_generations.c.generation)))
            for table in FACTS.values():
                ended = sa.and_(table.c.gen_to > 0, *(  # a range, which an index answers where `is not null` reads the table
                    sa.not_(sa.and_(table.c.gen_from <= number, table.c.gen_to > number)) for number in kept
                ))
                connection.execute(sa.delete(table).where(ended))

    # Connections

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._failures(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._failures(), self._engine.begin() as connection:
            yield connection

    def _pairs(self, table: str, where: sa.ColumnElement[bool]) -> Iterator[tuple[str, str]]:
        columns = FACTS[table].c
        with self._reading() as connection:
            streaming = connection.execution_options(yield_per=5000)
            yield from streaming.execute(sa.select(columns.id, columns.checksum).where(where))

    def _stream(self, query: sa.Select[Any]) -> Iterator[Fact]:
        with self._reading() as connection:
            for row in connection.execution_options(yield_per=2000).execute(query):
                yield Fact(row[0], row[1], row[2], row[3], row[4])

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DatabaseError as error:
            cause = error.orig or error
            raise StorageFailed(
                f"the catalog {self._path} cannot be used: {cause}; free disk space or check the file, then run again "
                "(what was published is untouched)", of_catalog=type(cause) is sqlite3.DatabaseError,
            ) from error


class Stage:
    """The staging transaction of one generation."""

    def __init__(self, connection: sa.Connection, generation: int) -> None:
        self._connection = connection
        self._generation = generation
        self._begun: dict[str, list[Fact]] = {table: [] for table in FACTS}
        self.discarded = False

    def discard(self) -> None:
        """There was nothing to write after all: roll back at the end instead of committing."""
        self.discarded = True

    def replace(self, table: str, source_id: str, facts: Iterable[Fact], *, fresh: bool = False) -> bool:
        """Make `facts` the facts of a source: those with equal id and checksum stay as they are, the others end or begin.

        `fresh`: the source is known to have none yet. Returns whether anything changed."""
        if fresh:
            begun = list({fact.id: fact for fact in facts}.values())
            self.begin(table, begun)
            return bool(begun)
        columns = FACTS[table].c
        held = {row[0]: row[1] for row in self._connection.execute(
            sa.select(columns.id, columns.checksum).where(columns.source_id == source_id, columns.gen_to.is_(None))
        )}
        wanted = {fact.id: fact for fact in facts}
        ended = [id for id, checksum in held.items() if id not in wanted or wanted[id].checksum != checksum]
        begun = [fact for id, fact in wanted.items() if held.get(id) != fact.checksum]
        self.end(table, ended, source_id)
        self.begin(table, begun)
        return bool(ended or begun)

    def end(self, table: str, ids: Sequence[str], source_id: str) -> None:
        """End facts of a source with this generation."""
        rows = FACTS[table]
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            mine = sa.and_(rows.c.id.in_(part), rows.c.source_id == source_id, rows.c.gen_to.is_(None))
            self._connection.execute(sa.update(rows).where(mine).values(gen_to=self._generation))

    def begin(self, table: str, facts: Sequence[Fact]) -> None:
        """Begin facts with this generation. They are written in batches: replacing one source twice is not for a stage."""
        waiting = self._begun[table]
        waiting.extend(facts)
        if len(waiting) >= _BATCH:
            self._insert(table)

    def flush(self) -> None:
        """Write what waits in batches."""
        for table in FACTS:
            self._insert(table)

    def _insert(self, table: str) -> None:
        waiting = self._begun[table]
        if waiting:
            self._connection.execute(sa.insert(FACTS[table]), [
                {"id": fact.id, "source_id": fact.source_id, "checksum": fact.checksum, "gen_from": self._generation,
                 "gen_to": None, "position": fact.position, "payload": fact.payload}
                for fact in waiting
            ])
            waiting.clear()

    def moved(self, table: str) -> tuple[set[str], set[str]]:
        """Ids of the facts that began and of those that ended with this generation, as written so far."""
        self._insert(table)
        columns = FACTS[table].c
        began, ended = (
            set(self._connection.scalars(sa.select(columns.id).where(column == self._generation)))
            for column in (columns.gen_from, columns.gen_to)
        )
        return began, ended

    def standing(self, table: str) -> Iterator[Fact]:
        """Stream the facts in effect in this generation, as written so far, by id."""
        self._insert(table)
        query = _select(table).where(FACTS[table].c.gen_to.is_(None)).order_by(FACTS[table].c.id)
        for row in self._connection.execute(query).yield_per(2000):
            yield Fact(*row)

    def among(self, table: str, ids: Sequence[str]) -> Iterator[tuple[Fact, bool]]:
        """The facts with these ids in effect in this generation or ended by it; with each, whether it is in effect."""
        self._insert(table)
        columns = FACTS[table].c
        there = sa.or_(columns.gen_to.is_(None), columns.gen_to == self._generation)
        for start in range(0, len(ids), _BATCH):
            among = columns.id.in_(ids[start : start + _BATCH])
            for row in self._connection.execute(_select(table).add_columns(columns.gen_to.is_(None)).where(among, there)).all():
                yield Fact(*row[:5]), bool(row[5])

    def undo(self, table: str, source_id: str) -> None:
        """Take back what this stage wrote of a source: its facts are those of the generation before again."""
        rows = FACTS[table]
        mine = rows.c.source_id == source_id
        self._connection.execute(sa.delete(rows).where(mine, rows.c.gen_from == self._generation))
        self._connection.execute(sa.update(rows).where(mine, rows.c.gen_to == self._generation).values(gen_to=None))

    def restore(self, table: str, target: int) -> None:
        """Bring back the facts in effect in `target`, touching only those that differ from the present ones.

        Only facts that ended or began after `target` can differ, and only they are looked at: `+ 0` keeps SQLite from looking
        by the other column, where nearly all rows qualify."""
        # KiB of pages: enough for the indexes of a large table, whose pages would else be written many times over.
        self._connection.exec_driver_sql("pragma cache_size=-65536")
        rows = FACTS[table]
        ended_since = sa.and_(rows.c.gen_to > target, rows.c.gen_from + 0 <= target)
        begun_since = sa.and_(
            rows.c.gen_from > target, rows.c.gen_from < self._generation, (rows.c.gen_to + 0).is_(None)
        )
        other = rows.alias()
        same = sa.and_(
            other.c.id == rows.c.id, other.c.source_id == rows.c.source_id, other.c.checksum == rows.c.checksum
        )
        now_too = sa.exists().where(same, other.c.gen_to.is_(None))
        then_too = sa.exists().where(same, other.c.gen_from <= target, sa.or_(other.c.gen_to.is_(None), other.c.gen_to > target))
        copied = [rows.c.id, rows.c.source_id, rows.c.checksum, rows.c.position, rows.c.payload]
        self._connection.execute(sa.insert(rows).from_select(
            [column.name for column in copied] + ["gen_from"],
            sa.select(*copied, sa.literal(self._generation)).where(ended_since, sa.not_(now_too)),
        ))
        self._connection.execute(
            sa.update(rows).where(begun_since, sa.not_(then_too)).values(gen_to=self._generation)
        )


def _select(table: str) -> sa.Select[Any]:
    columns = FACTS[table].c
    return sa.select(columns.id, columns.source_id, columns.checksum, columns.position, columns.payload)


@lru_cache(1024)
def _among(table: str, count: int) -> str:
    """The facts of `FACTS[table]` in effect in a generation (given twice) among `count` ids."""
    names = ("id", "source_id", "checksum", "position", "payload")
    marks = ", ".join("?" * count)
    return (
        f"select {', '.join(names)} from {FACTS[table].name} "  # noqa: S608  # names of ours, values are bound
        f"where gen_from <= ? and (gen_to is null or gen_to > ?) and id in ({marks})"
    )


def _in_effect(table: str, generation: int) -> sa.ColumnElement[bool]:
    columns = FACTS[table].c
    return sa.and_(columns.gen_from <= generation, sa.or_(columns.gen_to.is_(None), columns.gen_to > generation))


def _between(table: str, generation: int, other: int, *, looked_up: bool) -> sa.ColumnElement[bool]:
    """In effect in `generation`, not in `other`. `looked_up`: SQLite is to look by the column that few rows qualify by; `+ 0`
    keeps it from looking by another."""
    columns = FACTS[table].c
    began, ended = columns.gen_from + 0, columns.gen_to + 0
    if generation > other:
        by = columns.gen_from if looked_up else began
        return sa.and_(by > other, by <= generation, sa.func.coalesce(columns.gen_to, _MOST) > generation)
    by = columns.gen_to if looked_up else ended
    return sa.and_(by > generation, by <= other, began <= generation)


Shape = tuple[list[tuple[str, str, bool]], dict[str, list[str]]]
"""Columns as (name, type, may be null), and indexes by name with their columns."""


def _shape(connection: sa.Connection, table: sa.Table) -> Shape:
    """The shape that a table has in the file."""
    info = connection.exec_driver_sql(f'pragma table_info("{table.name}")')
    columns = [(row[1], row[2], not (row[3] or row[5])) for row in info]
    listed = connection.exec_driver_sql(f'pragma index_list("{table.name}")').fetchall()
    indexes = {
        row[1]: [column[2] for column in connection.exec_driver_sql(f'pragma index_info("{row[1]}")')]
        for row in listed if row[3] == "c"
    }
    return columns, indexes


def _shape_made(table: sa.Table) -> Shape:
    columns = [(column.name, str(column.type), bool(column.nullable)) for column in table.columns]
    return columns, {str(index.name): [column.name for column in index.columns] for index in table.indexes}


def _put_meta(connection: sa.Connection, key: str, value: str | None) -> None:
    connection.execute(sa.delete(_meta).where(_meta.c.key == key))
    if value is not None:
        connection.execute(sa.insert(_meta).values(key=key, value=value))


def _published(row: Any, path: Path) -> Published:
    try:
        manifest = decode(Manifest, json.loads(row.manifest))
    except (ValueError, TypeError) as error:
        raise Inconsistent(
            f"the catalog's manifest of generation {row.generation} cannot be read ({error}); restore {path} from a "
            "copy, or delete its folder and build it anew: ingest run"
        ) from error
    return Published(row.generation, manifest, row.published_at, row.confirmed_at, row.origin)


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's begin event opens transactions; sqlite3 must not open its own
    cursor = connection.cursor()
    cursor.execute("pragma busy_timeout=30000")
    cursor.execute("pragma journal_mode=wal")
    cursor.execute("pragma synchronous=full")
    cursor.close()
