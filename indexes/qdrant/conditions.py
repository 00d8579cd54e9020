"""A predicate, and membership in a build, as filters of the server, which applies them before it ranks.

The meaning of a predicate is `Predicate.admits`; the contract suites of both indexes hold this to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from indexes.qdrant.format import OPEN, instant, sendable, since, until
from ingest.model.generation import IndexKind
from ingest.model.predicate import Predicate

if TYPE_CHECKING:
    from qdrant_client.models import Filter


def among(field: str, values: Iterable[str]) -> Any:
    """The field has one of these values, or its list does."""
    from qdrant_client.models import FieldCondition, MatchAny

    return FieldCondition(key=field, match=MatchAny(any=[sendable(value) for value in values]))


def within(field: str, **bounds: int) -> Any:
    """The field's number lies within `gt`, `gte`, `lt`, `lte`."""
    from qdrant_client.models import FieldCondition, Range

    return FieldCondition(key=field, range=Range(**bounds))


def every(conditions: Sequence[Any], but: Sequence[Any] = ()) -> Filter:
    """All of the conditions hold, and none of `but`."""
    from qdrant_client.models import Filter

    return Filter(must=list(conditions) or None, must_not=list(but) or None)


def any_of(conditions: Sequence[Any]) -> Filter:
    """At least one of the conditions holds. There must be one."""
    from qdrant_client.models import Filter

    return Filter(should=list(conditions))


def held_at(kind: IndexKind, epoch: int) -> list[Any]:
    """Points that the build of an index holds which was written in an epoch."""
    return [within(since(kind), lte=epoch), within(until(kind), gt=epoch)]


def still_open(kind: IndexKind) -> Any:
    return within(until(kind), gte=OPEN)


def admits(predicate: Predicate) -> list[Any] | None:
    """Return the conditions of a predicate; None where it admits no row at all."""
    allowed = {
        "status": predicate.statuses, "family": predicate.families, "version": predicate.versions, "scope": predicate.scopes,
        "language": predicate.languages, "source_id": predicate.sources,
    }
    if any(values is not None and not values for values in allowed.values()):
        return None
    found = [among(field, values) for field, values in allowed.items() if values is not None]
    who = predicate.principal
    if who is not None:
        tokens = who.tokens()
        found += [among("tenant", dict.fromkeys(("", who.tenant or ""))), within("level", lte=who.level), among("acl", tokens)]
    if predicate.as_of is not None:
        found += [within("valid_from", lte=instant(predicate.as_of)), within("valid_until", gt=instant(predicate.as_of))]
    if predicate.during is not None:
        start, end = predicate.during
        found += [within("valid_from", lt=instant(end)), within("valid_until", gt=instant(start))]
    if predicate.editions is not None and predicate.editions.families:
        other = [among("version", sorted(predicate.editions.versions))] if predicate.editions.versions else []
        found.append(every([], [every([among("family", sorted(predicate.editions.families))], other)]))
    return found
