"""What comes back of one item of work, whoever did it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from ingest.errors import ConcordError

Item = TypeVar("Item")
Value = TypeVar("Value")

IN_FLIGHT = 2
"""Items drawn for each worker: one it works on and one that waits, so that a busy caller does not leave workers idle."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Value]):
    """What became of `item`, the `index`-th of the items: a value, or the error that it met."""

    index: int
    item: Item
    value: Value | None
    error: ConcordError | None

    def result(self) -> Value:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return cast(Value, self.value)
