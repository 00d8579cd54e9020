"""Vectors of pieces and questions, kept on disk by text: a second run embeds only what is cut in another way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.embed.batches import embed_missing, vectors
from ingest.embed.engine import choose, load
from ingest.settings import EmbedPart, ExecutePart
from ingest.store.cache import Cache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Vectors:
    """`engine`: as the setting `embed.engine`. `models`: folder of converted models; `cache`: a file."""

    def __init__(self, engine: str, models: Path, cache: Path) -> None:
        self._part = EmbedPart.model_validate({"engine": engine})
        self._choice = choose(self._part)
        self._models = models
        self._cache = Cache(cache)
        self._embedder = load(self._choice, self._part, models)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        unique = list(dict.fromkeys(texts))
        embed_missing(unique, self._choice, self._part, self._cache, ExecutePart(), self._models)
        return np.stack(list(vectors(texts, self._choice, self._cache)))

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.queries(texts)

    def close(self) -> None:
        self._cache.close()
