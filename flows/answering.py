"""Questions to a published generation: search, and what an id stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flows.opening import models_of, reading
from indexes.generation.snapshot import Snapshot
from indexes.query.citations import CitationReport, verify_citations
from indexes.query.request import Request, predicate_of
from indexes.query.sources import sources_named
from indexes.query.told import search
from indexes.query.visible import Visible
from ingest.embed.engine import choose, load
from ingest.errors import EngineUnavailable, ExtraMissing
from ingest.model.access import Principal
from ingest.model.evidence import EvidencePack
from ingest.protocols import Embedder
from ingest.settings import EmbedPart, Settings


def answer(
    settings: Settings, request: Request, generation: int | None = None, sources: Sequence[str] | None = None
) -> EvidencePack:
    """Answer one request from the head or an older generation. `sources`: what it is narrowed to besides, as people name them
    (see indexes.query.sources)."""
    with reading(settings, generation) as snapshot:
        if sources is not None:
            named = sources_named(snapshot, sources)
            request = replace(
                request, sources=named if request.sources is None else tuple(sorted(set(named) & set(request.sources)))
            )
        embedder = None if request.mode in ("bm25", "graph") else query_embedder(settings, snapshot)
        return search(snapshot, embedder, request, settings.search)


def hold_to_pack(
    answer: str, pack: EvidencePack, settings: Settings | None = None, who: Principal | None = None
) -> CitationReport:
    """Hold an answer to the pack that it was written from; with `settings`, to the generation that the pack came from, too, as
    `who` may see it. Raises NotFound when that is not kept."""
    if settings is None:
        return verify_citations(answer, pack)
    with reading(settings, pack.generation) as snapshot:
        predicate = predicate_of(Request("", principal=who or Principal(), statuses=None), snapshot, instant=None)
        return verify_citations(answer, pack, snapshot, predicate)


def query_embedder(settings: Settings, snapshot: Snapshot) -> Embedder:
    """Return the embedder that a generation's vectors were made with.

    The generation decides, not today's settings: a query encoded by another model would be answered with nonsense. Raises
    EngineUnavailable when this machine cannot give the same vectors."""
    engine = snapshot.manifest.engines["embed"]
    wanted = snapshot.manifest.fingerprints["embed"]
    part: EmbedPart = settings.embed.model_copy(update={"engine": engine})
    try:
        choice = choose(part)
    except ExtraMissing as error:
        raise EngineUnavailable(
            f"generation {snapshot.generation} was embedded with {wanted}, which is not here: {error}; or ask with --mode bm25"
        ) from error
    if choice.fingerprint != wanted:
        raise EngineUnavailable(
            f"generation {snapshot.generation} was embedded with {wanted}, here {engine} is {choice.fingerprint}; "
            "install the same versions and settings, or publish anew with: ingest run --re-engine"
        )
    return load(choice, part, models_of(settings))


def show(settings: Settings, id: str, principal: Principal, generation: int | None = None) -> dict[str, Any]:
    """Return what an id or uri stands for as JSON types. Raises NotFound when there is none that the caller may see.

    History, drafts and expired documents are shown: only access decides here, not validity."""
    with reading(settings, generation) as snapshot:
        request = Request("", principal=principal, statuses=None)
        predicate = predicate_of(request, snapshot, instant=None)
        return {"generation": snapshot.generation, **Visible(snapshot, predicate).show(id)}

