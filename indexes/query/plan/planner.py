"""From a query to its plan."""

from __future__ import annotations

from indexes.generation.snapshot import Snapshot
from indexes.query.plan.plan import Plan, as_asked
from indexes.query.request import Request
from ingest.model.predicate import Predicate
from ingest.settings import SearchPart


def planned(snapshot: Snapshot, request: Request, predicate: Predicate, settings: SearchPart) -> Plan:
    """Return how a request is asked. `predicate`: what the caller may see; names of nothing else are read."""
    return as_asked(request.query)
