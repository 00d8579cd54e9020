"""Vectors from an OpenAI-compatible API: POST <url>/embeddings, retried while that makes sense, checked before they are believed.

The key is read from the environment variable that settings name, sent in the Authorization header and shown nowhere. Whether a
vector depends on its text alone is the server's doing; the cache makes sure that a text is asked for once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from ingest.embed.text import encodable
from ingest.errors import ConcordError, ExtraMissing, ModelUnavailable, SettingsInvalid
from ingest.settings import EmbedPart

if TYPE_CHECKING:
    import httpx
    import numpy as np
    from numpy.typing import NDArray

ATTEMPTS = 5
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 30.0


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

    def __init__(self, settings: EmbedPart, *, pause: Callable[[float], None] = time.sleep, timeout: float = 60.0) -> None:
        validated(settings)
        try:
            import httpx
        except ImportError as error:
            raise ExtraMissing("embedding through an endpoint", "endpoint") from error
        self._settings, self._pause = settings, pause
        self._key = os.environ.get(settings.endpoint_key_env, "").strip()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._url = settings.endpoint_url.rstrip("/") + "/embeddings"
        self._host = urlsplit(self._url).hostname or "?"
        self._client = httpx.Client(headers=headers, timeout=timeout)
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

        answer = self._asked(texts)
        try:
            entries = {int(entry["index"]): entry["embedding"] for entry in answer["data"]}
            vectors = np.array([entries[index] for index in range(len(texts))], np.float64)
        except (KeyError, TypeError, ValueError) as error:
            raise self._unusable(f"its answer is not a list of embeddings ({type(error).__name__}: {error})") from error
        if len(answer["data"]) != len(texts):
            raise self._unusable(f"it sent {len(answer['data'])} vectors for {len(texts)} texts")
        if vectors.shape != (len(texts), self.dimensions):
            raise self._unusable(f"its vectors have {vectors.shape[-1]} dimensions, not {self.dimensions}; set embed.dimensions")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._unusable("it sent a vector without length or with numbers that are none")
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit

    def _asked(self, texts: list[str]) -> Any:
        """Return the parsed answer to one request, asking again where the trouble may pass."""
        import httpx

        body = {"model": self._settings.endpoint_model, "input": texts, "encoding_format": "float"}
        for attempt in range(1, ATTEMPTS + 1):
            try:
                response = self._client.post(self._url, json=body)
            except httpx.TransportError as error:
                trouble, wanted = f"it cannot be reached ({type(error).__name__}: {error})", None
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise self._unusable(f"the request failed ({type(error).__name__}); check embed.endpoint_url") from error
            else:
                if response.is_success:
                    return self._parsed(response)
                trouble, wanted = self._said(response), response.headers.get("retry-after")
                if response.status_code in (401, 403):
                    raise self._unusable(f"{trouble}; put a valid key into the variable {self._settings.endpoint_key_env}")
                if response.status_code not in _RETRIED:
                    raise self._unusable(f"{trouble}; check embed.endpoint_url and embed.endpoint_model")
            if attempt < ATTEMPTS:
                self._pause(_seconds(wanted, attempt))
        raise self._unusable(f"{trouble}, {ATTEMPTS} times; what is embedded so far is kept, run again later")

    def _parsed(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise self._unusable("its answer is not JSON; check embed.endpoint_url") from error

    def _said(self, response: httpx.Response) -> str:
        text = " ".join(response.text[:2000].split())[:200]
        return f"it answered {response.status_code} ({self._hidden(text)})"

    def _unusable(self, why: str) -> ConcordError:
        return ModelUnavailable(f"the embedding endpoint at {self._host} is of no use: {self._hidden(why)}")

    def _hidden(self, text: str) -> str:
        """Servers like to quote the key that they refuse."""
        return text.replace(self._key, "***") if self._key else text


def _seconds(wanted: str | None, attempt: int) -> float:
    """How long to wait: what the server asked for, else 1, 2, 4, 8 seconds; never very long."""
    try:
        return min(max(float(wanted or ""), 0.0), _LONGEST_PAUSE)
    except ValueError:
        return min(2.0 ** (attempt - 1), _LONGEST_PAUSE)
