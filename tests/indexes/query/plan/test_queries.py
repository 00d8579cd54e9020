"""How queries are read: `queries.yaml` has them with their plans, in both languages, those that nothing applies to among them.

After a wanted change: `CONCORD_REWRITE_GOLDEN=1 pytest tests/indexes/query/plan/test_queries.py`, then read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from indexes.query.plan.plan import Plan

GOLDEN = Path(__file__).with_name("queries.yaml")
REWRITE = os.environ.get("CONCORD_REWRITE_GOLDEN") == "1"
QUERIES: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))


def of_editions(plan: Plan) -> str | None:
    told = plan.editions
    return told and f"{' '.join(sorted(told.families))} only {' '.join(sorted(filter(None, told.versions)))}"


def told(plan: Plan, query: str) -> dict[str, Any]:
    """What is not as if no rule had read the query."""
    asked = plan.clarification
    parts: dict[str, Any] = {
        "language": plan.language,
        "entities": {each.text: " or ".join(id.rpartition(":")[2] for id in each.entity_ids) for each in plan.entities},
        "asks": asked and f"{asked.reason}: {asked.text}",
        "identifiers": list(plan.identifiers), "codes": list(plan.codes), "phrases": list(plan.phrases),
        "versions": list(plan.asked_versions), "editions": of_editions(plan),
        "as_of": plan.as_of, "during": plan.during and " to ".join(plan.during),
        "relations": list(plan.relations), "excluded": list(plan.excluded),
        "adds": plan.keywords.removeprefix(query).strip(), "bm25_weight": plan.bm25_weight,
        "expand": None if plan.expand else "off",
    }
    return {name: value for name, value in parts.items() if value}


@pytest.mark.parametrize("query", [query for asked in QUERIES.values() for query in asked])
def test_a_query_is_read_as_written_down(world: Any, at_noon: str, query: str) -> None:
    (expected,) = [asked[query] for asked in QUERIES.values() if query in asked]
    assert told(world.plan(query), query) == expected


def test_the_golden_file_is_rewritten_only_on_purpose(world: Any, at_noon: str) -> None:
    assert not (REWRITE and os.environ.get("CI")), "CONCORD_REWRITE_GOLDEN must not be set in CI: it would approve anything"
    if REWRITE:
        again = {kind: {query: told(world.plan(query), query) for query in asked} for kind, asked in QUERIES.items()}
        text = yaml.safe_dump(again, allow_unicode=True, sort_keys=False, width=130, default_flow_style=False)
        GOLDEN.write_text(text, encoding="utf-8")
    assert sum(map(len, QUERIES.values())) >= 120
