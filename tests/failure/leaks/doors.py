"""Every way in which a caller gets something of a knowledge base, in this process, and what of it is compared between two bases.

`Doors.ask` runs one call and returns what came back as JSON types, errors included. `lasting` is what must be the same over a
base that never had what is hidden.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

SEARCHES = ("knowledge_search", "keyword_search", "semantic_search")
RENDERED = ("text", "markdown")


class Seen:
    """An audit log in memory: the ids of the latest call."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.latest: dict[str, Any] = {}

    def record(self, caller: Any, operation: str, arguments: Any, **told: Any) -> None:
        self.rows = [row for seen in told.get("seen", ()) for row in seen.rows]
        self.latest = {"operation": operation, "refused": told.get("refused"), "failed": told.get("failed")}


class Doors:
    """A published base for one caller."""

    def __init__(self, base: Any, who: dict[str, Any], pinned: dict[int, Any], bases: Any) -> None:
        from flows.answering import query_embedder
        from flows.serving_reviews import Queue
        from indexes.serve.callers import Caller
        from indexes.serve.operations import Operations, reviews
        from ingest.model.access import Principal

        self.base, self.who = base, Principal(**who)
        self.seen = Seen()
        self._pinned = pinned
        self._embedder = query_embedder(base.settings, pinned[max(pinned)])
        self._operations = Operations(bases, self.seen, reviews(Queue()))
        self._reader = Caller("somebody", self.who, bases.kb_ids)
        self._editor = Caller("editor", self.who, bases.kb_ids, write=True)

    def ask(self, door: str, /, **given: Any) -> Any:
        """Return the answer as JSON types; an error as its class and its words."""
        from pydantic import ValidationError

        from ingest.errors import ConcordError

        ways: dict[str, Callable[..., Any]] = {
            "search": self._search, "show": self._show, "listed": self._listed, "told": self._told, "export": self._export,
            "resource": self._resource,
        }
        self.seen.rows = []
        try:
            return ways[door](**given) if door in ways else self._operation(door, **given)
        except ConcordError as error:
            from indexes.serve.http.problems import problem_of
            from indexes.serve.operations import told_to_caller

            return {"error": type(error).__name__, "said": [str(error), told_to_caller(error), problem_of(error).told()]}
        except ValidationError as error:
            return {"error": "ValidationError", "said": error.errors(include_url=False, include_context=False)}

    def _search(
        self, query: str, generation: int, *, sources: tuple[str, ...] | None = None, rendered: str | None = None, **fields: Any
    ) -> Any:
        from indexes.query.evidence import search
        from indexes.query.request import Request
        from indexes.query.sources import sources_named
        from ingest.model.canonical import plain

        snapshot = self._pinned[generation]
        if sources is not None:
            fields["sources"] = sources_named(snapshot, sources)
        fields = {"top_k": 200, "tokens": 1_000_000, **fields}
        pack = search(snapshot, self._embedder, Request(query, principal=self.who, **fields), self.base.settings.search)
        told = plain(pack)
        return {**told, "rendered": _rendered(_alike(pack), rendered)} if rendered else told

    def _show(self, id: str, generation: int) -> Any:
        return self.base.show(id, generation, who=self.who)

    def _listed(self, generation: int, **given: Any) -> Any:
        from flows.listing import listed

        return [asdict(each) for each in listed(self.base.settings, self.who, generation=generation, limit=500, **given)]

    def _told(self, id: str, generation: int) -> Any:
        from flows.listing import told

        return told(self.base.settings, id, self.who, generation)

    def _export(self, generation: int, **given: Any) -> Any:
        from flows.exporting import Wanted, export

        return b"".join(export(self.base.settings, Wanted(who=self.who, **given), generation)).decode()

    def _resource(self, kind: str) -> Any:
        from indexes.serve.mcp.resources import _READERS
        from indexes.serve.session import alone

        session = alone(self.base.settings.serve)
        return self._operations.read(f"resource_{kind}", self._reader, session, "default", _READERS[kind])

    def _operation(self, operation_name: str, /, **given: Any) -> Any:
        from indexes.serve.session import alone
        from ingest.model.canonical import plain

        operation = next(each for each in self._operations.every if each.name == operation_name)
        caller, session = self._editor if operation.writes else self._reader, alone(self.base.settings.serve)
        told = plain(self._operations.run(operation_name, caller, session, operation.arguments(**given)))
        if operation_name in SEARCHES:  # what a citation leads to, too
            more = [("verify_citations", {"answer": f"It says so [K1], [K2]. “{given['query']}” [K3]."})]
            more += [("evidence_get", {"citation": "K1"}), ("document_open", {"id": "K1", "before": 2, "after": 2})]
            told["then"] = [self._then(other, session, arguments) for other, arguments in more] if told["results"] else []
        return told

    def _then(self, name: str, session: Any, given: dict[str, Any]) -> Any:
        from ingest.model.canonical import plain

        operation = next(each for each in self._operations.every if each.name == name)
        rows = self.seen.rows
        told = plain(self._operations.run(name, self._reader, session, operation.arguments(**given)))
        self.seen.rows += rows
        return told


def _alike(pack: Any) -> Any:
    """A pack without what two bases cannot have in common."""
    return replace(pack, snapshot="", trace=lasting(pack.trace))


def _rendered(pack: Any, how: str) -> str:
    from indexes.query.markdown import as_markdown
    from ingest.cli.evidence import show

    if how == "markdown":
        return as_markdown(pack)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        show(pack, explain=True)
    return out.getvalue()


# --- what two bases are compared by


_OF_THE_BASE = frozenset(("snapshot", "registry", "milliseconds", "pack"))
"""Digests of a base as a whole (of an answer with its snapshot, too), which tell that something is in it and not what; and how
long things took."""


def lasting(answer: Any) -> Any:
    """Return an answer without what two bases cannot have in common."""
    if isinstance(answer, dict):
        return {key: lasting(each) for key, each in answer.items() if key not in _OF_THE_BASE}
    return [lasting(each) for each in answer] if isinstance(answer, list | tuple) else answer


def differing(one: Any, other: Any, at: str = "") -> list[str]:
    """Return where two lasting answers differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [told for key in one for told in differing(one[key], other[key], f"{at}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [told for place, pair in enumerate(zip(one, other, strict=True)) for told in differing(*pair, f"{at}[{place}]")]
    return [] if repr(one) == repr(other) else [f"{at}: {one!r} beside {other!r}"[:1500]]
