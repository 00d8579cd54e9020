"""What every tool is given: who asks in which session, and the knowledge bases; and what every tool gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from indexes.serve.audit import Seen
from indexes.serve.bases import Bases, FailedKb, Opened
from indexes.serve.callers import Caller
from indexes.serve.session import Cited, Session
from indexes.serve.tools.looking import Looking
from indexes.serve.tools.names import Names
from ingest.errors import NotFound

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class From(Generic[T]):
    """What one knowledge base answered, from which generation."""

    kb_id: str
    generation: int
    result: T

    def seen(self, rows: Iterable[str]) -> Seen:
        """What is recorded of it: the ids that the answer shows, each once."""
        return Seen(self.kb_id, self.generation, tuple(dict.fromkeys(rows)))


@dataclass(frozen=True, slots=True)
class Asking:
    """One call of a tool."""

    bases: Bases
    caller: Caller
    session: Session
    names: Names
    progress: Callable[[int, int], None] | None = None
    """Told how many of how many bases have answered."""

    def each(
        self, kb_ids: Sequence[str] | None, call: Callable[[Looking], T]
    ) -> tuple[list[From[T]], tuple[FailedKb, ...]]:
        """Ask every base that is meant: what they answered, and the bases that could not."""
        meant = self.bases.granted(self.caller, kb_ids)

        def looked(opened: Opened) -> From[T]:
            if self.progress is not None and len(meant) > 1:
                self.progress(meant.index(opened.kb_id), len(meant))
            return From(opened.kb_id, opened.generation, call(Looking(opened, self.caller.principal)))

        results, failed = self.bases.each(self.caller, kb_ids, looked)
        return [result for _, result in results], tuple(failed)

    def base_of(self, cited: Cited, kb_ids: Sequence[str] | None) -> tuple[str, ...]:
        """The base of a citation, as far as it is one of those that are meant."""
        return tuple(kb_id for kb_id in self.bases.granted(self.caller, kb_ids) if kb_id == cited.kb_id)

    def found(
        self, kb_ids: Sequence[str] | None, what: str, call: Callable[[Looking], T | None]
    ) -> tuple[list[From[T]], tuple[FailedKb, ...]]:
        """As `each`, of the bases that have something. Raises NotFound, in the same words for what is hidden and for what does
        not exist, when no base has it and all could answer."""
        results, failed = self.each(kb_ids, call)
        return held(results, failed, what), failed


def held(results: Sequence[From[T | None]], failed: Sequence[FailedKb], what: str) -> list[From[T]]:
    """Return the answers of bases that have something. Raises NotFound as `Asking.found`."""
    found = [From(one.kb_id, one.generation, one.result) for one in results if one.result is not None]
    if not found and not failed:
        raise NotFound(nothing(what))
    return found


def nothing(what: str) -> str:
    """Return what is said of an id that stands for nothing the caller may see."""
    return (
        f"you have nothing that is called {what!r}; take ids and uris from answers of this server, "
        "or look with document_find, entity_resolve or knowledge_search"
    )


@dataclass(frozen=True, slots=True)
class Told:
    """A tool's answer, with what is recorded of it: the rows that it shows, tokens of text, how it was refused, if it was, and of
    an answer that was checked how many citations it has and how many held."""

    answer: Any
    seen: tuple[Seen, ...] = ()
    tokens: int = 0
    refused: str | None = None
    citations: Mapping[str, int] | None = None
