"""The staging transaction of one generation: facts begin and end, and nobody sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import sqlalchemy as sa

from ingest.store.database import Database
from ingest.store.tables import FACTS, Fact, facts_of

_BATCH = 500


class Stage:
    """The staging transaction of one generation."""

    def __init__(self, database: Database, connection: sa.Connection, generation: int) -> None:
        self._database = database
        self._connection = connection
        self._generation = generation
        self._begun: dict[str, list[Fact]] = {table: [] for table in FACTS}
        self._written: Counter[str] = Counter()
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
        if len(waiting) >= self._database.batch:
            self._insert(table)

    def flush(self) -> None:
        """Write what waits in batches."""
        for table in FACTS:
            self._insert(table)
        self._database.written(self._connection, self._written)

    def _insert(self, table: str) -> None:
        waiting = self._begun[table]
        if waiting:
            self._database.insert(self._connection, table, self._generation, waiting)
            self._written[table] += len(waiting)
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
        query = facts_of(table).where(FACTS[table].c.gen_to.is_(None)).order_by(FACTS[table].c.id)
        for row in self._connection.execute(query).yield_per(2000):
            yield Fact(*row)

    def among(self, table: str, ids: Sequence[str]) -> Iterator[tuple[Fact, bool]]:
        """The facts with these ids in effect in this generation or ended by it; with each, whether it is in effect."""
        self._insert(table)
        columns = FACTS[table].c
        there = sa.or_(columns.gen_to.is_(None), columns.gen_to == self._generation)
        for start in range(0, len(ids), _BATCH):
            among = columns.id.in_(ids[start : start + _BATCH])
            for row in self._connection.execute(facts_of(table).add_columns(columns.gen_to.is_(None)).where(among, there)).all():
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
        self._database.before_restoring(self._connection)
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
