"""The judged registry: merges and splits that leave no trace, order that does not matter, identifiers that lose their power."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.judgements import Judgements, judged, revocation
from entities.registry_judged import judged_registry
from ingest.model.entity import Entity, Identifier, Judgement, Name, Registry

USCC = Identifier("uscc", "91350100M000100Y43")
LEI = Identifier("lei", "529900T8BM49AURSDO55")


def firm(id: str, *names: str, type: str = "organization", ids: tuple[Identifier, ...] = (), kind: str = "legal") -> Entity:
    return Entity(id, type, tuple(Name(name, kind) for name in names), ids)


def seeds(*entities: Entity) -> Registry:
    return Registry(tuple(sorted(entities, key=lambda entity: entity.entity_id)))


def entry(kind: str, *ids: str, at: int = 1, text: str | None = None, type: str = "organization") -> Judgement:
    return judged(
        kind, actor="lin", at=f"2026-01-{at:02}", reason="same site", entities=ids, text=text,  # type: ignore[arg-type]
        type=type if text else None,
    )


def into(registry: Registry, *entries: Judgement) -> dict[str, str]:
    return judged_registry(registry, Judgements.of(entries)).registry.redirected()


TWO = seeds(
    firm("a", "蓝鲸软件（杭州）有限公司"), firm("b", "蓝鲸软件(杭州)有限公司"), firm("c", "Vale Ltd"), firm("d", "Harbor Inc"),
)


def test_equal_names_are_one_but_for_persons_types_and_aliases() -> None:
    assert into(TWO) == {"b": "a"}
    assert not into(seeds(firm("a", "李伟", type="person"), firm("b", "李伟", type="person")))
    assert not into(seeds(firm("a", "Oraculum"), firm("b", "Oraculum", type="product")))
    assert not into(seeds(firm("a", "ABC", kind="abbreviation"), firm("b", "ABC", kind="abbreviation")))


def test_identifiers_join_and_a_conflict_keeps_equal_names_apart() -> None:
    assert into(seeds(firm("a", "Vale", ids=(USCC,)), firm("b", "Harbor", ids=(USCC,)))) == {"b": "a"}
    other = Identifier("uscc", "91440300MAYM7K2A69")
    found = judged_registry(seeds(firm("a", "Vale", ids=(USCC,)), firm("b", "VALE", ids=(other,))), Judgements())
    assert not found.registry.redirects
    (question,) = found.candidates()
    assert question.entity_id == "a" and "identifiers conflict" in question.why and question.proposals[0].entity_id == "b"


def test_merge_then_split_restores_links_and_digest() -> None:
    before = judged_registry(TWO, Judgements()).registry
    merged = judged_registry(TWO, Judgements.of([entry("merge", "c", "d")])).registry
    assert merged.redirected() == {"b": "a", "d": "c"} and merged.digest() != before.digest()
    assert merged.entities == before.entities and merged.redirects[1].reasons == ("lin: same site",)
    split = judged_registry(TWO, Judgements.of([entry("merge", "c", "d"), entry("split", "c", "d", at=2)])).registry
    log = Judgements.of([entry("merge", "c", "d")])
    undone = judged_registry(TWO, log.and_(revocation(
        log, log.entries[0].judgement_id, actor="wu", at="2026-02-01", reason="no",
    ))).registry
    assert split == undone == before and split.digest() == before.digest()


def test_what_proven_twins_are_both_called_is_said_once() -> None:
    twins = seeds(firm("a", "Vale Ltd", "谷", ids=(USCC,)), firm("b", "VALE LTD", "Vale Group", ids=(USCC, LEI)), firm("c", "谷"))
    found = judged_registry(twins, Judgements()).registry
    assert [[name.text for name in each.names] for each in found.entities] == [["Vale Ltd", "谷"], ["Vale Group"], []]
    assert [each.identifiers for each in found.entities] == [(USCC,), (LEI,), ()]
    assert found.redirected() == {"b": "a", "c": "a"}
    apart = judged_registry(twins, Judgements.of([entry("pin", "a", "b"), entry("pin", "a", "c")])).registry
    assert apart.entities == twins.entities and not apart.redirects


def test_a_split_keeps_equal_names_apart_and_is_not_asked_again() -> None:
    found = judged_registry(TWO, Judgements.of([entry("split", "a", "b")]))
    assert not found.registry.redirects and not found.candidates()


def test_accepted_and_rejected_texts_change_names_and_come_back() -> None:
    accept, reject = entry("accept", "c", text="淡水河谷"), entry("reject", "a", text="蓝鲸软件（杭州）有限公司")
    found = {each.entity_id: each for each in judged_registry(TWO, Judgements.of([accept, reject])).registry.entities}
    assert [name.text for name in found["c"].names] == ["Vale Ltd", "淡水河谷"]
    assert found["c"].names[1].source == accept.judgement_id
    assert found["a"].names == TWO.entities[0].names, "the last name of an entity stays"
    taken = Judgements.of([accept, entry("reject", "c", text="淡水河谷", at=2)])
    before = judged_registry(TWO, Judgements()).registry.entities
    assert judged_registry(TWO, taken).registry.entities == before
    assert judged_registry(TWO, Judgements.of([entry("accept", "c", text="x", type="product")])).registry.entities == before


def test_an_accepted_review_mints_an_entity_with_an_id_of_its_own() -> None:
    new = entry("accept", text="云帆数据", type="organization")
    first, second = (judged_registry(TWO, Judgements.of([new])).registry for _ in range(2))
    (minted,) = set(first.entities) - set(judged_registry(TWO, Judgements()).registry.entities)
    assert minted.label == "云帆数据" and minted.entity_id.startswith("urn:kb:entity:") and first == second
    again = entry("accept", text="云帆数据", at=9)
    other = judged_registry(TWO, Judgements.of([again])).registry
    assert minted.entity_id not in {each.entity_id for each in other.entities}, "ids are never reused"


def test_an_identifier_on_too_many_entities_loses_its_power_and_is_asked_about() -> None:
    firms = [firm(id, f"Firm {id * 3}", ids=(LEI,)) for id in "abcd"]
    assert into(seeds(*firms[:3])) == {"b": "a", "c": "a"}
    found = judged_registry(seeds(*firms), Judgements())
    assert not found.registry.redirects and found.powerless == {LEI}
    (question,) = found.candidates()
    assert [proposal.entity_id for proposal in question.proposals] == ["b", "c", "d"]
    assert question.why == "4 entities have lei 529900T8BM49AURSDO55, so it names none of them"
    settled = judged_registry(seeds(*firms), Judgements.of([entry("reject", "a", "b"), entry("merge", "a", "c")]))
    assert [proposal.entity_id for proposal in settled.candidates()[0].proposals] == ["d"]
    assert settled.registry.redirected() == {"c": "a"}
    assert judged_registry(seeds(*firms), Judgements(), owners_most=9).registry.redirected() == {"b": "a", "c": "a", "d": "a"}


def test_judgements_about_what_is_not_here_change_nothing() -> None:
    log = Judgements.of([entry("merge", "a", "gone"), entry("accept", "gone", text="x"), entry("pin", "gone", "gone-2")])
    assert judged_registry(TWO, log).registry == judged_registry(TWO, Judgements()).registry
    across = seeds(firm("a", "Vale"), firm("b", "Vale Suite", type="product"))
    assert not into(across, entry("merge", "a", "b"))


FIRMS = [
    firm("a", "Vale Ltd", ids=(USCC,)), firm("b", "VALE LIMITED"), firm("c", "Harbor", ids=(USCC,)), firm("d", "Harbor"),
    firm("e", "蓝鲸有限公司", ids=(LEI,)), firm("f", "藍鯨有限公司", ids=(LEI,)), firm("g", "Vale Ltd", type="product"),
]
ENTRIES = st.lists(
    st.tuples(st.sampled_from(["merge", "split", "pin", "reject"]), st.permutations("abcdefg"), st.integers(1, 9)).map(
        lambda each: entry(each[0], each[1][0], each[1][1], at=each[2])
    ), max_size=6,
)


@given(st.permutations(FIRMS), ENTRIES, st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_clusters_ids_and_digest(
    firms: list[Entity], entries: list[Judgement], random: object
) -> None:
    one = judged_registry(seeds(*FIRMS), Judgements.of(entries))
    random.shuffle(entries)  # type: ignore[attr-defined]
    other = judged_registry(Registry(tuple(firms)), Judgements.of(entries))
    assert one == other and one.registry.digest() == other.registry.digest() and one.candidates() == other.candidates()


@given(ENTRIES, st.permutations("abcdefg"))
def test_whatever_was_decided_before_a_merge_and_its_revocation_restore_it(entries: list[Judgement], ids: list[str]) -> None:
    log = Judgements.of(entries)
    merge = entry("merge", ids[0], ids[1], at=20)
    after = log.and_(merge, revocation(log.and_(merge), merge.judgement_id, actor="wu", at="2026-03-01", reason="no"))
    assert judged_registry(seeds(*FIRMS), after) == judged_registry(seeds(*FIRMS), log)


@pytest.mark.parametrize("kind", ["split", "reject", "pin"])
def test_what_keeps_two_apart_is_reversible(kind: str) -> None:
    log = Judgements.of([entry(kind, "a", "b")])
    back = log.and_(revocation(log, log.entries[0].judgement_id, actor="wu", at="2026-03-01", reason="no"))
    assert into(TWO, *log.entries) == {} and judged_registry(TWO, back).registry.redirected() == {"b": "a"}
