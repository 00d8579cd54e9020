"""Vectors from an OpenAI-compatible API: POST <url>/embeddings, retried while that makes sense, checked before they are believed.

Whether a vector depends on its text alone is the server's doing; the cache makes sure that a text is asked for once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from ingest.errors import SettingsInvalid
from ingest.model.encodable import encodable
from ingest.model_server import ModelServer
from ingest.settings import EmbedPart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ATTEMPTS = 5


def fingerprint(settings: EmbedPart) -> str:
    """Name model and dimensions. The host does not enter: the same model elsewhere makes the same vectors."""
    return f"endpoint-{quote(settings.endpoint_model, safe='')}-{settings.dimensions}"


def validated(settings: EmbedPart) -> None:
    """Raise SettingsInvalid unless an endpoint can be asked with these settings."""
    lacking = [name for name in ("endpoint_url", "endpoint_model", "dimensions") if not getattr(settings, name)]
    if lacking:
        raise SettingsInvalid(f"embed.engine = endpoint needs {', '.join(f'embed.{name}' for name in lacking)} as well; set them")
    if urlsplit(settings.endpoint_url).scheme not in ("http", "https"):
        raise SettingsInvalid("embed.endpoint_url must start with http:// or https://, and end before /embeddings")


class Endpoint:
    """A model behind a URL. `pause` is told the seconds to wait before a retry."""

    window = 0
    """Unknown; the server cuts or refuses longer texts."""

    def __init__(self, settings: EmbedPart, *, pause: Callable[[float], None] = time.sleep) -> None:
        validated(settings)
        self._settings = settings
        self._server = ModelServer(
            url=settings.endpoint_url.rstrip("/") + "/embeddings", key_env=settings.endpoint_key_env, settings="embed.endpoint",
            feature="embedding through an endpoint", name="embedding endpoint",
            after="what is embedded so far is kept, run again later", attempts=ATTEMPTS, timeout=60.0, pause=pause,
        )
        self.dimensions = settings.dimensions
        self.fingerprint = fingerprint(settings)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        made = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), self._settings.batch):
            part = [encodable(text) or " " for text in texts[start : start + self._settings.batch]]  # "" is refused by many
            made[start : start + len(part)] = self._vectors(part)
        return made

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return []

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.passages(texts)

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the unit vectors of one request, in the order of `texts`, whatever order they came in."""
        import numpy as np

        unusable = self._server.unusable
        answer = self._server.asked({"model": self._settings.endpoint_model, "input": texts, "encoding_format": "float"})
        try:
            entries = {int(entry["index"]): entry["embedding"] for entry in answer["data"]}
            vectors = np.array([entries[index] for index in range(len(texts))], np.float64)
        except (KeyError, TypeError, ValueError) as error:
            raise unusable(f"its answer is not a list of embeddings ({type(error).__name__}: {error})") from error
        if len(answer["data"]) != len(texts):
            raise unusable(f"it sent {len(answer['data'])} vectors for {len(texts)} texts")
        if vectors.shape != (len(texts), self.dimensions):
            raise unusable(f"its vectors have {vectors.shape[-1]} dimensions, not {self.dimensions}; set embed.dimensions")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise unusable("it sent a vector without length or with numbers that are none")
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit
