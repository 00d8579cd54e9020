"""Whatever a connector raises becomes an error of the product that names the root or the document, and never a deletion."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import DocumentTooLarge, DocumentUnreadable, RootUnavailable
from ingest.model.source import Root
from ingest.protocols import Fetched, Listed
from ingest.settings import RootPart
from ingest.sources.remote.patience import Unreachable
from ingest.sources.remote.place import Place


class Raising:
    """A connector that raises one error from everything, after `good` things were listed; or reads what it is given."""

    def __init__(self, error: Exception | None = None, good: int = 0, data: bytes = b"") -> None:
        self.error, self.good, self.data = error, good, data

    def listing(self, known: Any, within: Any = None) -> Any:
        yield from (Listed(f"{number}.md", f"{number}") for number in range(self.good))
        if self.error is not None:
            raise self.error

    def read(self, listed: Listed, most: int) -> Fetched:
        if self.error is not None:
            raise self.error
        return Fetched(self.data)

    def find(self, path: str) -> Listed | None:
        if self.error is not None:
            raise self.error
        return None

    def close(self) -> None: ...


def place(connector: Raising) -> Place:
    made = Place(Root("docs", "odd://docs"), RootPart(), 100)
    made._connector = connector
    return made


@pytest.mark.parametrize("error", [
    ConnectionError("reset"), FileNotFoundError("nothing"), PermissionError("no"), OSError("odd"), KeyError("x"), RuntimeError(),
    Unreachable("away"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
])
def test_whatever_a_listing_raises_makes_the_root_unavailable_also_half_way(error: Exception) -> None:
    coming = place(Raising(error, good=3)).listing({})
    for _ in range(3):
        next(coming)
    with pytest.raises(RootUnavailable, match=r"the root 'docs' \(odd://docs\) cannot be listed"):
        next(coming)


@pytest.mark.parametrize("error", [
    ConnectionError("reset"), PermissionError("no"), OSError("odd"), KeyError("x"), RuntimeError(),
])
def test_whatever_reading_raises_concerns_one_document(error: Exception) -> None:
    at = place(Raising(error))
    with pytest.raises(DocumentUnreadable, match=r"docs/a\.md") as raised:
        at.read(Listed("a.md", "a"), "docs/a.md", 100)
    assert raised.value.uri == "docs/a.md" and raised.value.retryable
    with pytest.raises(DocumentUnreadable):
        at.find("a.md")


def test_a_root_that_stopped_answering_is_unavailable_as_a_whole() -> None:
    for ask in (lambda at: at.read(Listed("a.md", "a"), "docs/a.md", 100), lambda at: at.find("a.md")):
        with pytest.raises(RootUnavailable, match="stopped answering: away; what was published stays"):
            ask(place(Raising(Unreachable("away"))))


def test_a_connector_that_sends_more_than_it_may_is_not_believed() -> None:
    with pytest.raises(DocumentTooLarge):
        place(Raising(data=b"x" * 11)).read(Listed("a.md", "a"), "docs/a.md", 10)


def test_messages_are_one_line_and_bounded() -> None:
    with pytest.raises(RootUnavailable) as raised:
        list(place(Raising(OSError("line\n" * 500))).listing({}))
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 600
