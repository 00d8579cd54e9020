"""The operations that agents have: one list for every door. MCP and HTTP only translate.

`Operations.run` is the one way in: the caller and the session come from the door, never from an argument; the budget is taken
before anything is read; what was shown is recorded before the answer leaves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from indexes.serve import answers, arguments
from indexes.serve.arguments import Arguments
from indexes.serve.audit import Audit, Seen
from indexes.serve.bases import Bases, reason
from indexes.serve.callers import Caller
from indexes.serve.session import Session
from indexes.serve.told import operation_told
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.disagreeing import conflicts_list
from indexes.serve.tools.edges import graph_neighbors
from indexes.serve.tools.entities import entity_get
from indexes.serve.tools.finding import document_find
from indexes.serve.tools.listing import knowledge_list
from indexes.serve.tools.looking import Looking
from indexes.serve.tools.names import Names
from indexes.serve.tools.opening import document_open
from indexes.serve.tools.quoting import evidence_get
from indexes.serve.tools.resolving import entity_resolve
from indexes.serve.tools.reviewing import Reviewing, Reviews
from indexes.serve.tools.searching import keyword_search, knowledge_search, semantic_search
from indexes.serve.tools.verifying import verify_citations
from ingest.errors import AuditFailed, ConcordError, NotFound, NotGranted, ServiceRefused, UsageError
from ingest.telemetry import signals
from ingest.telemetry.records import bound

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Operation:
    """What a door needs to know of an operation. `arguments` and `answer`: the types that it takes and gives. `opens`: it counts
    against the budget of opened documents; `text`: it gives texts, of which a session has a budget. `writes`: only for callers
    who may write; `changes`: it does."""

    name: str
    title: str
    run: Callable[[Asking, Any], Told]
    arguments: type[Arguments]
    answer: type[Any]
    opens: bool = False
    text: bool = False
    writes: bool = False
    changes: bool = False

    @property
    def description(self) -> str:
        """What it does, for those who choose among tools."""
        return " ".join((self.run.__doc__ or "").split())


READ: tuple[Operation, ...] = (
    Operation("knowledge_list", "knowledge.list", knowledge_list, arguments.KnowledgeList, answers.KnowledgeBases),
    Operation("knowledge_search", "knowledge.search", knowledge_search, arguments.KnowledgeSearch, answers.Pack, text=True),
    Operation("keyword_search", "keyword.search", keyword_search, arguments.KeywordSearch, answers.Pack, text=True),
    Operation("semantic_search", "semantic.search", semantic_search, arguments.SemanticSearch, answers.Pack, text=True),
    Operation("document_find", "document.find", document_find, arguments.DocumentFind, answers.Documents),
    Operation(
        "document_open", "document.open", document_open, arguments.DocumentOpen, answers.OpenedDocument, opens=True, text=True
    ),
    Operation("entity_resolve", "entity.resolve", entity_resolve, arguments.EntityResolve, answers.Candidates),
    Operation("entity_get", "entity.get", entity_get, arguments.EntityGet, answers.Entities),
    Operation("evidence_get", "evidence.get", evidence_get, arguments.EvidenceGet, answers.EvidenceFound, text=True),
    Operation(
        "verify_citations", "citations.verify", verify_citations, arguments.VerifyCitations, answers.CitationsChecked
    ),
    Operation("graph_neighbors", "graph.neighbors", graph_neighbors, arguments.GraphNeighbors, answers.Neighbors),
    Operation("conflicts_list", "conflicts.list", conflicts_list, arguments.ConflictsList, answers.Conflicts),
)
"""What every caller has."""


def reviews(queue: Reviews) -> tuple[Operation, ...]:
    """Return the operations of those who may decide about the registry."""
    tools = Reviewing(queue)
    return (
        Operation("review_list", "review.list", tools.review_list, arguments.ReviewList, answers.ReviewQuestions, writes=True),
        Operation(
            "review_answer", "review.answer", tools.review_answer, arguments.ReviewAnswer, answers.ReviewAnswers, writes=True,
            changes=True,
        ),
    )


class Operations:
    """The operations over some knowledge bases. Threads may share one. `writing`: operations that change something, which only
    callers with `write` have."""

    def __init__(self, bases: Bases, audit: Audit, writing: Sequence[Operation] = ()) -> None:
        self.bases = bases
        self._audit = audit
        self._names = Names()
        self._by_name = {operation.name: operation for operation in (*READ, *writing)}

    def of(self, caller: Caller) -> tuple[Operation, ...]:
        """Return the operations that a caller has."""
        return tuple(operation for operation in self._by_name.values() if caller.write or not operation.writes)

    @property
    def every(self) -> tuple[Operation, ...]:
        return tuple(self._by_name.values())

    def run(
        self, name: str, caller: Caller, session: Session, asked: Arguments, progress: Callable[[int, int], None] | None = None
    ) -> Any:
        """Return the answer of one operation, an instance of its `answer`. `progress`: told how many of how many bases answered.

        Raises NotGranted (an operation or base that the caller was not given), BudgetExhausted, ServerBusy, NotFound, UsageError,
        AuditFailed; other ConcordErrors only where a base is damaged in a way that failed_kbs does not tell."""
        known = name if name in self._by_name else "unknown"
        with (
            bound(operation=known, caller=caller.name),
            signals.span(f"operation {known}", {"concord.operation": known}) as span,
        ):
            return self._run(name, known, caller, session, asked, progress, span)

    def _run(
        self, name: str, known: str, caller: Caller, session: Session, asked: Arguments,
        progress: Callable[[int, int], None] | None, span: signals.Told,
    ) -> Any:
        """Run one operation, record it and tell it, as `known`."""
        started = time.perf_counter()
        told, refused = Told(None), None
        try:
            operation = self._granted(name, caller)
            session.budget.spend(calls=1, opened=1 if operation.opens else 0, text=operation.text)
            told = operation.run(Asking(self.bases, caller, session, self._names, progress), asked)
            session.budget.took(told.tokens)
            refused = told.refused
        except Exception as error:
            refused = _named(error)
            raise
        finally:
            failed = [each["kb_id"] for each in getattr(told.answer, "failed_kbs", ())]
            spent = time.perf_counter() - started
            try:
                self._audit.record(
                    caller, name, asked.model_dump(exclude_none=True, exclude_defaults=True), seen=told.seen, failed=failed,
                    refused=refused, seconds=spent, session=session.id, citations=told.citations,
                )
            except AuditFailed:
                refused = AuditFailed.__name__  # what is not recorded is not answered
                raise
            finally:
                operation_told(span, known, refused, spent, told.seen)
        return told.answer

    def misused(self, name: str, caller: Caller, session: Session) -> None:
        """Record a call that a door refused because its arguments cannot be. Of these nothing is kept, for nobody has read them.

        Raises NotGranted where the caller has no such operation, which is recorded instead, and AuditFailed."""
        known = name if name in self._by_name else "unknown"
        refused = UsageError.__name__
        try:
            self._granted(name, caller)
        except NotGranted:
            refused = NotGranted.__name__
            raise
        finally:
            with bound(operation=known, caller=caller.name), signals.span(f"operation {known}") as span:
                operation_told(span, known, refused, 0.0, ())
            self._audit.record(caller, known, {}, refused=refused, session=session.id)

    def read(self, what: str, caller: Caller, session: Session, kb_id: str, call: Callable[[Looking], T]) -> T:
        """Return what `call` reads of one base: of what a door shows besides operations. It counts as a call and is recorded.

        Raises NotGranted, BudgetExhausted, ServerBusy, and what opening the base raises."""
        started = time.perf_counter()
        seen: tuple[Seen, ...] = ()
        refused: str | None = None
        try:
            self.bases.granted(caller, [kb_id])
            session.budget.spend(calls=1, text=False)
            with self.bases.pinned(kb_id, caller) as opened:
                seen = (Seen(kb_id, opened.generation),)
                return call(Looking(opened, caller.principal))
        except Exception as error:
            refused = _named(error)
            raise
        finally:
            self._audit.record(
                caller, what, {"kb_ids": [kb_id]}, seen=seen, refused=refused, seconds=time.perf_counter() - started,
                session=session.id,
            )

    def _granted(self, name: str, caller: Caller) -> Operation:
        operation = self._by_name.get(name)
        if operation is None or (operation.writes and not caller.write):
            names = ", ".join(each.name for each in self.of(caller))
            raise NotGranted(f"you have no operation {name!r}; those you have: {names}")
        return operation


def _named(error: Exception) -> str:
    return type(error).__name__ if isinstance(error, ConcordError) else "Failed"


def told_to_caller(error: ConcordError) -> str:
    """Return what a caller is told of an error: the message of what it can do something about; of all else that it happened, and
    nothing of this machine."""
    for_callers = type(error) in (UsageError, NotFound) or isinstance(error, ServiceRefused)
    return str(error) if for_callers else f"no answer: {reason(error)}"
