"""Downloads run ahead of the work, in order, several at once, within a budget."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ingest.errors import DocumentTooLarge, DocumentUnreadable
from ingest.model.source import Root, Source
from ingest.protocols import Fetched, Listed
from ingest.settings import RootPart, SourcesPart
from ingest.sources.content import read
from ingest.sources.found import Elsewhere, Scanned, Token
from ingest.sources.remote.ahead import ahead
from ingest.sources.remote.place import Place


class Slow:
    """A connector whose reads wait for one another: `most` is how many ran at once, `held` how many bytes were out."""

    def __init__(self, sizes: dict[str, int], at_once: int = 1) -> None:
        self.sizes, self.running, self.most, self.sent = sizes, 0, 0, 0
        self._lock, self._together = threading.Lock(), threading.Barrier(at_once)

    def read(self, listed: Listed, most: int) -> Fetched:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self._together.wait(10)
        with self._lock:
            self.running -= 1
        if listed.path not in self.sizes:
            raise FileNotFoundError(listed.path)
        if self.sizes[listed.path] > most:
            raise DocumentTooLarge("large")
        self.sent += self.sizes[listed.path]
        return Fetched(b"x" * self.sizes[listed.path], "t")

    def find(self, path: str) -> Listed | None:
        return None

    def close(self) -> None: ...


def scanned(connector: Any, told: dict[str, int | None], at_once: int = 8) -> list[Scanned]:
    place = Place(Root("docs", "slow://docs"), RootPart(at_once=at_once), 1000)
    place._connector = connector
    return [
        Scanned(
            Source("docs", path), "", path, Token(size or 0, "t"),
            elsewhere=Elsewhere(place, Listed(path, path, "t", size), None),
        )
        for path, size in told.items()
    ]


def test_several_are_on_their_way_at_once_and_come_in_order() -> None:
    sizes = {f"{number:02}": 10 for number in range(32)}
    connector = Slow(sizes, at_once=4)
    found = scanned(connector, dict(sizes), at_once=4)
    contents = [(one.source.path, len(read(one, 100).data)) for one in ahead(found, SourcesPart())]
    assert contents == list(sizes.items()) and connector.most == 4


@pytest.mark.parametrize("told", [True, False])
def test_no_more_than_the_budget_is_held(told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.sources.remote.ahead._UNTOLD_BYTES", 10)
    sizes = {f"{number:02}": 10 for number in range(20)}
    connector = Slow(sizes)
    found = scanned(connector, {path: size if told else None for path, size in sizes.items()})
    read_so_far = 0
    for one in ahead(found, SourcesPart(ahead_bytes=35)):
        read_so_far += len(read(one, 100).data)
        assert connector.sent <= read_so_far + 30
    assert connector.sent == 200


def test_what_is_larger_than_listed_or_than_the_budget_is_read_at_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.sources.remote.ahead._UNTOLD_BYTES", 10)
    sizes = {"grown": 50, "untold": 50, "large": 500, "small": 1}
    found = scanned(Slow(sizes), {**sizes, "grown": 5, "untold": None})
    assert [len(read(one, 1000).data) for one in ahead(found, SourcesPart(ahead_bytes=100))] == [50, 50, 500, 1]


def test_a_failure_is_told_at_its_turn_and_stops_nothing() -> None:
    found = scanned(Slow({"a": 1, "c": 1}), {"a": 1, "b": 1, "c": 1})
    seen = []
    for one in ahead(found, SourcesPart()):
        try:
            seen.append(len(read(one, 100).data))
        except DocumentUnreadable as error:
            seen.append(error.uri)  # type: ignore[arg-type]
    assert seen == [1, "docs/b", 1]


def test_what_is_over_the_limit_is_never_begun() -> None:
    connector = Slow({"a": 500})
    (one,) = scanned(connector, {"a": 500})
    for _ in ahead([one], SourcesPart(max_bytes=100)):
        with pytest.raises(DocumentTooLarge, match="docs/a is larger than 100 bytes"):
            read(one, 100)
    assert connector.sent == 0


def test_who_stops_early_leaves_nothing_behind() -> None:
    found = scanned(Slow({f"{number}": 1 for number in range(9)}), {f"{number}": 1 for number in range(9)})
    coming = ahead(found, SourcesPart())
    next(coming)
    coming.close()  # type: ignore[attr-defined]
    assert found[0].elsewhere is not None and not found[0].elsewhere.place.ahead
