"""What a conversation was given, and what its citations stand for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from indexes.serve.budget import Amounts, Budget
from indexes.serve.callers import Caller
from indexes.serve.session import Cited, Session, Sessions
from ingest.errors import BudgetExhausted, NotFound
from ingest.model.access import Principal
from ingest.settings import ServePart

ONE, TWO = (Caller(name, Principal(), ("default",)) for name in ("one", "two"))


def session(*, conversation: bool = True) -> Session:
    return Session("s", Budget(Amounts()), conversation=conversation)


def cited(chunk: str) -> Cited:
    return Cited("default", 1, chunk, "0" * 64)


def test_a_conversation_remembers_what_it_was_given_and_a_shared_session_does_not() -> None:
    for held, expected in ((session(), True), (session(conversation=False), False)):
        held.give("kb", "chunk", "a")
        assert held.given("kb", "chunk", "a") is expected
        assert not held.given("other", "chunk", "a") and not held.given("kb", "other", "a") and not held.given("kb", "chunk", "b")


def test_a_citation_means_its_pack_the_latest_only_in_a_conversation() -> None:
    for held in (session(), session(conversation=False)):
        packs = [held.keep({"K1": cited(chunk)}) for chunk in ("a", "b")]
        assert packs == ["P1", "P2"]
        assert held.cited("K1", "P1").chunk_id == "a"
    assert session().keep({}) == "P1"
    with pytest.raises(NotFound, match="name the `pack`"):
        held.cited("K1", None)
    with pytest.raises(NotFound, match="no pack P3"):
        held.cited("K1", "P3")
    with pytest.raises(NotFound, match="no citation K2"):
        held.cited("K2", "P1")


def test_old_packs_are_forgotten_and_say_so() -> None:
    held = session()
    for number in range(70):
        held.keep({"K1": cited(str(number))})
    assert held.cited("K1", "P70").chunk_id == "69" and held.cited("K1", None).chunk_id == "69"
    with pytest.raises(NotFound, match="search again"):
        held.pack("P1")


def test_sessions_belong_to_their_caller_and_share_its_budget() -> None:
    sessions = Sessions(ServePart(calls=3))
    mine, also, theirs = sessions.of(ONE, "a"), sessions.of(ONE, "b"), sessions.of(TWO, "a")
    assert sessions.of(ONE, "a") is mine and mine is not also and mine is not theirs
    assert mine.conversation and not sessions.of(ONE).conversation
    mine.budget.spend(calls=2)
    also.budget.spend(calls=1)
    for held in (mine, also, sessions.of(ONE), sessions.of(ONE, "new")):
        with pytest.raises(BudgetExhausted, match="answer from the evidence you have"):
            held.budget.spend(calls=1)
    theirs.budget.spend(calls=3)


def test_threads_share_a_session_and_no_pack_is_lost() -> None:
    held = session()
    with ThreadPoolExecutor(8) as threads:
        names = list(threads.map(lambda number: held.keep({"K1": cited(str(number))}), range(60)))
    assert len(set(names)) == 60
    assert [held.cited("K1", name).chunk_id for name in names] == [str(number) for number in range(60)]
