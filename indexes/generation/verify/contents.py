"""Deep: the stored content of every row, worked out anew from the catalog and read back from what searches use.

Rows are streamed in large batches, because reading content back from postings costs about as much for one row as for thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from indexes.generation.kinds import expected_contents, units
from indexes.generation.verify.facts import Table
from indexes.generation.verify.findings import TORN_FILE, Drift
from indexes.generation.verify.held import BROKEN, Held, explain, unless_broken
from indexes.generation.verify.vectors import Embeddings, Sample, compare, told
from ingest.model.batches import batches
from ingest.model.generation import Manifest
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.store.catalog import Catalog

_AT_ONCE = 16_384
_DISPUTED_AT_MOST = 2000
"""Rows whose index and cache differ: the model decides between the two, of so many."""


@dataclass(slots=True)
class _Looked:
    """What came of the rows of one index."""

    wrong: set[str] = field(default_factory=set)
    torn: str = ""


@dataclass(slots=True)
class Reading:
    """One pass over all rows. `vectors`: unit vectors of rows that the vector index holds otherwise, as the cache has them."""

    indexes: list[Held]
    embeddings: Embeddings | None
    sample: Sample
    looked: dict[str, _Looked] = field(default_factory=dict)
    vectors: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    uncached: set[str] = field(default_factory=set)

    def read(self, catalog: Catalog, manifest: Manifest, chunks: Table, progress: Progress) -> None:
        """Compare every row that the catalog holds as written."""
        facts = catalog.facts("chunks", manifest.generation)
        nouns = (fact.noun(ChunkRow) for fact in facts if fact.id not in chunks.altered)
        progress.start("rows", int(manifest.catalog["chunks"].partition(":")[0]), "rows")
        for part in batches(nouns, _AT_ONCE):
            self.sample.offer(part)
            for held in self.indexes:
                looked = self.looked.setdefault(held.kind, _Looked())
                try:
                    looked.wrong |= self._wrong(held, part)
                except BROKEN as error:
                    looked.torn = looked.torn or f"it cannot be read: {error}"
            progress.advance("rows", len(part))
        progress.finish("rows")

    def _wrong(self, held: Held, part: list[ChunkRow]) -> set[str]:
        vectors = self._vectors(held, part) if held.kind == "vector" else []
        wanted = expected_contents(held.kind, part, vectors)
        found = held.reader.contents(list(wanted))
        # What is not held at all was told of when the sets were compared.
        wrong = {id for id, content in wanted.items() if id in found and found[id] != content}
        if held.kind == "vector":
            known = dict(zip((row.chunk_id for row in part), vectors, strict=True))
            self.vectors.update({id: vector for id in wrong - self.uncached if (vector := known[id]) is not None})
            self.texts.update({row.chunk_id: row.embed_text for row in part if row.chunk_id in wrong})
        return wrong

    def _vectors(self, held: Held, part: list[ChunkRow]) -> list[bytes | None]:
        """The vectors that rows must have: the cached ones; of rows without one those that are held, so that at least the rest of
        the row is compared."""
        cached: list[bytes | None] = [None] * len(part)
        if self.embeddings is not None:
            cached = units(self.embeddings.cached([row.embed_text for row in part]))
        missing = [row.chunk_id for row, vector in zip(part, cached, strict=True) if vector is None]
        if not missing:
            return cached
        self.uncached.update(missing)
        there = held.reader.vectors(missing)
        return [vector or there.get(row.chunk_id) for row, vector in zip(part, cached, strict=True)]


def deep(
    catalog: Catalog, manifest: Manifest, chunks: Table, indexes: list[Held], embeddings: Embeddings | None, sample: int | None,
    progress: Progress, *, edges_told: bool,
) -> Iterator[Drift]:
    """Yield in which rows the indexes hold something else than they must. `sample`: rows to embed anew, None: all of them.
    `edges_told`: edges of rows were compared already."""
    reading = Reading(indexes, embeddings, Sample(sample or 0))
    reading.read(catalog, manifest, chunks, progress)
    for held in indexes:
        looked = reading.looked.get(held.kind, _Looked())
        if looked.torn:
            yield Drift(TORN_FILE, held.where, looked.torn)
        if held.kind == "vector":
            yield from _of_vectors(catalog, manifest, chunks, held, reading, sample, progress)
        elif looked.wrong:
            edges = not (held.kind == "graph" and edges_told)
            yield from _explained(catalog, manifest, chunks, held, looked.wrong, edges=edges)


def _explained(
    catalog: Catalog, manifest: Manifest, chunks: Table, held: Held, wrong: set[str], vectors: dict[str, bytes] | None = None,
    *, edges: bool = True,
) -> Iterator[Drift]:
    yield from unless_broken(held, explain(catalog, manifest.generation, held, sorted(wrong), chunks, vectors, edges=edges))


def _of_vectors(
    catalog: Catalog, manifest: Manifest, chunks: Table, held: Held, reading: Reading, sample: int | None, progress: Progress
) -> Iterator[Drift]:
    wrong = reading.looked.get("vector", _Looked()).wrong
    if reading.embeddings is None:
        yield from _explained(catalog, manifest, chunks, held, wrong, reading.vectors)
        return
    disputed = {id: reading.texts[id] for id in sorted(reading.vectors)[:_DISPUTED_AT_MOST]}
    texts = {**reading.sample.chosen(), **disputed}
    if sample is None:
        facts = catalog.facts("chunks", manifest.generation)
        texts = {fact.id: fact.noun(ChunkRow).embed_text for fact in facts if fact.id not in chunks.altered}
    found = compare(texts, held.reader, reading.embeddings, progress)
    # Where the model sides with the index it is the cache that is wrong, and the row is no finding but the entry.
    acquitted = {id for id in found.cache if id not in found.index}
    vectors = {id: vector for id, vector in reading.vectors.items() if id not in acquitted}
    yield from _explained(catalog, manifest, chunks, held, wrong - acquitted, vectors)
    found.index -= set(vectors)
    yield from told(found, len(texts), reading.uncached, reading.embeddings.stage)
