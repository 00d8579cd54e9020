"""Work done in this process, one item after the other: for debugging, and where handing over would cost more than it saves."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from ingest import worker
from ingest.execute.outcome import Item, Outcome, Value


def inline(
    factory: Callable[[], Callable[[Item], Value]], items: Iterable[Item]
) -> Generator[Outcome[Item, Value], None, None]:
    """Yield an Outcome for every item. The factory is called once, with the first."""
    work: Callable[[Item], Value] | None = None
    for index, item in enumerate(items):
        work = work or factory()
        kind, made = worker.run(work, item)
        yield Outcome(index, item, None, made) if kind == worker.ERROR else Outcome(index, item, made, None)
