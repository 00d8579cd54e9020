"""Several calls at the same time, in threads: for work that waits for a server or lets go of the interpreter, as models and numpy
do. The vector engine in this process does not.

A question is answered sooner by it, not cheaper: the computing is the same. Where all threads are taken, by other questions, a
caller does its own work itself, so nobody waits for a thread and calls may be nested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from ingest.execute import cores

T = TypeVar("T")


def together(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return what each call returns, in order. The first is called here, the others in threads as far as there are any; all have
    ended on return. Raises what the first of them raised that failed."""
    if len(calls) < 2 or cores() < 2:
        return [call() for call in calls]
    given = [_threads().submit(call) for call in calls[1:]]
    try:
        first = calls[0]()
    except BaseException:
        _left(given)
        raise
    results = [first]
    for place, (future, call) in enumerate(zip(given, calls[1:], strict=True)):
        try:
            results.append(call() if future.cancel() else future.result())
        except BaseException:
            _left(given[place:])
            raise
    return results


def _left(given: Sequence[Future[T]]) -> None:
    """Wait for what runs and begin nothing more: what it reads may be closed when we are gone."""
    for future in given:
        if not future.cancel():
            future.exception()


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), thread_name_prefix="together")
