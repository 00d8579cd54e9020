"""The seam: code says what happens, and nothing hears it unless somebody listens in this process.

    with span("search", {"concord.mode": mode}) as told: ...
    add("concord.refusals", 1, {"concord.reason": "ServerBusy"})

Without a listener each of these is one comparison; no library is imported. Names and attributes are those of `names.py`. One
listener a process: the threads of a server or of a scheduler inherit no context, and all tell the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

Value = str | int | float | bool
Attributes = Mapping[str, Value]
Read = Callable[[], Iterable[tuple[float, Attributes]]]
"""What a gauge shows now: values, each with its attributes."""


class Told(Protocol):
    """A span while it lasts."""

    def say(self, attributes: Attributes) -> None:
        """Add attributes."""


class Listener(Protocol):
    """Whoever is told. Threads share one; nothing that it does may raise or take long."""

    def span(
        self, name: str, attributes: Attributes, *, server: bool = False, carrier: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Told]:
        """A span around what is done inside; an exception marks it failed. `server`: a request from outside, continuing the trace
        that `carrier` (headers) names, if it does."""
        ...

    def past(self, name: str, attributes: Attributes, began: int, ended: int) -> None:
        """A span that is over, inside the current one. Nanoseconds since 1970."""
        ...

    def add(self, name: str, amount: int, attributes: Attributes) -> None: ...
    def record(self, name: str, value: float, attributes: Attributes) -> None: ...
    def gauge(self, name: str, value: float, attributes: Attributes) -> None: ...

    def watch(self, name: str, read: Read) -> None:
        """Look at a gauge whenever metrics are collected, from then on; `read` takes the place of the one before."""
        ...

    def ids(self) -> tuple[str, str] | None:
        """Trace and span that are current, in hex."""
        ...

    def page(self) -> tuple[bytes, str] | None:
        """The metrics as a page, and its media type; None where none is kept."""
        ...


class _Nothing:
    """A span that nobody hears of."""

    def say(self, attributes: Attributes) -> None:
        pass


class _Heard:
    def __init__(self) -> None:
        self.by: Listener | None = None


_NOTHING = _Nothing()
_heard = _Heard()


@contextmanager
def heard(listener: Listener) -> Iterator[Listener]:
    """Within this context, tell a listener, from every thread of the process."""
    before, _heard.by = _heard.by, listener
    try:
        yield listener
    finally:
        _heard.by = before


def listened() -> bool:
    """Whether somebody listens: for what is costly to find out."""
    return _heard.by is not None


def span(
    name: str, attributes: Attributes | None = None, *, server: bool = False, carrier: Mapping[str, str] | None = None
) -> AbstractContextManager[Told]:
    """As `Listener.span`."""
    by = _heard.by
    return nullcontext(_NOTHING) if by is None else by.span(name, attributes or {}, server=server, carrier=carrier)


def past(name: str, attributes: Attributes, began: int, ended: int) -> None:
    """As `Listener.past`."""
    if _heard.by is not None:
        _heard.by.past(name, attributes, began, ended)


def add(name: str, amount: int, attributes: Attributes | None = None) -> None:
    """Add to a counter."""
    if _heard.by is not None and amount:
        _heard.by.add(name, amount, attributes or {})


def record(name: str, value: float, attributes: Attributes | None = None) -> None:
    """Record a value of a histogram."""
    if _heard.by is not None:
        _heard.by.record(name, value, attributes or {})


def gauge(name: str, value: float, attributes: Attributes | None = None) -> None:
    """Set a gauge."""
    if _heard.by is not None:
        _heard.by.gauge(name, value, attributes or {})


def watch(name: str, read: Read) -> None:
    """As `Listener.watch`."""
    if _heard.by is not None:
        _heard.by.watch(name, read)


def ids() -> tuple[str, str] | None:
    """As `Listener.ids`; None when nobody listens."""
    return None if _heard.by is None else _heard.by.ids()


def page() -> tuple[bytes, str] | None:
    """As `Listener.page`."""
    return None if _heard.by is None else _heard.by.page()
