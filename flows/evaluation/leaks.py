"""Whether something appears that may appear nowhere: in no text, id, trace, conflict, clarification, score or error.

What is looked through is every text and number of the answer. A source stands for its uri, its id and the ids of its chunks and
sections. The query itself is the caller's own words: a text that it holds is looked for in what was found alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from indexes.generation.snapshot import Snapshot
from ingest.model.canonical import plain
from ingest.model.evidence import EvidencePack
from ingest.model.row import ChunkRow
from ingest.model.source import source_id


class Hidden:
    """What stands for the sources that must not appear, read once each."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._marks: dict[str, tuple[str, ...]] = {}

    def leaks(self, never: tuple[str, ...], query: str, pack: EvidencePack | None, error: str) -> tuple[str, ...]:
        """Return what of `never` appears in a pack or an error."""
        if not never:
            return ()
        whole = {} if pack is None else {key: value for key, value in plain(pack).items() if key != "query"}
        said = _words([whole, error])
        found = _words([whole.get("evidence"), whole.get("conflicts"), error])
        asked = _words(query)
        return tuple(_told(each, said, found, asked, self._marks_of(each)) for each in never if any(
            mark in (found if mark in asked else said) for mark in self._marks_of(each)
        ))

    def _marks_of(self, never: str) -> tuple[str, ...]:
        if never not in self._marks:
            self._marks[never] = tuple(dict.fromkeys(_words(mark) for mark in (never, *self._ids(never))))
        return self._marks[never]

    def _ids(self, never: str) -> Iterator[str]:
        root, _, path = never.partition("/")
        urn = never if never.startswith("urn:kb:source:") else source_id(root, path)
        catalog, generation = self._snapshot.catalog, self._snapshot.generation
        facts = list(catalog.facts("chunks", generation, source_id=urn))
        if facts or urn in catalog.get("sources", generation, [urn]):
            yield urn
        for fact in facts:
            row = fact.noun(ChunkRow)
            yield row.chunk_id
            yield row.parent_id


def _told(never: str, said: str, found: str, asked: str, marks: tuple[str, ...]) -> str:
    mark = next(mark for mark in marks if mark in (found if mark in asked else said))
    return never if mark == _words(never) else f"{never} (by {mark})"


def _words(value: Any) -> str:
    """As text in which marks are looked for: one case, one form, no white space, every text and number apart."""
    return "\x00".join("".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
