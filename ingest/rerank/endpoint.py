"""A reranker behind a URL: POST {model, query, documents}, as Cohere, Jina, vLLM, Infinity and text-embeddings-inference take it.

The answer is a list, bare or as `results` or `data`, of {index, relevance_score or score}, in any order. A question waits for it,
so what fails is tried once more and not for long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from urllib.parse import urlsplit

from ingest.errors import SettingsInvalid
from ingest.model_server import ModelServer
from ingest.settings import SearchPart


def validated(settings: SearchPart) -> None:
    """Raise SettingsInvalid unless an endpoint can be asked with these settings."""
    if not settings.rerank_model or urlsplit(settings.rerank_url).scheme not in ("http", "https"):
        raise SettingsInvalid(
            "search.reranker = endpoint needs search.rerank_model, and search.rerank_url with http:// or https://; set both"
        )


class Endpoint:
    """See `ingest.protocols.Reranker`."""

    def __init__(self, settings: SearchPart) -> None:
        validated(settings)
        self._model = settings.rerank_model
        self._server = ModelServer(
            url=settings.rerank_url, key_env=settings.rerank_key_env, settings="search.rerank",
            feature="reranking through an endpoint", name="reranker",
            after="ask again, or set search.reranker = none", attempts=2, timeout=10.0,
        )

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        unusable = self._server.unusable
        answer = self._server.asked({"model": self._model, "query": query, "documents": list(texts), "top_n": len(texts)})
        try:
            entries = answer if isinstance(answer, list) else answer.get("results", answer.get("data"))
            told = {int(entry["index"]): float(entry.get("relevance_score", entry.get("score"))) for entry in entries}
            scores = [told[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise unusable(f"its answer has no score for each text ({type(error).__name__}: {error})") from error
        if not all(map(math.isfinite, scores)):
            raise unusable("it sent scores that are no numbers")
        return scores
