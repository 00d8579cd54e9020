"""What a plan takes away from a request.

A request that names no time asks for what holds now; where its words name one, that is what it asks for (`timed`), as if it had
been given with `--as-of`. Everything else that a plan says is intersected with the predicate: rows can only go.
"""

from __future__ import annotations

from dataclasses import replace

from indexes.query.plan.plan import Plan
from indexes.query.request import Request
from ingest.model.predicate import Predicate


def timed(request: Request, plan: Plan) -> Request:
    """The request at the time that its words name; as it is where it names one itself."""
    if request.as_of is not None or request.during is not None or (plan.as_of is None and plan.during is None):
        return request
    return replace(request, as_of=plan.as_of, during=plan.during)


def narrowed(predicate: Predicate, plan: Plan) -> Predicate:
    """What the predicate admits and the plan does not take away. Access and time are left as they are."""
    return replace(
        predicate,
        versions=_both(predicate.versions, plan.versions),
        families=_both(predicate.families, plan.families),
        editions=plan.editions if predicate.editions is None else predicate.editions,
    )


def _both(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if first is None or second is None:
        return second if first is None else first
    return tuple(value for value in first if value in second)
