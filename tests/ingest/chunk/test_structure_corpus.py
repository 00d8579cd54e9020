"""The invariants on real documents: every text document of fixtures/corpus, as the parsers see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.chunk.structure import chunk
from ingest.parse.route import parse
from ingest.settings import ChunkPart, ParsePart

CORPUS = Path(__file__).parents[3] / "fixtures" / "corpus"
FILES = sorted(path.relative_to(CORPUS).as_posix() for path in CORPUS.rglob("*.md"))


def test_the_corpus_has_documents() -> None:
    assert len(FILES) > 10


@pytest.mark.parametrize("name", FILES)
def test_every_invariant_holds(holds: Any, name: str) -> None:
    document = parse((CORPUS / name).read_bytes(), Path(name).name, ParsePart())
    for settings in (ChunkPart(), ChunkPart(child_min=30, child_max=60, atomic_max=120, parent_min=100, parent_max=200)):
        made = chunk(document, source_id=f"urn:kb:source:{name}", title=document.title or name, settings=settings)
        holds(document, made, settings, f"urn:kb:source:{name}")
        assert made.children
