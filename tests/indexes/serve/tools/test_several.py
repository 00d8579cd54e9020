"""Several knowledge bases in one server: one list of the best, one that fails fails alone, and nobody gets another's."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import NotFound, NotGranted, UsageError
from ingest.model.evidence import Scores
from ingest.protocols import Hit

TEXTS = {
    "kitchen": {"a.md": "# Bread\n\nKnead the dough for ten minutes. Bake it hot.\n", "same.md": "# Same\n\nIn both.\n"},
    "garden": {"b.md": "# Roses\n\nCut the roses in March. Water them in the evening.\n", "same.md": "# Same\n\nIn both.\n"},
    "law": {"c.md": "# 合同\n\n合同应当采用书面形式，双方各执一份。\n"},
    "pumps": {
        f"{watts}.md": f"---\ndocument: pump\n---\n# Pump\n\nThe pump of the garden draws {watts} watts.\n"
        for watts in (650, 720)
    },
}


@pytest.fixture
def several(tmp_path: Any, new_base: Callable[..., Any], audit: Any, ask: Any) -> Iterator[Any]:
    """Three bases for one caller, who was given two of them; `made(...)` has all."""
    from flows.serving import bases_of
    from indexes.serve.callers import Caller
    from indexes.serve.operations import Operations
    from indexes.serve.session import alone
    from ingest.model.access import Principal
    from ingest.settings import Settings

    named = {}
    for kb_id, texts in TEXTS.items():
        base = new_base(kb_id)
        for path, text in texts.items():
            base.write(path, text)
        base.run()
        named[kb_id] = {"kb": str(base.kb), "title": kb_id.title()}
    several = Settings.model_validate({"base": str(tmp_path), "embed": {"engine": "hash"}, "serve": {"bases": named}})
    bases = bases_of(several)

    def asking(*kb_ids: str) -> Any:
        caller = Caller("me", Principal(), kb_ids)
        return type(ask)(Operations(bases, audit), caller, alone(several.serve))

    asking.folder = tmp_path  # type: ignore[attr-defined]
    yield asking
    bases.close()


def test_results_of_all_bases_are_one_list_with_one_numbering(several: Any) -> None:
    answer = several("kitchen", "garden", "law")("knowledge_search", query="when are roses cut, and how is bread baked?")
    assert {each["kb_id"] for each in answer["results"]} >= {"kitchen", "garden"}
    assert [each["citation"] for each in answer["results"]] == [f"K{number}" for number in range(1, len(answer["results"]) + 1)]
    scores = [each["rank_score"] for each in answer["results"]]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    assert [each["kb_id"] for each in answer["answered_by"]] == ["kitchen", "garden", "law"]
    assert len(several("kitchen", "garden", "law")("knowledge_search", query="roses bread", top_k=2)["results"]) == 2


def test_a_citation_of_a_merged_pack_opens_in_its_own_base(several: Any) -> None:
    ask = several("kitchen", "garden")
    for each in ask("keyword_search", query="roses bread dough")["results"]:
        (quoted,) = ask("evidence_get", citation=each["citation"])["results"]
        assert (quoted["kb_id"], quoted["text"]) == (each["kb_id"], each["text"])


def test_a_conflict_is_told_by_citations_of_the_one_list_and_only_where_its_evidence_is_in_it(several: Any) -> None:
    ask = several("garden", "pumps")
    answer = ask("knowledge_search", query="Cut the roses in March. Watts of the pump?")
    (conflict,) = answer["conflicts"]
    uris = {each["citation"]: each["uri"] for each in answer["results"] if each["kb_id"] == "pumps"}
    assert set(conflict["citations"]) == set(uris) and "K1" not in uris
    assert sorted(uris.values()) == ["docs/650.md", "docs/720.md"]
    said = conflict["message"]
    assert "'650 watts' [docs/650.md]" in said and "'720 watts' [docs/720.md]" in said and "K" not in said
    few = ask("knowledge_search", query="Cut the roses in March. Watts of the pump?", top_k=1)
    assert few["conflicts"] == [] and few["results"][0]["kb_id"] == "garden"


def test_a_relation_that_one_base_alone_has_is_followed_there(new_base: Callable[..., Any], audit: Any, ask: Any) -> None:
    from indexes.serve.bases import Bases, Served
    from indexes.serve.callers import Caller
    from indexes.serve.operations import Operations
    from indexes.serve.session import alone
    from ingest.model.access import Principal

    base, other = new_base("relations"), new_base("other")
    other.run()
    (base.folder / "own.toml").write_text('[certifies]\ndomain = ["organization"]\nrange = ["product"]\n', encoding="utf-8")
    base.set("entities", vocabulary=("own.toml",))
    base.seed("""
entities:
  - {id: "urn:kb:entity:body", type: organization, names: [{text: Heron Board, kind: preferred}]}
  - {id: "urn:kb:entity:gate", type: product, names: [{text: Heron Gate, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:body", relation: certifies, object: "urn:kb:entity:gate", evidence: a.md}
""")
    base.write("a.md", "# Certificate\n\nThe Heron Board certifies the Heron Gate.\n")
    base.run()
    bases = Bases([Served(id, id, each.settings, lambda _: None) for id, each in (("other", other), ("own", base))])  # type: ignore
    one = type(ask)(Operations(bases, audit), Caller("me", Principal(), bases.kb_ids), alone(base.settings.serve))
    (step,) = one("graph_neighbors", ids=["urn:kb:entity:gate"], relations=["certifies", "makes"])["results"]
    assert (step["kb_id"], step["reached"]) == ("own", "urn:kb:entity:body")
    with pytest.raises(UsageError, match="no relation is called eats"):
        one("graph_neighbors", ids=["urn:kb:entity:gate"], relations=["certifies", "eats"])
    bases.close()


def test_kb_ids_narrow_and_never_widen(several: Any) -> None:
    ask = several("kitchen", "garden")
    assert {each["kb_id"] for each in ask("keyword_search", query="roses dough", kb_ids=["garden"])["results"]} == {"garden"}
    assert [each["kb_id"] for each in ask("knowledge_list")["results"]] == ["kitchen", "garden"]
    for operation, arguments in (
        ("keyword_search", {"query": "合同"}), ("document_find", {"title": "合同"}), ("knowledge_list", {}),
    ):
        with pytest.raises(NotGranted) as others:
            ask(operation, **arguments, kb_ids=["law"])
        with pytest.raises(NotGranted) as nobodys:
            ask(operation, **arguments, kb_ids=["none"])
        assert str(others.value).replace("law", "none") == str(nobodys.value)
        with pytest.raises(NotGranted):
            ask(operation, **arguments, kb_ids=["kitchen", "law"])
    with pytest.raises(NotFound):
        ask("document_open", id="docs/c.md")


def test_a_citation_is_looked_up_in_the_bases_that_are_meant(several: Any) -> None:
    ask = several("kitchen", "garden")
    assert ask("keyword_search", query="roses", kb_ids=["garden"])["results"]
    for operation, arguments in (("evidence_get", {"citation": "K1"}), ("document_open", {"id": "K1"})):
        assert ask(operation, **arguments, kb_ids=["garden", "kitchen"])["results"]
        with pytest.raises(NotFound, match="nothing that is called 'K1'"):
            ask(operation, **arguments, kb_ids=["kitchen"])


def test_what_several_bases_have_is_a_question(several: Any) -> None:
    ask = several("kitchen", "garden")
    with pytest.raises(UsageError, match="kitchen, garden"):
        ask("document_open", id="docs/same.md")
    assert ask("document_open", id="docs/same.md", kb_ids=["garden"])["results"][0]["document"]["kb_id"] == "garden"


def test_a_base_that_fails_fails_alone_and_says_nothing_of_itself(several: Any) -> None:
    shutil.rmtree(several.folder / "garden" / "kb")
    ask = several("kitchen", "garden")
    answer = ask("knowledge_search", query="how is bread baked?")
    assert answer["status"] == "ok" and {each["kb_id"] for each in answer["results"]} == {"kitchen"}
    (failed,) = answer["failed_kbs"]
    assert failed["kb_id"] == "garden" and str(several.folder) not in failed["error"] and "catalog" not in failed["error"]
    alone = ask("knowledge_search", query="roses", kb_ids=["garden"])
    assert (alone["status"], alone["results"], len(alone["failed_kbs"])) == ("failed", [], 1)
    for operation, arguments in (
        ("document_open", {"id": "docs/nothing.md"}), ("entity_get", {"entity_id": "x"}), ("graph_neighbors", {"ids": ["x"]}),
    ):
        opened = ask(operation, **arguments)  # it cannot be said that there is no such thing
        assert opened["results"] == [] and opened["failed_kbs"][0]["kb_id"] == "garden"


def test_a_code_that_one_base_lacks_is_asked_about_only_where_no_other_answers() -> None:
    from indexes.serve.tools.searching import _asked_back

    lacks: Any = ("a", SimpleNamespace(status="insufficient_evidence", clarification={"reason": "unknown_code"}))
    unsure: Any = ("b", SimpleNamespace(status="ok", clarification={"reason": "ambiguous_name"}))
    answers: Any = ("c", SimpleNamespace(status="ok", clarification=None))
    assert [each.kb_id for each in _asked_back([lacks])] == ["a"]
    assert [each.kb_id for each in _asked_back([lacks, unsure, answers])] == ["b"]


def merged_by_cosines(most: int, *bases: tuple[str, Any, dict[str, dict[str, float]]], own: str | None = None) -> list[str]:
    """The rows of some bases as merged: of each its model, its pack, and by language its rows with their cosines."""
    from indexes.query.fuse import Nearest
    from indexes.serve.tools.merging import merged

    near = {
        f"kb{number}": Nearest({
            language: sorted((Hit(chunk, cosine) for chunk, cosine in rows.items()), key=lambda hit: -hit.score)
            for language, rows in lists.items()
        }, own, 3, model)
        for number, (model, _, lists) in enumerate(bases)
    }
    packs: list[Any] = [(f"kb{number}", pack) for number, (_, pack, _) in enumerate(bases)]
    return [each.item.chunk_id for each in merged(packs, most, None, near)]


def pack_of(match: float, **rows: Scores) -> Any:
    """A pack whose best row says `match` of the question."""
    return SimpleNamespace(trace={"bm25_weight": 0.5, "bm25_match": match}, evidence=tuple(
        SimpleNamespace(chunk_id=chunk, scores=scores, text="a b c", context="") for chunk, scores in rows.items()
    ))


def test_a_row_that_its_sentences_lifted_is_lifted_among_those_of_other_bases() -> None:
    one = pack_of(0.1, a=Scores(0.80, sentence=0.1), b=Scores(0.79, sentence=0.1))
    other = pack_of(0.1, c=Scores(0.79, sentence=0.9), d=Scores(0.80, sentence=0.1))
    lists = ({"en": {"a": 0.80, "b": 0.79}}, {"en": {"c": 0.79, "d": 0.80}})
    assert merged_by_cosines(4, ("m", one, lists[0]), ("m", other, lists[1]))[0] == "c"


CHINESE = {"zh": {"a": 0.86, "b": 0.85, "c": 0.84}}
ENGLISH = {"en": {"d": 0.84, "e": 0.78, "f": 0.77}}


def of_cosines(match: float, lists: dict[str, dict[str, float]]) -> Any:
    return pack_of(match, **{chunk: Scores(cosine) for rows in lists.values() for chunk, cosine in rows.items()})


def test_languages_of_several_bases_are_brought_to_one_level_as_in_one() -> None:
    from indexes.query.fuse import fuse
    from ingest.protocols import Ranked

    for own in (None, "zh", "en"):
        found = merged_by_cosines(6, ("m", of_cosines(0.0, CHINESE), CHINESE), ("m", of_cosines(0.0, ENGLISH), ENGLISH), own=own)
        both = {lang: [Hit(*each) for each in rows.items()] for lang, rows in {**CHINESE, **ENGLISH}.items()}
        assert found == [hit.chunk_id for hit in fuse(both, Ranked([]), 0.5, 3, own=own)]
        assert found[0] == ("a" if own == "en" else "d")


def test_where_a_base_says_what_is_asked_no_language_is_raised() -> None:
    well = {"": ENGLISH["en"]}
    found = merged_by_cosines(6, ("m", of_cosines(0.0, CHINESE), CHINESE), ("m", of_cosines(0.6, well), well), own="zh")
    assert "".join(found) in ("abcdef", "abdcef")


def test_cosines_of_two_models_are_not_held_against_one_another() -> None:
    low = {"zh": {chunk: cosine - 0.5 for chunk, cosine in CHINESE["zh"].items()}}
    found = [
        merged_by_cosines(6, ("m", of_cosines(0.0, lists), lists), ("n", of_cosines(0.0, ENGLISH), ENGLISH), own="zh")
        for lists in (CHINESE, low)
    ]
    assert found[0] == found[1] and found[0][0] == "d"


def test_a_base_without_vectors_has_the_place_that_its_words_give_it() -> None:
    words = pack_of(0.9, x=Scores(bm25=1.0), y=Scores(bm25=0.01))
    found = merged_by_cosines(8, ("m", of_cosines(0.0, CHINESE), CHINESE), ("m", words, {}))
    assert "".join(found) == "xabyc"


PACK = st.tuples(st.none() | st.integers(0, 10), st.lists(st.integers(-5, 30), max_size=6))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PACK, min_size=1, max_size=4), st.integers(1, 12))
def test_merging_keeps_the_order_of_each_base_and_the_bounds(drawn: list[tuple[int | None, list[int]]], most: int) -> None:
    from indexes.query.fuse import Nearest
    from indexes.serve.tools.merging import merged

    packs: list[Any] = [
        (f"kb{number}", SimpleNamespace(
            trace={} if tenths is None else {"bm25_weight": tenths / 10, "bm25_match": 0.5},
            evidence=tuple(
                SimpleNamespace(
                    scores=Scores(score / 30 if score % 3 else None, score / 30 if score > 0 else None), text="a b c", context="",
                    place=place, chunk_id=str(place),
                )
                for place, score in enumerate(scores)
            ),
        ))
        for number, (tenths, scores) in enumerate(drawn)
    ]
    near = {
        kb_id: Nearest({"en" if number % 2 else "zh": sorted(
            (Hit(item.chunk_id, item.scores.vector) for item in pack.evidence if item.scores.vector is not None),
            key=lambda hit: -hit.score,
        )}, "zh", 4)
        for number, (kb_id, pack) in enumerate(packs)
    }
    chosen = merged(packs, most, None, near)
    assert len(chosen) == min(most, sum(len(scores) for _, scores in drawn))
    assert [each.citation for each in chosen] == [f"K{number}" for number in range(1, len(chosen) + 1)]
    for kb_id, _ in packs:
        places: list[Any] = [each.item for each in chosen if each.kb_id == kb_id]
        assert [item.place for item in places] == list(range(len(places)))
    assert all(0 <= each.score <= 1 for each in chosen)
