"""Turns go round callers, of each in the order in which they came, and nobody waits longer than they have patience."""

from __future__ import annotations

import threading

from indexes.serve.turns import Turns


def wait_in_order(turns: Turns, served: list[tuple[str, int]], waiting: list[tuple[str, int]]) -> None:
    """Let these wait one after the other, then give back the turn that they wait for; `served` gets them as they have theirs."""

    def wait(each: tuple[str, int]) -> None:
        assert turns.take(10, each[0])
        served.append(each)
        turns.give_back()

    threads = [threading.Thread(target=wait, args=(each,)) for each in waiting]
    for number, thread in enumerate(threads):
        thread.start()
        while turns.waiting <= number:
            pass
    turns.give_back()
    for thread in threads:
        thread.join()


def test_no_more_than_there_are_at_once() -> None:
    turns = Turns(2)
    assert turns.take(0) and turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)


def test_who_waits_longest_is_next() -> None:
    turns, served = Turns(1), list[tuple[str, int]]()
    turns.take(0)
    wait_in_order(turns, served, [("", number) for number in range(5)])
    assert served == [("", number) for number in range(5)]


def test_caller_with_many_questions_keeps_nobody_waiting() -> None:
    turns, served = Turns(1), list[tuple[str, int]]()
    turns.take(0)
    wait_in_order(turns, served, [("many", 1), ("many", 2), ("many", 3), ("one", 1), ("two", 1), ("two", 2)])
    assert served == [("many", 1), ("one", 1), ("two", 1), ("many", 2), ("two", 2), ("many", 3)]


def test_who_gave_up_is_not_waited_for() -> None:
    turns = Turns(1)
    turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)
