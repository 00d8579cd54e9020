"""What a server tells of itself: how long operations take, what is refused, how many wait, how old what it serves is."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from indexes.serve.audit import Seen
from indexes.serve.bases import Bases
from indexes.serve.standing import Standings
from ingest.telemetry import signals
from ingest.telemetry.records import log
from ingest.telemetry.signals import Attributes, Told

NOBODY = "none"
"""The operation of a request that was refused before it named one."""


def operation_told(span: Told, operation: str, refused: str | None, seconds: float, seen: Iterable[Seen]) -> None:
    """Tell one operation. `refused` as in the audit log. Of what was asked and found nothing is told."""
    generations = {each.generation for each in seen}
    fields: dict[str, object] = {}
    if len(generations) == 1:
        (fields["generation"],) = generations
        span.say({"concord.generation": next(iter(generations))})
    if refused is not None:
        span.say({"concord.reason": refused})
        fields["reason"] = refused
        signals.add("concord.refusals", 1, {"concord.operation": operation, "concord.reason": refused})
    outcome = "ok" if refused is None else "insufficient_evidence" if refused == "insufficient_evidence" else "refused"
    signals.record("concord.operation.duration", seconds, {"concord.operation": operation, "concord.outcome": outcome})
    log("serve", logging.INFO, "answered" if refused is None else "refused", seconds=round(seconds, 4), **fields)


def unauthenticated() -> None:
    """Tell that somebody without a valid token was refused."""
    signals.add("concord.refusals", 1, {"concord.operation": NOBODY, "concord.reason": "Unauthenticated"})


def watched(bases: Bases) -> None:
    """Have the bases and the queue looked at whenever metrics are collected."""
    standings = Standings(bases)

    def each(value: str) -> list[tuple[float, Attributes]]:
        found = [one for one in standings() if not one.error]
        told = [(getattr(one, value), {"concord.kb": one.kb_id}) for one in found]
        return [(float(number), who) for number, who in told if number is not None]

    signals.watch("concord.index.generation", lambda: each("generation"))
    signals.watch("concord.index.lag", lambda: each("lag"))
    signals.watch("concord.index.unconfirmed", lambda: each("unconfirmed"))
    signals.watch("concord.bases.open", lambda: [(bases.opened, {})])
    signals.watch("concord.queue.waiting", lambda: [(bases.waiting, {})])
