"""The relations of a knowledge base: which may be followed, and of which there is one at a time."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from entities.relations import Vocabulary, vocabulary
from ingest.settings import Settings


def vocabulary_of(settings: Settings) -> Vocabulary:
    """Return the relations that may be asserted, read once for each set of files."""
    return _read(tuple(Path(settings.base) / file for file in settings.entities.vocabulary))


@lru_cache(maxsize=64)
def _read(files: tuple[Path, ...]) -> Vocabulary:
    return vocabulary(files)
