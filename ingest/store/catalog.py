"""The catalog: what is true in which generation. SQLAlchemy Core over one SQLite file, or over a schema of PostgreSQL.

Facts live in interval tables. A fact is in effect in generation n when `gen_from <= n` and `gen_to` is null or greater than
n, so a generation is staged by inserting and closing intervals that no reader of the head can see, and published by moving
one number, the head. That update is the only commit point of the product; everything before it can be discarded by
`recover`, everything after it is history until `prune`.

Times (`published_at`, `confirmed_at`) and places (root locations, file signatures) are kept beside the facts, never in them.
Where the tables are and what differs between databases is told by a `Database`; the rest is here, the same for all.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from ingest.errors import CatalogUnreachable, Inconsistent, KnowledgeBaseMissing, NotFound, StorageFailed
from ingest.model.canonical import SetDigest
from ingest.model.codec import decode
from ingest.model.generation import Manifest
from ingest.model.instant import now
from ingest.model.source import Revision, Root
from ingest.steps import reached
from ingest.store.database import Database
from ingest.store.migrations import FORMAT, missing
from ingest.store.sqlite import Sqlite
from ingest.store.stage import Stage
from ingest.store.tables import FACTS, GENERATIONS, META, MOST, ROOTS, SEEN, Fact, facts_of

__all__ = ("FACTS", "Catalog", "Churn", "Fact", "Published", "Stage")

_BATCH = 500
_LOOKS_S = (0.1, 0.2, 0.5, 1, 2, 3, 4, 5)
"""Seconds between looks at a head whose move was not acknowledged: a server that was restarted is back in a few."""

_PUBLISHED = (
    f"select {', '.join(GENERATIONS.c.keys())} from {GENERATIONS.name} "  # noqa: S608  # names of ours
    "where generation = {mark} and state = 'published'"
)


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
    """The catalog in a file or in another database. Threads may read through one; close it. Every method may raise
    StorageFailed, and CatalogUnreachable where a server holds it.

    `create`: make it where there is none. `upgrade`: bring an older one up to date, with the lease held."""

    def __init__(self, place: Path | Database, *, create: bool = False, upgrade: bool = False) -> None:
        self.database: Database = Sqlite(place) if isinstance(place, Path) else place
        self._token: str | None = None
        self._check: Callable[[], None] | None = None
        if not create and not self.database.exists():
            folder = self.database.folder
            raise KnowledgeBaseMissing(f"no knowledge base at {folder}; create one with: ingest run FOLDER --kb {folder}")
        self._engine = self.database.engine()
        try:
            with self._failures():
                # Asked before the engine opens anything: a base that is replaced in between is seen to have been.
                self._identity = None if create else self.database.identity(self._engine)
                self._begun(create=create)
            self.format = self._format()
            if upgrade:
                self._upgrade()
        except BaseException:
            self._engine.dispose()
            raise

    def _begun(self, *, create: bool) -> None:
        if not create:
            with self._reading() as connection:
                begun = self.database.is_begun(connection)
            if not begun or self.meta("format") is None:
                raise self._nothing()
            return
        with self._writing() as connection:
            self.database.make(connection)
        if self.meta("format") is None:
            self.set_meta("format", str(FORMAT))

    def _format(self) -> int:
        found = self.meta("format") or ""
        known = found.isascii() and found.isdecimal()
        if not known or int(found) > FORMAT:
            raise StorageFailed(
                f"{self.database.name} has catalog format {found}, not {FORMAT}; use the version that wrote it"
            )
        return int(found)

    def _upgrade(self) -> None:
        for step in missing(self.format):
            with self._writing() as connection:
                step.apply(connection)
                _put_meta(connection, "format", str(step.to))
            self.format = step.to

    def is_current(self) -> bool:
        """Whether it still is the one that was opened, and not replaced by another."""
        try:
            with self._failures():
                return self.database.identity(self._engine) == self._identity
        except (KnowledgeBaseMissing, StorageFailed):
            return False

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Catalog:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def take(self, token: str, check: Callable[[], None] | None = None) -> None:
        """Write with this lease from now on: nothing is committed once another writer took the next. `check` raises where the
        lease is lost, and is asked before the head moves."""
        self.set_meta("token", token)
        self._token, self._check = token, check

    # Small facts about the knowledge base itself

    def meta(self, key: str) -> str | None:
        query = f"select value from meta where key = {self.database.mark}"  # noqa: S608  # a mark, the value is bound
        found = self._looked_up(query, (key,))
        return found[0][0] if found else None

    def set_meta(self, key: str, value: str | None) -> None:
        with self._writing() as connection:
            _put_meta(connection, key, value)

    def head(self) -> int:
        """The published generation that readers get; 0 when there is none."""
        head = self.meta("head") or "0"
        if not (head.isascii() and head.isdecimal()):
            where = self.database.name
            raise Inconsistent(f"the head that {where} names is no generation: {head!r}; run: ingest verify --repair")
        return int(head)

    def served(self) -> int:
        """As `head`, for those who need one. Raises KnowledgeBaseMissing when nothing was ever published."""
        head = self.head()
        if head == 0:
            raise self._nothing()
        return head

    def _nothing(self) -> KnowledgeBaseMissing:
        folder = self.database.folder
        return KnowledgeBaseMissing(f"nothing has been published in {folder}; run: ingest run FOLDER --kb {folder}")

    def roots(self) -> dict[str, Root]:
        with self._reading() as connection:
            return {row.name: Root(row.name, row.location) for row in connection.execute(sa.select(ROOTS))}

    def put_root(self, root: Root) -> None:
        with self._writing() as connection:
            connection.execute(sa.delete(ROOTS).where(ROOTS.c.name == root.name))
            connection.execute(sa.insert(ROOTS).values(name=root.name, location=root.location))

    # The stat cache: under this signature a source had this revision

    def seen(self) -> dict[str, tuple[Any, Revision]]:
        """source_id -> (signature as JSON types, the revision that was read under it). What cannot be read is left out."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(SEEN.c.source_id, SEEN.c.signature, SEEN.c.revision))
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
                connection.execute(_PUT_SEEN, values)

    # Reading a generation

    def facts(self, table: str, generation: int, *, source_id: str | None = None) -> Iterator[Fact]:
        """Stream the facts in effect, ordered by (source, position) for one source, by id otherwise."""
        columns = FACTS[table].c
        query = facts_of(table).where(_in_effect(table, generation))
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
            query, values = self.database.among(table, ids[start : start + _BATCH])
            for row in self._looked_up(query, (generation, generation, *values)):
                yield Fact(*row)

    def apart(self, table: str, generation: int, other: int, *, sources: Sequence[str] | None = None) -> Iterator[Fact]:
        """Stream the facts in effect in `generation` and not in `other`, by source and position. What is read is what began or
        ended between the two, however large the base. `sources`: only theirs (a few hundred at most).

        A fact that ended and began again says the same in both: it is given for either side."""
        columns = FACTS[table].c
        query = facts_of(table).where(_between(table, generation, other, looked_up=sources is None))
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
            query = facts_of(table).where(among, columns.gen_from <= generation).order_by(columns.gen_from)
            found.update((fact.id, fact) for fact in self._stream(query))
        return found

    def pairs(self, table: str, generation: int) -> Iterator[tuple[str, str]]:
        """(id, checksum) of every fact in effect, as the catalog holds it now."""
        columns = FACTS[table].c
        # Written so that SQLite does not look up by generation, where nearly all rows qualify, but reads the index of ids.
        until = sa.func.coalesce(columns.gen_to, MOST)
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
        return self._stream(facts_of(table).where(columns.gen_from == generation).order_by(columns.id))

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
                sa.insert(GENERATIONS).values(
                    generation=generation, state="staged", manifest="", origin=origin,
                    published_at=since[0] if since else None, confirmed_at=since[1] if since else None,
                )
            )
            stage = Stage(self.database, connection, generation)
            reached("staging begun")
            yield stage
            stage.flush()
            reached("facts about to be staged")
            if stage.discarded:
                transaction.rollback()
                return
            self._fenced(connection)
        reached("facts staged")

    def publish(self, manifest: Manifest) -> None:
        """Move the head to `manifest.generation`, if it is still the one before and the lease that was taken is still mine. The
        first one may have any number.

        The commit point: SQLite with synchronous=FULL returns only when this is on disk, PostgreSQL likewise unless its
        `synchronous_commit` was set otherwise. A commit whose acknowledgement is lost is looked after, never assumed."""
        if self._check is not None:
            self._check()
        reached("head about to move")
        try:
            self._move_head(manifest)
        except CatalogUnreachable as error:
            self._settle(manifest, error)
        reached("head moved")

    def _move_head(self, manifest: Manifest) -> None:
        generation, moment = manifest.generation, now()
        with self._writing() as connection:
            holder = self.database.hold(connection, "token")
            head = connection.scalar(sa.select(META.c.value).where(META.c.key == "head"))
            if int(head or generation - 1) != generation - 1 or holder != self._token or holder is None:
                raise StorageFailed(f"generation {generation} was not published: another run moved the head; run again")
            connection.execute(
                sa.update(GENERATIONS).where(GENERATIONS.c.generation == generation).values(
                    state="published", manifest=orjson.dumps(manifest).decode(),
                    published_at=sa.func.coalesce(GENERATIONS.c.published_at, moment),
                    confirmed_at=sa.func.coalesce(GENERATIONS.c.confirmed_at, moment),
                )
            )
            _put_meta(connection, "head", str(generation))
            reached("head moving")

    def _settle(self, manifest: Manifest, error: CatalogUnreachable) -> None:
        """The server was lost while the head moved, so that nobody knows whether it has: look. Returns where it has moved.

        Holding the token waits for a transaction of ours that the server may still be at, so that what is seen is final."""
        generation = manifest.generation
        for pause in _LOOKS_S:
            moved = self._has_moved(manifest)
            if moved:
                return
            if moved is not None:
                raise error
            time.sleep(pause)
        raise CatalogUnreachable(
            f"the server of the catalog was lost while the head moved to generation {generation}, and whether it has is not "
            f"known ({error}); the next run looks"
        ) from error

    def _has_moved(self, manifest: Manifest) -> bool | None:
        """Whether a generation was published as this; None while the server cannot be asked."""
        query = sa.select(GENERATIONS.c.manifest).where(
            GENERATIONS.c.generation == manifest.generation, GENERATIONS.c.state == "published"
        )
        try:
            with self._failures(), self._engine.begin() as connection:
                self.database.hold(connection, "token")
                return bool(connection.scalar(query) == orjson.dumps(manifest).decode())
        except CatalogUnreachable:
            return None

    def confirm(self) -> None:
        """Note that the head was compared with its sources now and still holds."""
        with self._writing() as connection:
            head = int(connection.scalar(sa.select(META.c.value).where(META.c.key == "head")) or 0)
            connection.execute(sa.update(GENERATIONS).where(GENERATIONS.c.generation == head).values(confirmed_at=now()))

    def recover(self) -> bool:
        """Discard what a dead writer staged. Idempotent; returns whether there was anything. Call with the lease held."""
        head = self.head()
        with self._writing() as connection:
            stray = connection.execute(sa.delete(GENERATIONS).where(GENERATIONS.c.generation > head)).rowcount
            if not stray:
                return False
            for table in FACTS.values():
                connection.execute(sa.delete(table).where(table.c.gen_from > head))
                connection.execute(sa.update(table).where(table.c.gen_to > head).values(gen_to=None))
            return True

    def generations(self) -> list[Published]:
        """The published generations that are kept, newest first."""
        query = sa.select(GENERATIONS).where(GENERATIONS.c.state == "published").order_by(GENERATIONS.c.generation.desc())
        with self._reading() as connection:
            return [_published(row._asdict(), self.database.name) for row in connection.execute(query)]

    def published(self, generation: int) -> Published:
        """Raises NotFound unless it is published and kept."""
        query = _PUBLISHED.format(mark=self.database.mark)
        found = self._looked_up(query, (generation,)) if abs(generation) <= MOST else []
        if not found:
            raise NotFound(f"generation {generation} is not kept; `ingest snapshots list` shows those that are")
        return _published(dict(zip(GENERATIONS.c.keys(), found[0], strict=True)), self.database.name)

    def records(self) -> dict[int, str]:
        """Generation -> manifest as JSON, as kept, of every published generation: for who asks whether it still can be read."""
        query = sa.select(GENERATIONS.c.generation, GENERATIONS.c.manifest).where(GENERATIONS.c.state == "published")
        with self._reading() as connection:
            return {row.generation: str(row.manifest) for row in connection.execute(query)}

    def faults(self) -> list[str]:
        """What the database finds wrong in what it stores: pages, and indexes against tables; and tables and indexes that are not
        as they were made. Reads all of it."""
        with self._reading() as connection:
            return self.database.faults(connection) if self.format == FORMAT else []

    def reindex(self) -> None:
        """Make the database's own indexes anew from the tables."""
        with self._writing() as connection:
            self.database.reindex(connection)

    def put_record(self, manifest: Manifest) -> None:
        """List a generation under this manifest, whatever was listed of it. For repair, which has proof that it was published."""
        moment, text = now(), orjson.dumps(manifest).decode()
        with self._writing() as connection:
            mine = GENERATIONS.c.generation == manifest.generation
            if not connection.execute(sa.update(GENERATIONS).where(mine).values(manifest=text, state="published")).rowcount:
                connection.execute(sa.insert(GENERATIONS).values(
                    generation=manifest.generation, state="published", manifest=text, published_at=moment, confirmed_at=moment,
                    origin="repair",
                ))

    def forget(self, generations: Sequence[int]) -> None:
        """Stop listing generations and drop the facts that only they had."""
        with self._writing() as connection:
            connection.execute(sa.delete(GENERATIONS).where(GENERATIONS.c.generation.in_(generations)))
            kept = sorted(connection.scalars(sa.select(GENERATIONS.c.generation)))
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

    def _looked_up(self, query: str, values: tuple[Any, ...]) -> Sequence[tuple[Any, ...]]:
        """The rows of a query that is made by hand and asked with every answer, several times: by the driver itself, for what
        SQLAlchemy does around it costs more than the reading."""
        with self._failures():
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                cursor.execute(query, values)
                return cursor.fetchall()
            except BaseException as error:
                connection.invalidate(error)
                raise
            finally:
                connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._failures(), self._engine.begin() as connection:
            yield connection
            self._fenced(connection)

    def _fenced(self, connection: sa.Connection) -> None:
        """Refuse to commit what a writer wrote that has lost its lease without knowing it. Who takes the lease next changes the
        token first, and waits with that for whoever has looked at it here."""
        if self._token is not None and self.database.hold(connection, "token") != self._token:
            raise StorageFailed("another run has taken over the knowledge base; nothing was written; run again")

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
        except self.database.errors as error:
            self.database.failed(error)


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
        return sa.and_(by > other, by <= generation, sa.func.coalesce(columns.gen_to, MOST) > generation)
    by = columns.gen_to if looked_up else ended
    return sa.and_(by > generation, by <= other, began <= generation)


_PUT_META = sa.text("insert into meta (key, value) values (:key, :value) on conflict (key) do update set value = excluded.value")
_PUT_SEEN = sa.text(
    "insert into seen (source_id, signature, revision) values (:source_id, :signature, :revision) "
    "on conflict (source_id) do update set signature = excluded.signature, revision = excluded.revision"
)


def _put_meta(connection: sa.Connection, key: str, value: str | None) -> None:
    if value is None:
        connection.execute(sa.delete(META).where(META.c.key == key))
    else:
        connection.execute(_PUT_META, {"key": key, "value": value})


@lru_cache(maxsize=32)
def _decoded(manifest: str) -> Manifest:
    """A manifest as kept, decoded once: every answer asks when its generation was confirmed, and nothing changes a manifest."""
    return decode(Manifest, json.loads(manifest))


def _published(row: Mapping[str, Any], path: str) -> Published:
    try:
        manifest = _decoded(row["manifest"])
    except (ValueError, TypeError) as error:
        raise Inconsistent(
            f"the catalog's manifest of generation {row['generation']} cannot be read ({error}); restore {path} from a "
            "copy, or delete its folder and build it anew: ingest run"
        ) from error
    return Published(row["generation"], manifest, row["published_at"], row["confirmed_at"], row["origin"])
