"""Which reranker settings name: none unless they say so. Loaded once a process, when first asked for."""

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
