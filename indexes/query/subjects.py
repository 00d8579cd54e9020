"""What a question names of the things that are known, with all names of these that the caller may see."""

from __future__ import annotations

from indexes.generation.snapshot import Snapshot
from indexes.query.features import Subject
from indexes.query.plan.names import Names, register_of
from indexes.query.plan.plan import Plan
from ingest.model.predicate import Predicate


def subjects(snapshot: Snapshot, predicate: Predicate, plan: Plan) -> list[Subject]:
    """Return the subjects of a plan's question, in its order. A name in a clause that is denied is none. `predicate`: the one
    that the plan was made with."""
    question = plan.question.casefold()
    asked = [named for named in plan.entities if not question or named.text.casefold() in question]
    if not asked:
        return []
    names = Names(register_of(snapshot), snapshot, predicate)
    return [
        Subject(
            named.text, frozenset(named.entity_ids),
            tuple(dict.fromkeys(name.text for id in named.entity_ids for name in names.of(id))),
        )
        for named in asked
    ]
