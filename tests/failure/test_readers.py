"""Readers beside a writer: every answer comes from exactly one generation, whatever is published and pruned meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import NotFound

DOCUMENTS = 5


def become(base: Any, number: int) -> None:
    """Every document speaks of round `number`; one comes and one goes with each."""
    for document in range(DOCUMENTS):
        base.write(f"{document}.md", f"# Document {document}\n\nCOLOUR of document {document} in round{number}.\n")
    base.write(f"extra{number}.md", f"# Extra\n\nCOLOUR of the extra document in round{number}.\n")
    previous = base.docs / f"extra{number - 1}.md"
    previous.unlink(missing_ok=True)


class Reader(threading.Thread):
    """Asks again and again until it is stopped; keeps (generation, snapshot, uris, rounds named) of every answer, and errors."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        super().__init__()
        self._ask = ask
        self._stop_asking = threading.Event()
        self.answers: list[tuple[int, str, frozenset[str], frozenset[str]]] = []
        self.errors: list[BaseException] = []

    def run(self) -> None:
        while not self._stop_asking.is_set():
            try:
                pack = self._ask()
            except BaseException as error:  # whatever it is, the test must hear of it
                self.errors.append(error)
                return
            rounds = {word for item in pack.evidence for word in item.text.strip(".").split() if word.startswith("round")}
            contexts = {word for item in pack.evidence for word in item.context.strip(".").split() if word.startswith("round")}
            uris = frozenset(item.uri for item in pack.evidence)
            self.answers.append((pack.generation, pack.snapshot, uris, frozenset(rounds | contexts)))
            time.sleep(0.002)  # threads share an interpreter: let the writer have it too

    def stop(self) -> None:
        self._stop_asking.set()
        self.join()


def expected(number: int) -> tuple[frozenset[str], frozenset[str]]:
    uris = {f"docs/{document}.md" for document in range(DOCUMENTS)} | {f"docs/extra{number}.md"}
    return frozenset(uris), frozenset({f"round{number}"})


@pytest.mark.parametrize("keep", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_every_answer_is_of_one_generation_while_ten_are_published(base: Any, keep: int) -> None:
    base.set("generations", keep=keep)
    become(base, 1)
    base.run()
    readers = [
        Reader(lambda: base.search("COLOUR", mode="bm25", top_k=100)),
        Reader(lambda: base.search("COLOUR document", mode="hybrid", top_k=100)),
    ]
    for reader in readers:
        reader.start()
    snapshots = {1: base.search("COLOUR").snapshot}
    try:
        for number in range(2, 12):
            become(base, number)
            report = base.run()
            assert report.generation == number
            snapshots[number] = report.snapshot
    finally:
        for reader in readers:
            reader.stop()
    for reader in readers:
        assert reader.errors == []
        assert len({answer[0] for answer in reader.answers}) > 3
        for generation, snapshot, uris, rounds in reader.answers:
            assert snapshot == snapshots[generation]
            assert (uris, rounds) == expected(generation)
        generations = [answer[0] for answer in reader.answers]
        assert generations == sorted(generations), "a reader never goes back"


def test_pinned_reader_stays_in_its_generation_while_others_are_published_and_pruned(base: Any) -> None:
    from flows.opening import reading
    from indexes.query.evidence import search
    from indexes.query.request import Request

    base.set("generations", keep=1)
    become(base, 1)
    base.run()
    with reading(base.settings) as snapshot:
        for number in range(2, 5):
            become(base, number)
            base.run()
            pack = search(snapshot, None, Request("COLOUR", "bm25", 100), base.settings.search)
            assert pack.generation == 1
            assert {word for item in pack.evidence for word in item.text.strip(".").split() if "round" in word} == {"round1"}
        assert base.generations() == [4, 1]
    become(base, 5)
    base.run()
    assert base.generations() == [5]
    with pytest.raises(NotFound):
        base.search("COLOUR", 1)
    assert len(list((base.kb / "builds/vector").iterdir())) == 1


def test_reader_of_a_generation_that_is_pruned_meanwhile_is_told_so(base: Any) -> None:
    """Asked for by number again and again while it is pruned: right answers, then that it is not kept; nothing else."""
    become(base, 1)
    base.run()
    become(base, 2)
    base.run()
    reader = Reader(lambda: base.search("COLOUR", 1, top_k=100))
    reader.start()
    while not reader.answers and not reader.errors:
        time.sleep(0.01)
    from flows.history import drop

    while not drop(base.settings, 1):
        time.sleep(0.01)  # the reader had it; between two of its questions it is free
    reader.join(timeout=60)
    assert [type(error) for error in reader.errors] == [NotFound]
    assert {answer[0] for answer in reader.answers} == {1}
    assert {answer[3] for answer in reader.answers} == {frozenset({"round1"})}
