"""Document and sidecar, read so that no text is ever opened to more people than who wrote it meant."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import DocumentUnreadable, MetadataInvalid
from ingest.model.source import Root
from ingest.protocols import Fetched, Listed
from ingest.settings import RootPart, SourcesPart
from ingest.sources.content import read, read_sidecar
from ingest.sources.found import Scanned, Token
from ingest.sources.remote.arrange import arranged
from ingest.sources.remote.place import Place
from ingest.sources.scan import Content


class Moving:
    """Files that may be others by the time they are read: path -> (token, text), listed and now."""

    def __init__(self, listed: dict[str, tuple[str, str]], now: dict[str, tuple[str, str]], kind: str = "") -> None:
        self.was, self.now, self.kind = listed, now, kind

    def listing(self, known: Any, within: Any = None) -> Any:
        return (Listed(path, path, token, len(text)) for path, (token, text) in self.was.items())

    def read(self, listed: Listed, most: int) -> Fetched:
        if listed.path not in self.now:
            raise FileNotFoundError(listed.path)
        token, text = self.now[listed.path]
        return Fetched(text.encode(), token, self.kind)

    def find(self, path: str) -> Listed | None:
        return Listed(path, path, self.now[path][0]) if path in self.now else None

    def close(self) -> None: ...


def scanned(was: dict[str, tuple[str, str]], now: dict[str, tuple[str, str]] | None = None, kind: str = "") -> Scanned:
    place = Place(Root("docs", "moving://docs"), RootPart(), 100)
    place._connector = Moving(was, was if now is None else now, kind)
    return arranged(place, place.listing({}), SourcesPart()).found[0]


def content(*files: Any, **kind: str) -> Content:
    return read(scanned(*files, **kind), 1000)


def test_bytes_sidecar_and_tokens_belong_together() -> None:
    found = content({"a.md": ("1", "text"), "a.md.meta.yaml": ("2", "level: 1")})
    assert (found.data, found.sidecar) == (b"text", b"level: 1")
    assert (found.signature, found.sidecar_signature) == (Token(4, "1"), Token(8, "2"))


def test_a_sidecar_that_appeared_with_another_text_is_read_with_it() -> None:
    found = content({"a.md": ("1", "text")}, {"a.md": ("2", "secret"), "a.md.meta.yaml": ("1", "users: [li]")})
    assert (found.data, found.sidecar) == (b"secret", b"users: [li]")


def test_a_text_that_is_as_listed_is_not_asked_for_a_sidecar_again() -> None:
    assert content({"a.md": ("1", "text")}, {"a.md": ("1", "text"), "a.md.meta.yaml": ("1", "users: [li]")}).sidecar is None


def test_a_sidecar_that_vanished_is_no_opening() -> None:
    with pytest.raises(DocumentUnreadable, match="vanished"):
        content({"a.md": ("1", "text"), "a.md.meta.yaml": ("2", "level: 1")}, {"a.md": ("1", "text")})


def test_a_sidecar_that_is_too_large_is_no_opening() -> None:
    with pytest.raises(MetadataInvalid, match="larger than"):
        content({"a.md": ("1", "text"), "a.md.meta.yaml": ("2", "x" * 2**21)})


def test_what_has_no_token_is_read_and_not_recorded() -> None:
    assert content({"a.md": ("", "text")}).signature is None


def test_a_document_that_is_gone_says_so_and_its_sidecar_can_still_be_told() -> None:
    lost = scanned({"a.md": ("1", "text"), "a.md.meta.yaml": ("2", "level: 1")}, {"a.md.meta.yaml": ("2", "level: 1")})
    with pytest.raises(DocumentUnreadable, match="not there any more"):
        read(lost, 100)
    assert read_sidecar(lost) == b"level: 1"


@pytest.mark.parametrize(("path", "kind", "named"), [
    ("guide", "text/html; charset=utf-8", "guide.html"), ("notes", "Text/Markdown", "notes.md"), ("guide.pdf", "text/html", None),
    ("guide?v=1.2", "text/html", "guide.html"), ("guide", "", None), ("guide", "image/png", None),
    ("sub/guide", "application/pdf", "guide.pdf"),
])
def test_what_a_server_calls_a_text_counts_where_its_name_says_nothing(path: str, kind: str, named: str | None) -> None:
    assert content({path: ("1", "text")}, None, kind=kind).named == named
