"""One stage of a run as one Prefect task: retried with growing pauses where that may help, never pickled, never cached.

A task costs Prefect milliseconds and kilobytes of its database, so there is one for a stage and none for a document; what
documents cost is in our own caches, which know when a file has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from flows.scheduled.sdk import NO_CACHE, exponential_backoff, task
from ingest.errors import ConcordError

T = TypeVar("T")

RETRIES = 3
PAUSE_SECONDS = 20
"""Before the first retry; it doubles with each. A run that has the lease takes minutes, a full disk takes longer."""
_JITTER = 0.3
"""Share of a pause by which flows that wait for one lease are kept from trying together."""


def staged(name: str, step: Callable[[], T], *, retries: int, pause: float) -> T:
    """Take one step as a task called `name` of the flow run around it, in this thread, and return what it returns.

    `step` may be called again after an error that is retryable, so what it had finished must not be harmed by that.
    """
    wanted = _step.with_options(
        name=name, task_run_name=name, retries=retries, retry_delay_seconds=exponential_backoff(pause),
    )
    return cast(T, wanted(step))


def worth_a_retry(task: Any, task_run: Any, state: Any) -> bool:
    """Retry what may pass by itself (a full disk, another run, a mount that is away), never a wrong setting."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, ConcordError) and error.retryable


@task(cache_policy=NO_CACHE, persist_result=False, retry_condition_fn=worth_a_retry, retry_jitter_factor=_JITTER)
def _step(step: Callable[[], Any]) -> Any:
    return step()
