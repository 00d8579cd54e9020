"""Who sees what: in search and in show, for every kind of thing, in the head and in older generations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import NotFound
from ingest.model.access import Principal
from ingest.model.source import source_id

NOBODY = Principal()
DOCUMENTS = {
    "open.md": "",
    "users.md": "allowed_users: [lin, 王芳]\n",
    "roles.md": "allowed_roles: [sales]\n",
    "either.md": "allowed_users: [lin]\nallowed_roles: [sales]\n",
    "tenant.md": "tenant: larkfield\n",
    "level.md": "level: confidential\n",
    "all.md": "tenant: larkfield\nlevel: internal\nallowed_roles: [sales]\n",
    "nobody.md": "allowed_users: []\n",
    "everybody.md": "allowed_users: ['*']\n",
}
PRINCIPALS = {
    "nobody": (NOBODY, {"open", "everybody"}),
    "lin": (Principal("lin"), {"open", "everybody", "users", "either"}),
    "王芳": (Principal("王芳"), {"open", "everybody", "users"}),
    "Lin": (Principal("Lin"), {"open", "everybody"}),
    "a user called sales": (Principal("sales"), {"open", "everybody"}),
    "sales": (Principal(roles=("sales", "it")), {"open", "everybody", "roles", "either"}),
    "larkfield": (Principal(tenant="larkfield"), {"open", "everybody", "tenant"}),
    "other tenant": (Principal("lin", ("sales",), "yanxi", 9), {"open", "everybody", "users", "roles", "either", "level"}),
    "cleared": (Principal(level=2), {"open", "everybody", "level"}),
    "less cleared": (Principal(level=1), {"open", "everybody"}),
    "all of it": (Principal("x", ("sales",), "larkfield", 1), {"open", "everybody", "roles", "either", "tenant", "all"}),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Any:
    base = make_base(tmp_path_factory.mktemp("guarded"))
    for path, rule in DOCUMENTS.items():
        base.write(path, f"---\ntitle: Paper\n{rule}---\n# Paper\n\nThe QUOKKA paper called {path}.\n")
    base.run()
    return base


@pytest.mark.parametrize("name", PRINCIPALS)
def test_search_and_show_follow_the_rule(guarded: Any, name: str) -> None:
    who, expected = PRINCIPALS[name]
    paths = sorted(f"{stem}.md" for stem in expected)
    for mode in ("bm25", "vector", "hybrid"):
        assert guarded.found("QUOKKA paper", who=who, mode=mode, top_k=100) == paths
    for path in DOCUMENTS:
        (chunk,) = guarded.chunks(path)
        ids = [f"docs/{path}", source_id("docs", path), chunk]
        if path in paths:
            shown = [guarded.show(id, who=who) for id in ids]
            assert [one["kind"] for one in shown] == ["document", "document", "chunk"]
            assert guarded.show(shown[2]["parent_id"], who=who)["kind"] == "parent"
            continue
        parent = guarded.parent_of(chunk)
        for id in (*ids, parent):
            with pytest.raises(NotFound) as hidden:
                guarded.show(id, who=who)
            with pytest.raises(NotFound) as absent:
                guarded.show("urn:kb:chunk:none", who=who)
            assert str(hidden.value).replace(id, "X") == str(absent.value).replace("urn:kb:chunk:none", "X")


SEED = """
entities:
  - {id: "urn:kb:entity:norrvik", type: organization, names: [
      {text: Norrvik, kind: preferred}, {text: Project Saltmarsh, kind: alternate, source: terms.md}]}
  - {id: "urn:kb:entity:yunmai", type: organization, names: [{text: 云脉, kind: preferred}]}
  - {id: "urn:kb:entity:hx", type: product, names: [{text: HX-200, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:norrvik", relation: supplies, object: "urn:kb:entity:yunmai", evidence: terms.md}
  - {subject: "urn:kb:entity:norrvik", relation: makes, object: "urn:kb:entity:hx"}
  - {subject: "urn:kb:entity:norrvik", relation: locatedIn, value: Göteborg, evidence: docs/terms.md}
  - {subject: "urn:kb:entity:norrvik", relation: rating, value: A, evidence: never-there.md}
"""


@pytest.fixture
def entities(base: Any) -> Any:
    base.seed(SEED)
    base.write("open.md", "# Partners\n\nNorrvik and 云脉 are partners.\n")
    base.write("terms.md", "---\nallowed_users: [lin]\n---\n# Terms\n\nNorrvik sells the HX-200 to 云脉.\n")
    base.run()
    return base


def assertions(base: Any) -> dict[str, str]:
    from ingest.model.entity import Assertion

    with base.catalog() as catalog:
        return {fact.noun(Assertion).relation: fact.id for fact in catalog.facts("assertions", catalog.head())}


def shows(base: Any, id: str, who: Principal) -> bool:
    try:
        base.show(id, who=who)
    except NotFound:
        return False
    return True


def test_entities_show_only_through_chunks_that_mention_them(entities: Any) -> None:
    assert shows(entities, "urn:kb:entity:norrvik", NOBODY)
    assert not shows(entities, "urn:kb:entity:hx", NOBODY)
    assert shows(entities, "urn:kb:entity:hx", Principal("lin"))
    open_chunk, closed_chunk = entities.chunks("open.md"), entities.chunks("terms.md")
    assert entities.show("urn:kb:entity:norrvik")["mentioned_in"] == open_chunk
    both = entities.show("urn:kb:entity:norrvik", who=Principal("lin"))["mentioned_in"]
    assert both == sorted(open_chunk + closed_chunk)


def test_names_show_only_through_their_source(entities: Any) -> None:
    def names(who: Principal) -> set[str]:
        return {name["text"] for name in entities.show("urn:kb:entity:norrvik", who=who)["names"]}

    assert names(NOBODY) == {"Norrvik"}
    assert names(Principal("lin")) == {"Norrvik", "Project Saltmarsh"}


def test_assertions_show_only_through_their_evidence_and_both_ends(entities: Any) -> None:
    ids = assertions(entities)
    assert {relation for relation, id in ids.items() if shows(entities, id, NOBODY)} == set()
    assert {relation for relation, id in ids.items() if shows(entities, id, Principal("lin"))} == {
        "supplies", "makes", "locatedIn"
    }


def test_assertions_lead_nowhere_for_who_sees_one_end_only(entities: Any) -> None:
    def steps(who: Principal) -> int:
        return int(entities.search("What does Norrvik make?", mode="hybrid", expand=True, who=who).trace["steps"])

    assert (steps(NOBODY), steps(Principal("lin"))) == (0, 2)


def test_withdrawn_evidence_hides_what_it_proved(entities: Any) -> None:
    supplies = assertions(entities)["supplies"]
    entities.write("terms.md", "---\nallowed_usrs: [lin]\n---\n# Terms\n\nNorrvik sells the HX-200 to 云脉.\n")
    entities.run()
    assert not shows(entities, supplies, Principal("lin"))
    assert not shows(entities, "urn:kb:entity:hx", Principal("lin"))
    assert entities.verify() == []


# Older generations, under the rules of the head


def secret(rule: str, text: str = "The QUOKKA plan.") -> str:
    return f"---\ntitle: Plan\n{rule}---\n# Plan\n\n{text}\n"


@pytest.fixture
def history(base: Any) -> Any:
    """Generation 1 holds an open plan that mentions an entity."""
    base.seed('entities:\n  - {id: "urn:kb:entity:hx", type: product, names: [{text: HX-200, kind: preferred}]}\n')
    base.write("plan.md", secret("", "The QUOKKA plan for the HX-200."))
    base.write("other.md", "# Other\n\nUnrelated.\n")
    base.run()
    return base


def all_of(base: Any) -> list[str]:
    (chunk,) = base.chunks("plan.md", 1)
    return ["docs/plan.md", chunk, base.parent_of(chunk, 1), "urn:kb:entity:hx"]


def hidden_in_the_first(base: Any, ids: list[str], who: Principal = NOBODY) -> bool:
    assert not base.found("QUOKKA", 1, who=who)
    assert "plan.md" not in base.found("QUOKKA", 1, who=who, mode="hybrid")
    for id in ids:
        with pytest.raises(NotFound):
            base.show(id, 1, who=who)
    return True


def test_tightened_access_holds_in_older_generations(history: Any) -> None:
    ids = all_of(history)
    assert history.found("QUOKKA", 1) == ["plan.md"]
    history.write("plan.md", secret("allowed_users: [lin]\n", "The new plan."))
    history.run()
    assert hidden_in_the_first(history, ids)
    assert history.found("QUOKKA", 1, who=Principal("lin")) == ["plan.md"]
    assert [history.show(id, 1, who=Principal("lin"))["kind"] for id in ids] == ["document", "chunk", "parent", "entity"]


def test_loosened_access_holds_in_older_generations_too(base: Any) -> None:
    base.write("plan.md", secret("allowed_users: [lin]\n"))
    base.run()
    base.write("plan.md", secret(""))
    base.run()
    assert base.found("QUOKKA", 1) == ["plan.md"]


def test_withdrawn_document_is_hidden_in_older_generations(history: Any) -> None:
    ids = all_of(history)
    history.write("plan.md", secret("alowed_users: [lin]\n"))
    assert history.run().failures[0].error == "MetadataInvalid"
    assert hidden_in_the_first(history, ids)
    assert hidden_in_the_first(history, ids, Principal("lin", level=9))


def test_deleted_document_keeps_its_last_rules_in_older_generations(history: Any) -> None:
    ids = all_of(history)
    history.set("generations", keep=9)
    history.delete("plan.md")
    history.run()
    assert history.found("QUOKKA") == []
    assert history.found("QUOKKA", 1) == ["plan.md"], "history stays readable to those who could read it"
    history.write("plan.md", secret("allowed_users: [lin]\n"))
    history.run()
    history.delete("plan.md")
    history.run()
    assert history.generations() == [4, 3, 2, 1]
    assert hidden_in_the_first(history, ids)
    assert history.found("QUOKKA", 1, who=Principal("lin")) == ["plan.md"]


def test_sources_that_a_request_names_do_not_widen_an_older_generation(history: Any) -> None:
    history.write("plan.md", secret("allowed_users: [lin]\n"))
    history.run()
    assert history.found("QUOKKA", 1, sources=(source_id("docs", "plan.md"),)) == []


def test_reader_that_has_an_old_generation_open_follows_the_new_rules(history: Any) -> None:
    from flows.opening import reading
    from indexes.query.evidence import search
    from indexes.query.request import Request

    request = Request("QUOKKA", "bm25")
    with reading(history.settings) as snapshot:
        assert len(search(snapshot, None, request, history.settings.search).evidence) == 1
        history.write("plan.md", secret("allowed_users: [lin]\n"))
        history.run()
        pack = search(snapshot, None, request, history.settings.search)
        assert (pack.generation, pack.evidence) == (1, ())


def test_page_that_tries_to_restrict_itself_in_a_meta_tag_is_withdrawn(base: Any) -> None:
    page = "<html><head>{}<title>Plan</title></head><body><p>The QUOKKA plan stands here, in a sentence.</p></body></html>"
    base.write("open.html", page.format('<meta name="valid_from" content="2025-03-01">'))
    base.write("closed.html", page.format('<meta name="allowed-users" content="lin">'))
    (failure,) = base.run().failures
    assert (failure.uri, failure.error, failure.serving) == ("docs/closed.html", "MetadataInvalid", False)
    assert base.found("QUOKKA") == ["open.html"]
    assert base.found("QUOKKA", as_of="2025-02-01T00:00:00Z") == []
