"""entity_resolve, entity_get, graph_neighbors, conflicts_list: what shows, why, and never a guess."""

from __future__ import annotations

from typing import Any

import pytest

from indexes.serve.tools import resolving
from ingest.errors import NotFound, UsageError

SRE = {"roles": ("sre",)}


def test_a_name_gives_its_entity_and_says_why(ask: Any) -> None:
    for name, how in (("云脉网关", "name"), ("YUNMAI  gateway", "name"), ("云脈網關", "spelling")):
        answer = ask("entity_resolve", name=name)
        assert (answer["outcome"], [each["entity_id"] for each in answer["results"]]) == ("one", ["urn:kb:entity:gate"])
        assert answer["results"][0]["how"] == how and answer["results"][0]["why"]


def test_a_name_of_several_is_a_question(ask: Any) -> None:
    answer = ask("entity_resolve", name="apollo")
    assert answer["outcome"] == "several" and "ask which is meant" in answer["advice"]
    assert {each["entity_id"] for each in answer["results"]} == {"urn:kb:entity:apollo-a", "urn:kb:entity:apollo-b"}
    one = ask("entity_resolve", name="apollo", type="system")
    assert [each["entity_id"] for each in one["results"]] == ["urn:kb:entity:apollo-b"]


def test_what_is_only_similar_is_never_one(ask: Any) -> None:
    answer = ask("entity_resolve", name="Apollo Cachee")
    assert answer["outcome"] == "like" and answer["results"][0]["how"] == "like"
    assert ask("entity_resolve", name="Quixotic Llama")["outcome"] == "none"


def test_a_hidden_entity_and_a_hidden_alias_are_nobody(ask: Any) -> None:
    for name in ("Blackthorn Vault", "Blackthorn Valut", "Zebra Door"):
        answer = ask("entity_resolve", name=name)
        assert (answer["outcome"], answer["results"]) == ("none", []), name
    assert ask.also(**SRE)("entity_resolve", name="Blackthorn Vault")["outcome"] == "one"
    with pytest.raises(NotFound) as hidden:
        ask("entity_get", entity_id="urn:kb:entity:vault")
    with pytest.raises(NotFound) as nothing:
        ask("entity_get", entity_id="urn:kb:entity:none!")
    assert str(hidden.value).replace("vault", "none!") == str(nothing.value)


def test_a_hidden_name_takes_no_place_of_a_similar_one_that_shows(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolving, "_LIKE_READ", 1)
    asked = "Blackthorn Cache"
    (hidden,) = ask.also(**SRE)("entity_resolve", name=asked)["results"]
    assert hidden["label"] == "Blackthorn Vault"
    (shown,) = ask("entity_resolve", name=asked)["results"]
    assert shown["label"].startswith("Apollo")


def test_an_entity_tells_what_shows_of_it(ask: Any) -> None:
    (gate,) = ask("entity_get", entity_id="urn:kb:entity:gate")["results"]
    assert gate["label"] == "云脉网关" and gate["mentioned_in"]
    assert [(each["relation"], each["value"]) for each in gate["said"]] == [("softwareVersion", "2.1")]
    assert [(each["relation"], each["subject"]) for each in gate["referred_to_by"]] == [("makes", "urn:kb:entity:maker")]
    (seen,) = ask.also(**SRE)("entity_get", entity_id="urn:kb:entity:gate")["results"]
    assert {each["subject"] for each in seen["referred_to_by"]} == {"urn:kb:entity:maker", "urn:kb:entity:vault"}


def test_one_hop_is_bounded_named_and_shows_only_what_shows(ask: Any) -> None:
    answer = ask("graph_neighbors", ids=["urn:kb:entity:gate"])
    assert {(each["relation"], each["reached"], each["reverse"]) for each in answer["results"]} == {
        ("makes", "urn:kb:entity:maker", True)
    }
    assert answer["results"][0]["label"] == "云脉科技有限公司"
    seen = ask.also(**SRE)("graph_neighbors", ids=["urn:kb:entity:gate"])
    assert "urn:kb:entity:vault" in {each["reached"] for each in seen["results"]}
    mentions = ask("graph_neighbors", ids=["urn:kb:entity:gate"], relations=["mentions"], fan_out=2)
    assert len(mentions["results"]) == 2 and all(each["kind"] == "chunk" for each in mentions["results"])
    links = ask("graph_neighbors", ids=["docs/en/limits.md"], relations=["links_to"])
    assert [each["label"] for each in links["results"]] == ["云脉网关手册"]


def test_neighbours_of_what_is_hidden_are_those_of_nothing(ask: Any) -> None:
    for id in ("urn:kb:entity:vault", "docs/restricted/vault.md", "urn:kb:entity:none!", "docs/none.md"):
        with pytest.raises(NotFound, match="you have nothing that is called"):
            ask("graph_neighbors", ids=[id])


@pytest.mark.parametrize("id", ["urn:kb:entity:gate", "urn:kb:entity:vault", "urn:kb:entity:none"])
def test_a_relation_that_there_is_not_is_told_whatever_the_id(ask: Any, id: str) -> None:
    with pytest.raises(UsageError, match=r"no relation is called eats; those that can be followed are: .*makes"):
        ask("graph_neighbors", ids=[id], relations=["eats"])


def test_conflicts_are_those_of_which_both_sides_show(ask: Any) -> None:
    (conflict,) = ask("conflicts_list")["results"]
    assert conflict["kind"] == "versions" and conflict["sources"] == ["docs/zh/手册-草案.md", "docs/zh/手册.md"]
    assert ask("conflicts_list", family="other")["results"] == []
    (found,) = ask("knowledge_search", query="云脉网关手册")["conflicts"]
    assert {**found, "citations": []} == {**conflict, "citations": []}, "a search tells it in the same words"


def test_of_an_entity_that_nobody_knows_it_is_not_said_that_nothing_disagrees(ask: Any) -> None:
    assert ask("conflicts_list", entity="urn:kb:entity:gate")["results"] == []
    for id in ("云脉网关", "urn:kb:entity:none", "urn:kb:entity:vault"):
        with pytest.raises(NotFound, match="you have nothing that is called"):
            ask("conflicts_list", entity=id)


AT_ODDS = """
exclusive: [softwareVersion]
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: Heron Gate, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:gate", relation: softwareVersion, value: "1.0", evidence: a.md}
  - {subject: "urn:kb:entity:gate", relation: softwareVersion, value: "2.0", evidence: b.md}"""
"""Two documents say which one version a product has, and disagree."""


def of_anybody(base: Any, audit: Any, ask: Any) -> tuple[Any, Any]:
    """The bases of a server over another base, and what asks them as nobody in particular."""
    from flows.serving import bases_of
    from indexes.serve.callers import Caller
    from indexes.serve.operations import Operations
    from indexes.serve.session import alone
    from ingest.model.access import Principal

    bases = bases_of(base.settings)
    return bases, type(ask)(Operations(bases, audit), Caller("me", Principal(), bases.kb_ids), alone(base.settings.serve))


def test_contradictions_are_listed_where_both_sides_show(new_base: Any, audit: Any, ask: Any) -> None:
    base = new_base("odd")
    base.seed(AT_ODDS + """
  - {subject: "urn:kb:entity:gate", relation: softwareVersion, value: "3.0", evidence: c.md}
""")
    base.write("a.md", "# A\n\nThe Heron Gate is here.\n")
    base.write("b.md", "# B\n\nThe Heron Gate is there.\n")
    base.write("c.md", "---\nallowed_roles: [sre]\n---\n# C\n\nThe Heron Gate is nowhere.\n")
    base.run()
    bases, anybody = of_anybody(base, audit, ask)
    (conflict,) = anybody("conflicts_list")["results"]
    assert conflict["kind"] == "assertions" and "3.0" not in str(anybody("conflicts_list"))
    assert conflict["message"] == "Heron Gate softwareVersion: 1.0 and 2.0 hold at the same time"
    (found,) = anybody("knowledge_search", query="Heron Gate")["conflicts"]
    assert {**found, "citations": []} == {**conflict, "citations": []}, "a search tells it in the same words"
    assert "Heron Gate softwareVersion" in anybody("conflicts_list", entity="urn:kb:entity:gate")["results"][0]["message"]
    assert conflict["sources"] == ["docs/a.md", "docs/b.md"]
    assert all(anybody("document_open", id=uri)["results"] for uri in conflict["sources"])
    (told,) = anybody("entity_get", entity_id="urn:kb:entity:gate")["results"]
    assert sorted(each["evidence"] for each in told["said"]) == conflict["sources"]
    assert "3.0" in str(anybody.also(**SRE)("conflicts_list"))
    assert anybody("conflicts_list", kinds=["versions"])["results"] == []
    bases.close()


def test_a_hidden_document_is_not_told_by_the_path_that_one_that_shows_has_too(new_base: Any, audit: Any, ask: Any) -> None:
    base = new_base("twins")
    base.seed(AT_ODDS)
    closed = base.folder / "merger"
    closed.mkdir()
    for name in ("a.md", "b.md"):
        base.write(name, "# Gate\n\nThe Heron Gate is here.\n")
        (closed / name).write_text("---\nallowed_roles: [sre]\n---\n# Gate\n\nThe Heron Gate is sold.\n", encoding="utf-8")
    base.run(base.docs, closed)
    bases, anybody = of_anybody(base, audit, ask)
    for who, roots in ((anybody, {"docs"}), (anybody.also(**SRE), {"docs", "merger"})):
        listed, found = who("conflicts_list")["results"], who("knowledge_search", query="Heron Gate")["conflicts"]
        for conflict in (*listed, *found):
            assert {uri.split("/")[0] for uri in conflict["sources"]} == roots
        assert [each["kind"] for each in (*listed, *found)] == ["assertions", "assertions"]
    bases.close()


def test_numbers_that_differ_are_listed_for_an_entity(new_base: Any, audit: Any, ask: Any) -> None:
    base = new_base("numbers")
    base.seed("""
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: Heron Gate, kind: preferred}]}
""")
    base.write("a.md", "# A\n\nThe Heron Gate accepts at most 20000 connections.\n")
    base.write("b.md", "# B\n\nThe Heron Gate accepts at most 5000 connections.\n")
    base.write("c.md", "---\nallowed_roles: [sre]\n---\n# C\n\nThe Heron Gate accepts at most 700 connections.\n")
    base.write("d.md", "---\nvalid_until: 2020-01-01\n---\n# D\n\nThe Heron Gate accepts at most 30 connections.\n")
    base.run()
    bases, anybody = of_anybody(base, audit, ask)
    (conflict,) = anybody("conflicts_list", entity="urn:kb:entity:gate")["results"]
    assert conflict["kind"] == "values" and conflict["sources"] == ["docs/a.md", "docs/b.md"]
    assert "'20000' [docs/a.md] and '5000' [docs/b.md]" in conflict["message"]
    (conflict,) = anybody.also(**SRE)("conflicts_list", entity="urn:kb:entity:gate", kinds=["values"])["results"]
    assert conflict["sources"] == ["docs/a.md", "docs/b.md", "docs/c.md"]
    assert anybody("conflicts_list")["results"] == []
    bases.close()
