"""A changed setting re-does what it shapes, and only that."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import EngineUnavailable
from ingest.model.access import Principal

SEED = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: %s, kind: preferred}]}
"""


@pytest.fixture
def filled(base: Any) -> Any:
    base.set("chunk", parent_min=60, parent_max=120, child_min=20, child_max=60)
    sentences = "".join(f"第{n}条规定值班人员每天检查机房。Operators inspect room {n} every day. " for n in range(20))
    base.write("rules.md", f"---\nlevel: internal\n---\n# Rules\n\n{sentences}\n")
    base.write("open.md", "# Open\n\nThe YunGate node is open to everybody.\n")
    base.run()
    return base


def reused(report: Any) -> set[str]:
    return {kind for kind, build in report.builds.items() if build["reused"]}


def test_chunk_size_makes_chunks_anew_and_embeds_only_new_texts(filled: Any) -> None:
    before = set(filled.chunks())
    filled.set("chunk", child_max=120)
    assert filled.check().status == "stale"
    report = filled.run()
    assert (report.published, report.sources["changed"]) == (True, 2)
    after = set(filled.chunks())
    assert after != before and set(filled.chunks("open.md")) <= before
    assert report.embedded == report.chunks["added"] == len(after - before)
    assert filled.check().status == "fresh"


def test_chunk_size_set_back_gives_the_same_snapshot_and_embeds_nothing(filled: Any) -> None:
    first = filled.search("rooms").snapshot
    filled.set("chunk", child_max=120)
    filled.run()
    filled.set("chunk", child_max=60)
    report = filled.run()
    assert (report.snapshot, report.embedded) == (first, 0)
    assert reused(report) == {"vector", "bm25", "graph"}, "the builds of generation 1 are still there"


def test_names_of_levels_reread_metadata_and_embed_nothing(filled: Any) -> None:
    assert filled.found("inspect", who=Principal(level=1)) == ["rules.md"]
    filled.set("sources", levels=("public", "staff", "internal"))
    report = filled.run()
    assert (report.published, report.embedded) == (True, 0)
    assert filled.found("inspect", who=Principal(level=1)) == []
    assert filled.found("inspect", who=Principal(level=2)) == ["rules.md"]


def test_level_that_has_lost_its_name_withdraws_its_documents(filled: Any) -> None:
    filled.set("sources", levels=("public", "staff"))
    report = filled.run()
    assert [(failure.uri, failure.error) for failure in report.failures] == [("docs/rules.md", "MetadataInvalid")]
    assert filled.found("inspect", who=Principal(level=9)) == []


def test_bm25_formula_publishes_without_writing_a_row(filled: Any) -> None:
    lucene = filled.search("operators inspect", who=Principal(level=1))
    filled.set("bm25", formula="okapi")
    assert filled.check().settings == ("bm25.formula changed from lucene to okapi",)
    report = filled.run()
    assert (report.published, report.embedded, report.chunks["added"], report.chunks["rewritten"]) == (True, 0, 0, 0)
    assert reused(report) == {"vector", "bm25", "graph"}
    okapi = filled.search("operators inspect", who=Principal(level=1))
    assert okapi.snapshot != lucene.snapshot
    assert filled.check().status == "fresh"


def test_seed_refreshes_mentions_and_embeds_nothing(filled: Any) -> None:
    filled.seed(SEED % "YunGate")
    assert "the registry's seeds changed" in filled.check().settings
    report = filled.run()
    assert (report.published, report.embedded, report.chunks["rewritten"]) == (True, 0, 1)
    (chunk,) = filled.chunks("open.md")
    assert filled.show(chunk)["entity_ids"] == ["urn:kb:entity:gate"]
    assert filled.show("urn:kb:entity:gate")["mentioned_in"] == [chunk]
    filled.seed(SEED % "SkyGate")
    filled.run()
    assert filled.show(chunk)["entity_ids"] == []


def test_where_a_seed_lies_and_how_it_is_ordered_does_not_matter(filled: Any) -> None:
    filled.seed(SEED % "YunGate")
    filled.run()
    filled.seed("# moved\n" + SEED % "'YunGate'", "moved.yaml")
    assert filled.check().status == "fresh"
    assert filled.run().published is False


@pytest.mark.parametrize(
    ("part", "values"),
    [("search", {"candidates": 7}), ("execute", {"workers": 3}), ("generations", {"keep": 5}), ("embed", {"batch": 3}),
     ("sources", {"max_bytes": 10**6}), ("parse", {"timeout_seconds": 17.0})],
)
def test_settings_that_shape_nothing_redo_nothing(filled: Any, part: str, values: dict[str, Any]) -> None:
    filled.set(part, **values)
    assert filled.check().status == "fresh"
    assert filled.run().published is False


def test_other_dimensions_embed_everything_once(filled: Any) -> None:
    filled.set("embed", engine="hash", dimensions=64)
    report = filled.run()
    assert report.embedded == len(filled.chunks())
    assert reused(report) == {"bm25", "graph"}
    assert filled.verify() == []
    assert filled.found("node", mode="vector") == ["open.md"]


def test_older_generation_is_asked_in_the_vectors_it_was_made_with(filled: Any) -> None:
    filled.set("embed", engine="hash", dimensions=64)
    filled.run()
    with pytest.raises(EngineUnavailable, match="--re-engine") as raised:
        filled.found("node", 1, mode="vector")
    assert raised.value.exit_code == 6
    assert filled.found("node", 1) == ["open.md"]
    filled.set("embed", engine="hash", dimensions=0)
    assert filled.found("node", 1, mode="vector") == ["open.md"]


def test_auto_keeps_the_engine_that_was_recorded(filled: Any) -> None:
    filled.set("embed", engine="auto")
    assert filled.check().status == "fresh"
    report = filled.run()
    assert (report.published, report.embedded) == (False, 0)


def test_engine_that_is_not_here_is_could_not_tell_and_refuses(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.set("embed", engine="auto")
    monkeypatch.setattr("ingest.embed.hash.fingerprint", lambda dimensions: "hash of another version")
    check = filled.check()
    assert (check.status, check.exit_code) == ("unknown", 6)
    with pytest.raises(EngineUnavailable, match="--re-engine") as raised:
        filled.run()
    assert raised.value.exit_code == 6
    assert filled.head() == 1


def test_other_engine_is_accepted_by_name_only(filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.embed import engine

    here = filled.settings.embed.model_copy(update={"dimensions": 64})
    monkeypatch.setattr("flows.pipeline.choose", lambda part: engine.choose(here))
    filled.set("embed", engine="auto")
    with pytest.raises(EngineUnavailable):
        filled.run()
    report = filled.run(re_engine=True)
    assert report.embedded == len(filled.chunks())
    assert reused(report) == {"bm25", "graph"}
    assert filled.run().published is False, "it is what is recorded now"


def test_answers_are_scored_as_published_whatever_the_settings_of_the_asker(base: Any) -> None:
    base.set("bm25", formula="okapi", k1=0.9)
    base.write("a.md", "# A\n\nThe quokka sleeps beside another quokka and a badger.\n")
    base.write("b.md", "# B\n\nThe quokka eats.\n")
    base.write("c.md", "# C\n\nNothing of that kind stands here.\n")
    base.run()
    published = [(item.uri, item.scores) for item in base.search("quokka badger").evidence]
    base.set("bm25", formula="lucene", k1=2.0)
    assert [(item.uri, item.scores) for item in base.search("quokka badger").evidence] == published
    base.run()
    assert [(item.uri, item.scores) for item in base.search("quokka badger").evidence] != published
