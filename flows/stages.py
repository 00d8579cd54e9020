"""Under which fingerprints a document is made: of what reads its metadata, parses it and cuts it, with their settings.

A document made under others is stale. A worker tells by them, too, whether it would make what whoever asks it expects: on another
machine another parser may be installed.
"""

from __future__ import annotations

from ingest.chunk.fingerprint import FINGERPRINT as CHUNKER
from ingest.model.canonical import digest_of
from ingest.parse.route import fingerprint
from ingest.settings import ChunkPart, Settings
from ingest.sources.fingerprint import fingerprint as metadata_fingerprint


def stages_of(media_type: str | None, settings: Settings, path: str = "") -> dict[str, str]:
    """Return the fingerprints under which a document of this type is made: what a changed setting or parser makes stale.

    `path`, relative to its root, matters where `chunk.rules` name paths."""
    return {
        "metadata": metadata_fingerprint(settings.sources),
        "parse": fingerprint(media_type, settings.parse) if media_type is not None else "",
        "chunk": digest_of([CHUNKER, settings.chunk.of(media_type or "", path).shape_digest()]),
    }


class Stages:
    """`stages_of` for many documents, told once for those that no rule of chunking tells apart."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._told: dict[tuple[str | None, ChunkPart], dict[str, str]] = {}

    def of(self, media_type: str | None, path: str) -> dict[str, str]:
        """Return the stages of one document; do not modify them."""
        key = media_type, self._settings.chunk.of(media_type or "", path)
        if key not in self._told:
            self._told[key] = stages_of(media_type, self._settings, path)
        return self._told[key]
