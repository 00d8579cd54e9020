"""Turns are given in the order in which they were asked for, and nobody waits longer than they have patience."""

from __future__ import annotations

import threading

from indexes.serve.turns import Turns


def test_no_more_than_there_are_at_once() -> None:
    turns = Turns(2)
    assert turns.take(0) and turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)


def test_who_waits_longest_is_next() -> None:
    turns, served = Turns(1), []
    turns.take(0)
    threads = []
    for number in range(5):
        thread = threading.Thread(target=lambda number=number: (turns.take(10), served.append(number), turns.give_back()))
        thread.start()
        threads.append(thread)
        while len(turns._waiting) <= number:
            pass
    turns.give_back()
    for thread in threads:
        thread.join()
    assert served == [0, 1, 2, 3, 4]


def test_who_gave_up_is_not_waited_for() -> None:
    turns = Turns(1)
    turns.take(0)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0)
