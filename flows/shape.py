"""Everything besides the facts that decides content: settings, fingerprints of stages, engines, the registry.

A manifest records it, a run that finds it changed does again what it shapes, and `check` compares it. Asking imports no parser,
no model and nothing numeric.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flows.alike import FINGERPRINT as NEAR
from flows.reviewed import relations_of
from indexes.bm25.format import TERMS
from indexes.generation.kinds import Kind, kinds
from ingest.chunk.fingerprint import FINGERPRINT as CHUNKER
from ingest.embed.engine import Choice
from ingest.model.canonical import digest_of
from ingest.model.entity import Registry
from ingest.model.generation import Manifest
from ingest.parse.engines import named
from ingest.parse.route import fingerprint
from ingest.settings import ChunkPart, Settings
from ingest.sources.fingerprint import fingerprint as metadata_fingerprint
from ingest.store.cache import Cache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Shape:
    """What a manifest records and `check` compares."""

    registry: str
    settings: dict[str, str]
    fingerprints: dict[str, str]
    scoring: dict[str, Any]
    engines: dict[str, str]
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)

    @classmethod
    def recorded(cls, manifest: Manifest) -> Shape:
        """The shape that a generation has."""
        return cls(
            manifest.registry, manifest.settings, manifest.fingerprints, manifest.scoring, manifest.engines, manifest.values,
            manifest.redirects,
        )


def shape_of(settings: Settings, choice: Choice, recogniser: str, registry: Registry) -> Shape:
    """Return the shape that a run under these settings gives its generation."""
    fingerprints = {
        "chunk": CHUNKER, "embed": choice.fingerprint, "terms": TERMS, "recognise": recogniser, "near": NEAR,
        "relations": relations_of(settings),
    }
    engines = {"embed": choice.engine, **named(settings.parse)}
    return Shape(
        registry.digest(), settings.shape_digests(), fingerprints, settings.bm25.shaping(), engines, settings.told_values(),
        registry.redirected(),
    )


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


def indexes_of(settings: Settings, choice: Choice, cache: Cache) -> tuple[Kind, ...]:
    """Return the three indexes, the vector one fed from the embedding cache."""

    def source(texts: Iterable[str]) -> NDArray[np.float32]:
        import numpy as np

        from ingest.embed.batches import vectors

        return np.stack(list(vectors(list(texts), choice, cache)))

    return kinds(settings, choice.fingerprint, choice.dimensions, source)
