"""`map_unordered`: the one way in which stages have their work done, and the promise that it makes whoever does it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Literal

from ingest.execute.inline import inline
from ingest.execute.machine import cores
from ingest.execute.outcome import Item, Outcome, Value

Executor = Literal["inline", "processes", "ray"]


def map_unordered(
    factory: Callable[[], Callable[[Item], Value]],
    items: Iterable[Item],
    *,
    executor: Executor,
    workers: int,
    timeout: float | None = None,
    fresh: bool = False,
    address: str = "",
) -> Generator[Outcome[Item, Value], None, None]:
    """Yield an Outcome for every item, as they finish: the callable that `factory()` returns is called on each.

    inline: factory is called once in this process, items one after the other; `workers`, `timeout` and `fresh` do not apply.
    processes: `factory`, the items and the values are pickled, so the factory is a module-level function of a
    module that can be imported by its name (not `__main__`), or a `functools.partial` of one. It is called once in each of up
    to `workers` processes (0: one a core), which are started as items need them, run numeric libraries single-threaded, ignore
    SIGINT, and print to stderr. `timeout` is the wall time in
    seconds of one item, start-up excluded. `fresh` gives every item a process of its own, forked from one in which the factory
    has run (so it should import and not start threads; a process with threads is replaced for every item instead).
    ray: as processes, each of them beside an actor that Ray places on some machine of the cluster at `address` (empty: one is
    started on this machine, and kept until this process ends); `workers` 0: one a core of the cluster. An item reaches a machine
    as bytes and nothing of this machine's disk does, so what the factory needs (packages, models) is there already. Raises
    ExtraMissing without Ray, ClusterUnavailable where it cannot be started or reached, or has no place for a single worker.

    A ConcordError that the callable raises comes back as it is. Anything else is a WorkFailed: of kind `exception` or `memory`
    with the exception's type and text, `crash` when the process (or its machine) died, `timeout` when it was killed for its time;
    with what the callable had written to `ingest.worker.notes()` by then. The others go on. What the factory raises is raised
    here, because no item could be done. Closing the iterator kills the workers; if this process is killed, so are they.
    """
    if executor == "inline":
        return inline(factory, items)
    if executor == "processes":
        from ingest.execute.process import processes

        return processes(factory, items, workers or cores(), timeout, fresh)
    from ingest.execute.placed import placed

    return placed(factory, items, workers, timeout, fresh, address)
