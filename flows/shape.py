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
from ingest.model.entity import Registry
from ingest.model.generation import Manifest
from ingest.parse.engines import named
from ingest.settings import Settings
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


def indexes_of(settings: Settings, choice: Choice, cache: Cache) -> tuple[Kind, ...]:
    """Return the three indexes, the vector one fed from the embedding cache."""

    def source(texts: Iterable[str]) -> NDArray[np.float32]:
        import numpy as np

        from ingest.embed.batches import vectors

        return np.stack(list(vectors(list(texts), choice, cache)))

    return kinds(settings, choice.fingerprint, choice.dimensions, source)
