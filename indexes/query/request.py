"""A search request, and the one predicate made of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from indexes.generation.snapshot import Snapshot
from indexes.query.history import visible_now
from ingest.model.access import Principal
from ingest.model.instant import BEGIN, END, now, seconds
from ingest.model.predicate import Predicate

Mode = Literal["hybrid", "vector", "bm25", "graph"]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, by whom, of which instant. `as_of` is a normalised instant; None is now. `during`, a range of normalised
    instants [from, until), asks for what held during some of it, instead of at an instant. `planned` False: the query is taken
    as it stands, no rule reads it. `expand`: one hop through the graph; None: as the plan and the settings say. `tokens`: budget
    of text and context, None: that of the settings."""

    query: str
    mode: Mode = "hybrid"
    top_k: int = 10
    principal: Principal = Principal()
    as_of: str | None = None
    statuses: tuple[str, ...] | None = ("active",)
    families: tuple[str, ...] | None = None
    versions: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    during: tuple[str, str] | None = None
    planned: bool = True
    expand: bool | None = None
    tokens: int | None = None


def instant_of(request: Request) -> str:
    """Return the instant at which evidence must be valid."""
    return request.as_of or now()


def predicate_of(request: Request, snapshot: Snapshot, instant: str | None) -> Predicate:
    """Return the filter of a request, compiled by every index before it ranks. `instant` None looks at every window.

    An older generation is read under the head's access rules: what was closed since stays closed."""
    during = request.during
    predicate = Predicate(
        principal=request.principal, as_of=None if instant is None or during is not None else seconds(instant, absent=0),
        during=None if during is None else (seconds(during[0], absent=BEGIN), seconds(during[1], absent=END)),
        statuses=request.statuses, families=request.families,
        versions=request.versions, scopes=request.scopes, languages=request.languages, sources=request.sources,
    )
    head = snapshot.catalog.head()
    if snapshot.generation == head:
        return predicate
    allowed = visible_now(snapshot, head, request.principal)
    while head != (head := snapshot.catalog.head()):  # what was read of a head that is pruned meanwhile may be a part of it
        allowed = visible_now(snapshot, head, request.principal)
    narrowed = allowed if request.sources is None else allowed & set(request.sources)
    return replace(predicate, principal=None, sources=tuple(sorted(narrowed)), reach=tuple(sorted(allowed)))
