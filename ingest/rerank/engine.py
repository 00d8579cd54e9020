"""Which models look at the best rows once more: a reranker where settings name one, else sentences where the model is installed.
Loaded once a process, when first asked for."""

from __future__ import annotations

from functools import lru_cache

from ingest.protocols import Reranker
from ingest.settings import SearchPart


@lru_cache(maxsize=4)
def reranker_of(settings: SearchPart) -> Reranker | None:
    """Return the reranker, None where none is set. Raises SettingsInvalid or ExtraMissing."""
    if settings.reranker == "endpoint":
        from ingest.rerank.endpoint import Endpoint

        return Endpoint(settings)
    return None


def sentences_of(settings: SearchPart) -> Reranker | None:
    """Return the model that sentences are held against a question with; None where it is switched off, is not installed, or a
    reranker has the last word anyway. Raises ModelUnavailable."""
    if not settings.sentences or settings.reranker != "none":
        return None
    from ingest.rerank.sentences import sentence_model

    return sentence_model()
