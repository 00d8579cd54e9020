"""Judgements in a base: a merge rewrites no row and shows with the next generation, and taking it back restores every digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from entities.judgements import append, judged, read, revocation

GATE, NODE, SAME = "urn:kb:entity:gate", "urn:kb:entity:node", "urn:kb:entity:twin"
SEED = f"""
entities:
  - {{id: {GATE}, type: product, names: [{{text: YunGate, kind: preferred}}]}}
  - {{id: {NODE}, type: product, names: [{{text: 云脉网关, kind: preferred}}]}}
"""
TWIN = f"  - {{id: {SAME}, type: product, names: [{{text: YUNGATE, kind: preferred}}]}}\n"


@pytest.fixture
def named(base: Any) -> Any:
    base.seed(SEED)
    base.write("a.md", "# A\n\nThe YunGate node is open.\n")
    base.write("b.md", "# B\n\n云脉网关 opens the door.\n")
    base.write("c.md", "---\nlevel: restricted\n---\n# C\n\nYunGate and 云脉网关 are one product.\n")
    base.run()
    return base


def log_of(base: Any) -> Path:
    path: Path = base.folder / "judgements.jsonl"
    return path


def decide(base: Any, kind: str, *ids: str, day: int = 1, **about: Any) -> None:
    entry = judged(kind, actor="lin", at=f"2026-01-{day:02}", reason="C", entities=ids, **about)  # type: ignore[arg-type]
    append(log_of(base), [entry])


def published(base: Any) -> dict[str, Any]:
    with base.catalog() as catalog:
        manifest = catalog.published(catalog.head()).manifest
    return {"snapshot": manifest.snapshot, "catalog": manifest.catalog, "builds": manifest.builds, "registry": manifest.registry}


def test_a_merge_rewrites_no_row_and_shows_with_the_next_generation(named: Any) -> None:
    before = published(named)
    decide(named, "merge", GATE, NODE)
    assert named.show(GATE)["mentioned_in"] == named.chunks("a.md"), "not before it is published"
    report = named.run()
    after = published(named)
    assert (report.published, report.embedded, report.chunks["rewritten"], report.chunks["added"]) == (True, 0, 0, 0)
    assert after["builds"] == before["builds"] and after["catalog"] == before["catalog"]
    assert after["snapshot"] != before["snapshot"] and after["registry"] != before["registry"]
    told = named.show(NODE)
    assert told == named.show(GATE) and told["entity_id"] == GATE and told["merged"] == [NODE]
    assert sorted(told["mentioned_in"]) == sorted([*named.chunks("a.md"), *named.chunks("b.md")])
    (found,) = named.search("door").evidence
    assert found.entity_ids == (GATE,)


@pytest.mark.parametrize("back", ["split", "revoke"])
def test_taking_a_merge_back_restores_every_digest(named: Any, back: str) -> None:
    before = published(named)
    decide(named, "merge", GATE, NODE)
    named.run()
    if back == "split":
        decide(named, "split", GATE, NODE, day=2)
    else:
        log = read(log_of(named))
        append(log_of(named), [
            revocation(log, log.entries[0].judgement_id, actor="wu", at="2026-02-01", reason="two products after all")
        ])
    named.run()
    assert published(named) == before
    assert named.show(NODE)["entity_id"] == NODE


def test_the_older_generation_answers_as_it_was_published(named: Any) -> None:
    decide(named, "merge", GATE, NODE)
    named.run()
    (then,), (now,) = named.search("door", generation=1).evidence, named.search("door").evidence
    assert (then.entity_ids, now.entity_ids) == ((NODE,), (GATE,))
    assert named.show(NODE, generation=1)["entity_id"] == NODE


def test_an_accepted_alias_is_found_and_goes_again(named: Any) -> None:
    before = published(named)
    decide(named, "accept", GATE, text="the door", type="product")
    report = named.run()
    assert report.chunks["rewritten"] == 1 and report.embedded == 0
    (found,) = named.search("door").evidence
    assert set(found.entity_ids) == {GATE, NODE}
    decide(named, "reject", GATE, text="the door", type="product", day=2)
    named.run()
    assert published(named) == before


def test_twins_of_two_seeds_are_one_and_still_named(named: Any) -> None:
    before = named.search("open").evidence
    named.seed(SEED + TWIN)
    report = named.run()
    assert report.chunks["rewritten"] == 0
    assert named.search("open").evidence == before
    assert named.show(SAME)["entity_id"] == GATE


def test_a_damaged_log_stops_a_run_before_anything_is_written(named: Any) -> None:
    from ingest.errors import SettingsInvalid

    before = published(named)
    log_of(named).write_text("{}\n")
    with pytest.raises(SettingsInvalid, match="line 1 is no judgement"):
        named.run()
    assert published(named) == before


def test_nobody_is_told_what_a_hidden_id_means_by_any_command(named: Any) -> None:
    """Who sees nothing of the id that was merged must not learn from it that the other one is the same."""
    from flows.exporting import Wanted, export
    from flows.listing import told
    from ingest.errors import NotFound
    from ingest.model.access import Principal

    (named.docs / "b.md").write_text("---\nlevel: restricted\n---\n# B\n\n云脉网关 opens the door.\n", encoding="utf-8")
    decide(named, "merge", GATE, NODE)
    named.run()
    cleared = Principal(level=max(named.settings.sources.levels.index("restricted"), 0))
    anybody = Principal()
    assert told(named.settings, GATE, anybody)["entity_id"] == GATE
    assert told(named.settings, NODE, cleared)["entity_id"] == GATE
    assert b"".join(export(named.settings, Wanted(who=cleared, entity=NODE)))
    with pytest.raises(NotFound):
        named.show(NODE)
    with pytest.raises(NotFound):
        told(named.settings, NODE, anybody)
    with pytest.raises(NotFound):
        list(export(named.settings, Wanted(who=anybody, entity=NODE)))
