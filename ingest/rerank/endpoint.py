"""A reranker behind a URL: POST {model, query, documents}, as Cohere, Jina, vLLM, Infinity and text-embeddings-inference take it.

The answer is a list, bare or as `results` or `data`, of {index, relevance_score or score}, in any order. A question waits for it,
so what fails is tried once more and not for long. The key is read from the environment variable that settings name, sent in the
Authorization header and shown nowhere.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from ingest.errors import ConcordError, ExtraMissing, ModelUnavailable, SettingsInvalid
from ingest.settings import SearchPart

ATTEMPTS = 2
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


def validated(settings: SearchPart) -> None:
    """Raise SettingsInvalid unless an endpoint can be asked with these settings."""
    if not settings.rerank_model or urlsplit(settings.rerank_url).scheme not in ("http", "https"):
        raise SettingsInvalid(
            "search.reranker = endpoint needs search.rerank_model, and search.rerank_url with http:// or https://; set both"
        )


class Endpoint:
    """See `ingest.protocols.Reranker`."""

    def __init__(self, settings: SearchPart, *, timeout: float = 10.0) -> None:
        validated(settings)
        try:
            import httpx
        except ImportError as error:
            raise ExtraMissing("reranking through an endpoint", "endpoint") from error
        self._key = os.environ.get(settings.rerank_key_env, "").strip()
        self._key_env, self._model, self._url = settings.rerank_key_env, settings.rerank_model, settings.rerank_url
        self._host = urlsplit(self._url).hostname or "?"
        self._client = httpx.Client(headers={"Authorization": f"Bearer {self._key}"} if self._key else {}, timeout=timeout)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        answer = self._asked({"model": self._model, "query": query, "documents": list(texts), "top_n": len(texts)})
        try:
            entries = answer if isinstance(answer, list) else answer.get("results", answer.get("data"))
            told = {int(entry["index"]): float(entry.get("relevance_score", entry.get("score"))) for entry in entries}
            scores = [told[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._unusable(f"its answer has no score for each text ({type(error).__name__}: {error})") from error
        if not all(map(math.isfinite, scores)):
            raise self._unusable("it sent scores that are no numbers")
        return scores

    def _asked(self, body: dict[str, Any]) -> Any:
        import httpx

        trouble = ""
        for _ in range(ATTEMPTS):
            try:
                response = self._client.post(self._url, json=body)
            except httpx.TransportError as error:
                trouble = f"it cannot be reached ({type(error).__name__}: {error})"
                continue
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise self._unusable(f"the request failed ({type(error).__name__}); check search.rerank_url") from error
            if response.is_success:
                try:
                    return response.json()
                except ValueError as error:
                    raise self._unusable("its answer is not JSON; check search.rerank_url") from error
            trouble = f"it answered {response.status_code} ({' '.join(response.text[:2000].split())[:200]})"
            if response.status_code in (401, 403):
                raise self._unusable(f"{trouble}; put a valid key into the variable {self._key_env}")
            if response.status_code not in _RETRIED:
                raise self._unusable(f"{trouble}; check search.rerank_url and search.rerank_model")
        raise self._unusable(f"{trouble}, {ATTEMPTS} times; ask again, or set search.reranker = none")

    def _unusable(self, why: str) -> ConcordError:
        hidden = why.replace(self._key, "***") if self._key else why  # servers like to quote the key that they refuse
        return ModelUnavailable(f"the reranker at {self._host} is of no use: {hidden}")
