"""How an older catalog becomes one of today: numbered steps, the same for every database, each all or nothing.

A catalog says in `meta` which format it has. Whoever writes it, and so holds the lease, brings it up to date when it is opened;
who only reads takes an older one as it is: no step so far changed what reading needs, and the first that does has to refuse
readers of older ones. A step is written out, not derived from the tables of today, which are those of the last step only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

_FACTS = ("sources", "parents", "chunks", "mentions", "edges", "entities", "assertions")


@dataclass(frozen=True, slots=True)
class Step:
    """What makes format `to` of the one before."""

    to: int
    what: str
    apply: Callable[[sa.Connection], None]


def _counted_from_an_index(connection: sa.Connection) -> None:
    """Catalogs of format 1 may have been made before the index of ids held what counting a generation needs."""
    wanted = ["id", "checksum", "gen_from", "gen_to"]
    inspector = sa.inspect(connection)
    for table in _FACTS:
        name = f"ix_{table}_id"
        held = {index["name"]: index["column_names"] for index in inspector.get_indexes(table)}
        if held.get(name) != wanted:
            connection.exec_driver_sql(f"drop index if exists {name}")
            connection.exec_driver_sql(f"create index {name} on {table} ({', '.join(wanted)})")


STEPS: tuple[Step, ...] = (
    Step(2, "a generation is counted from an index of ids and checksums", _counted_from_an_index),
)

FORMAT = STEPS[-1].to
"""Of catalogs that are made now."""


def missing(found: int) -> list[Step]:
    """The steps that a catalog of an older format lacks, in order."""
    return [step for step in STEPS if step.to > found]
