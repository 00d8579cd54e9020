"""The log of judgements: appended, reversible, and the same whatever the order in which entries arrive."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.judgements import Judgements, append, judged, line, parsed, read, revocation, told
from ingest.errors import NotFound, SettingsInvalid, StorageFailed, UsageError
from ingest.model.entity import Judgement

A, B, C = "urn:kb:entity:a", "urn:kb:entity:b", "urn:kb:entity:c"


def made(kind: str, *ids: str, at: int = 1, text: str | None = None) -> Judgement:
    return judged(
        kind, actor="lin", at=f"2026-01-{at:02}", reason="same site", entities=ids, text=text,  # type: ignore[arg-type]
        type="organization" if text else None,
    )


def undone(log: Judgements, entry: Judgement, at: int) -> Judgement:
    return revocation(log, entry.judgement_id, actor="wu", at=f"2026-02-{at:02}", reason="was wrong")


def test_a_missing_log_is_empty(tmp_path: Path) -> None:
    assert read(tmp_path / "none.jsonl") == Judgements()


def test_what_was_appended_is_read_and_never_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "kb" / "judgements.jsonl"
    accept = judged("accept", actor="李伟", at="2026-03-01T08:00:00+08:00", reason="官网", entities=[A], text="星河软件",
                    type="organization", evidence=["urn:kb:chunk:2", "urn:kb:chunk:1"])
    append(path, [made("merge", B, A), accept])
    first = path.read_bytes()
    append(path, [made("pin", A, C, at=2)])
    assert path.read_bytes().startswith(first)
    log = read(path)
    assert [entry.kind for entry in log.entries] == ["merge", "pin", "accept"]
    assert log.entries[2] == accept and accept.at == "2026-03-01T00:00:00Z" and accept.evidence[0].endswith("1")


@pytest.mark.parametrize("late", [1, 5])
def test_decisions_within_a_second_or_by_a_late_clock_count_in_the_order_they_were_made(tmp_path: Path, late: int) -> None:
    path = tmp_path / "log.jsonl"
    for number in range(40):
        kind = ("merge", "split")[number % 2]
        [written] = append(path, [made(kind, A, B, at=max(1, 6 - late * number))])
        assert read(path).of_pair(A, B) == written
    assert [entry.kind for entry in read(path).entries] == ["merge", "split"] * 20
    together = append(path, [made("merge", A, B), made("reject", A, text="YunGate"), made("accept", A, text="YunGate"),
                             made("merge", A, C), undone(read(path), written, 1)])
    log = read(path)
    assert log.of_text[("yungate", "organization")][A].kind == "accept"
    assert [entry.at for entry in together[3:]] == ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]


def test_what_was_revoked_can_be_decided_and_revoked_again_within_one_second(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for _ in range(3):
        [merge] = append(path, [made("merge", A, B)])
        assert read(path).merged
        append(path, [undone(read(path), merge, 1)])
        assert not read(path).merged
    assert len(read(path).entries) == 6


@pytest.mark.parametrize("cut", [1, 20])
def test_a_line_that_was_cut_while_written_says_nothing(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "log.jsonl"
    append(path, [made("merge", A, B), made("pin", A, C)])
    path.write_bytes(path.read_bytes()[:-cut])
    assert [entry.kind for entry in read(path).entries] == ["merge"]
    append(path, [made("split", A, B, at=3)])
    assert [entry.kind for entry in read(path).entries] == ["merge", "split"]


@pytest.mark.parametrize("altered", [
    lambda text: text.replace("same site", "same firm"), lambda text: text.replace('"merge"', '"join"'), lambda text: "{}\n",
    lambda text: text.replace("lin", ""), lambda text: "[1]\n", lambda text: text.replace('"actor"', '"who"'),
])
def test_an_altered_line_is_refused_by_number(tmp_path: Path, altered: object) -> None:
    path = tmp_path / "log.jsonl"
    append(path, [made("pin", A, C), made("merge", A, B)])
    one, two = path.read_text().splitlines(keepends=True)
    path.write_text(one + altered(two))  # type: ignore[operator]
    with pytest.raises(SettingsInvalid, match="line 2 is no judgement"):
        read(path)


def test_a_log_that_cannot_be_read_or_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match=r"entities\.judgements"):
        read(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises((StorageFailed, SettingsInvalid)):
        append(tmp_path / "file" / "log.jsonl", [made("merge", A, B)])


@pytest.mark.parametrize(("kind", "given_", "said"), [
    ("join", {"entities": [A, B]}, "a judgement is one of"), ("merge", {"entities": [A]}, "two different"),
    ("merge", {"entities": [A, A]}, "two different"), ("pin", {"entities": [A, B], "text": "x"}, "two different"),
    ("split", {"entities": [A, B], "undoes": "x"}, "only a revocation"), ("accept", {"entities": [A]}, "give what was read"),
    ("accept", {"entities": [A], "text": " ", "type": "product"}, "give what was read"),
    ("accept", {"entities": [A], "text": "x", "type": "firm"}, "what it would be"),
    ("accept", {"entities": [A, B], "text": "x", "type": "product"}, "about one entity"),
    ("reject", {"text": "x", "type": "product"}, "about one entity"), ("revoke", {}, "names the judgement"),
    ("merge", {"entities": [A, B], "reason": " "}, "who decided and why"),
    ("merge", {"entities": [A, B], "at": "soon"}, "instant"),
])
def test_a_judgement_that_makes_no_sense_is_refused(kind: str, given_: dict[str, object], said: str) -> None:
    values: dict[str, object] = {"actor": "lin", "at": "2026-01-01", "reason": "why", **given_}
    with pytest.raises(UsageError, match=said):
        judged(kind, **values)  # type: ignore[arg-type]


def test_the_last_word_about_a_pair_holds_and_a_pin_until_revoked() -> None:
    merge, split, again = made("merge", A, B), made("split", A, B, at=2), made("merge", B, A, at=3)
    assert set(Judgements.of([merge]).merged) == {(A, B)}
    assert set(Judgements.of([merge, split]).apart) == {(A, B)} and not Judgements.of([split, merge]).merged
    assert set(Judgements.of([again, merge, split]).merged) == {(A, B)}
    pin = made("pin", A, B, at=2)
    log = Judgements.of([merge, pin, again])
    assert set(log.pinned) == {(A, B)} == set(log.apart) and not log.merged
    assert set(log.and_(undone(log, pin, 1)).merged) == {(A, B)}


def test_every_judgement_is_reversible_and_so_is_its_reversal() -> None:
    entries = [
        made("merge", A, B), made("split", A, C), made("pin", B, C), made("accept", A, text="云帆"),
        made("reject", B, text="云帆"),
    ]
    for entry in entries:
        log = Judgements.of(entries)
        back = undone(log, entry, 1)
        without = log.and_(back)
        assert set(without.in_force) == set(entries) - {entry}
        with pytest.raises(UsageError, match="counts no more"):
            undone(without, entry, 2)
        assert set(without.and_(undone(without, back, 3)).in_force) == set(entries)
    with pytest.raises(NotFound, match="entities log"):
        Judgements().get("urn:kb:judgement:0")


def test_a_text_is_accepted_and_rejected_for_one_entity_and_one_type() -> None:
    log = Judgements.of([made("accept", A, text="Yun  FAN"), made("reject", B, text="ＹＵＮ fan", at=2)])
    assert {id: entry.kind for id, entry in log.of_text["yun fan", "organization"].items()} == {A: "accept", B: "reject"}
    assert log.refused("yun fan", "organization", B) and not log.refused("yun fan", "product", B)
    later = log.and_(made("reject", A, text="Yun Fan", at=5))
    assert later.refused("Yun Fan", "organization", A)
    new = made("accept", text="云帆")
    assert list(Judgements.of([new]).of_text["云帆", "organization"]) == [new.judgement_id]


ENTRIES = st.lists(
    st.builds(
        lambda kind, pair, day: made(kind, *pair, at=day), st.sampled_from(["merge", "split", "pin", "reject"]),
        st.permutations([A, B, C]).map(lambda ids: ids[:2]), st.integers(1, 28),
    ), max_size=8,
)


@given(ENTRIES, st.randoms(use_true_random=False), st.data())
def test_any_order_of_entries_is_the_same_log(entries: list[Judgement], random: object, data: st.DataObject) -> None:
    log = Judgements.of(entries)
    if entries:
        log = log.and_(undone(log, data.draw(st.sampled_from(log.in_force or log.entries)), 1))
    shuffled = list(log.entries) * 2
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = parsed([line(entry) for entry in shuffled], "log")
    assert again == log and again.digest() == log.digest()
    assert (again.in_force, again.merged, again.apart) == (log.in_force, log.merged, log.apart)


def test_people_are_told_who_decided_what_and_why() -> None:
    merge = made("merge", A, B)
    assert told(merge) == f"lin merged {A} and {B} (same site)"
    assert told(made("accept", A, text="云帆")) == f"lin accepted '云帆' as {A} (same site)"
    assert told(made("accept", text="云帆")) == "lin accepted '云帆' as something new (same site)"
    assert told(undone(Judgements.of([merge]), merge, 1)) == f"wu revoked {merge.judgement_id} (was wrong)"
