"""What the texts of a generation seem to name and nothing proves: candidate mentions, and the questions that they leave.

Nothing of it is published. It is found when somebody looks (the review queue), and kept in the cache by text, so that a text is
read once however often it is asked about, under whatever path it lies; other names, rules or models read it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from entities.folding import NAME
from entities.mentions.recogniser import Recogniser
from entities.resolve import Resolver
from flows.work import pack, unpack
from ingest.model.canonical import digest_of
from ingest.model.entity import Candidate, CandidateMention
from ingest.model.row import ChunkRow
from ingest.store.cache import Cache
from ingest.store.catalog import Catalog

CANDIDATES = "candidates"
"""Cache stage of what a text seems to name."""

_AT_ONCE = 500
_EVIDENCE = 20
"""Chunks named with a question; more of them say no more."""


@dataclass(frozen=True, slots=True)
class _Proposed:
    """Of one text, whichever chunk holds it."""

    mentions: tuple[CandidateMention, ...]


def candidate_mentions(catalog: Catalog, generation: int, recogniser: Recogniser, cache: Cache) -> Iterator[CandidateMention]:
    """Yield the candidate mentions of every chunk of a generation. Raises ExtraMissing or ModelUnavailable where a model of the
    settings cannot be had."""
    texts = ((fact.id, fact.stated(ChunkRow)["text"]) for fact in catalog.facts("chunks", generation))
    while batch := list(islice(texts, _AT_ONCE)):
        yield from _of(batch, recogniser, cache)


def _of(batch: list[tuple[str, str]], recogniser: Recogniser, cache: Cache) -> Iterator[CandidateMention]:
    keys = {chunk: digest_of([recogniser.proposing, text]) for chunk, text in batch}
    held = {key: unpack(_Proposed, data) for key, data in cache.get_many(CANDIDATES, sorted(set(keys.values()))).items()}
    made: dict[str, bytes] = {}
    for chunk, text in batch:
        proposed = held.get(keys[chunk])
        if proposed is None:
            proposed = held[keys[chunk]] = _Proposed(recogniser.candidates("", text))
            made[keys[chunk]] = pack(proposed)
        for mention in proposed.mentions:
            yield replace(mention, chunk_id=chunk)
    if made:
        cache.put_many(CANDIDATES, made)


def questions(mentions: Iterable[CandidateMention], resolver: Resolver) -> Iterator[Candidate]:
    """Yield what a person may be asked of candidate mentions: one question for each text and type, however often it stands there.

    Identifiers are left out, and so is a text that resembles nothing in the registry."""
    places: dict[tuple[str, str], list[CandidateMention]] = defaultdict(list)
    for mention in mentions:
        if not mention.method.startswith("identifier:"):
            places[mention.type, NAME(mention.text).text].append(mention)
    for (type, _), found in sorted(places.items()):
        evidence = sorted({mention.chunk_id for mention in found})[:_EVIDENCE]
        text = min(mention.text for mention in found)
        question = resolver.candidate(text, type, evidence=evidence)
        if question is not None:
            yield question
