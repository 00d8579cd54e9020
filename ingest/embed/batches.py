"""No text is embedded twice: what the cache holds is reused, the rest goes to workers in batches, each kept the moment it comes.

`settings.batch` texts at most are with workers at any time (on a cluster: two batches for each), so that is what a crash of the
whole run can cost. A worker that
dies costs its batch, which is tried once more, text by text; a text on which a worker dies again is reported as failed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.embed.engine import Choice, load
from ingest.errors import ConcordError, StorageFailed, WorkFailed
from ingest.execute import IN_FLIGHT, cores, map_unordered
from ingest.model.batches import batches
from ingest.model.canonical import sha256_hex
from ingest.progress import Progress, Silent
from ingest.settings import EmbedPart, ExecutePart
from ingest.steps import reached
from ingest.store.cache import Cache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOOKED_UP_AT_ONCE = 500
_LARGEST_BATCH = 8
"""A sixth of a second of the default model: long beside the millisecond that handing over and storing take, short beside a run,
at whose end workers wait for the last batch."""

_MOST_LOST = 8
_TIMEOUT = 900.0
"""Seconds for one batch. An endpoint has limits of its own; for a model on this machine it means that it hangs."""

_INLINE = frozenset({"hash"})
"""Engines that take less time than handing texts to another process does."""

STAGE = "embed"
TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """`embedded` texts were computed in this call, `reused` were in the cache or repeated another; `failed` maps the texts that
    have no vector to the reason."""

    embedded: int
    reused: int
    seconds: float
    failed: dict[str, ConcordError] = field(default_factory=dict)
    long: int = 0
    """How many of the texts take more tokens than the window has: their vectors are means over parts."""
    longest: int = 0
    """Tokens of the longest text; 0 where the engine does not tell."""


def tokens_stage(choice: Choice) -> str:
    """Return the stage under which the token counts of an embedder are cached: by text as its vector, a u32, little-endian."""
    return f"{TOKENS}:{choice.fingerprint}"


def cache_stage(choice: Choice) -> str:
    """Return the stage under which the vectors of an embedder are cached."""
    return f"{STAGE}:{choice.fingerprint}"


def embed_missing(
    texts: Iterable[str],
    choice: Choice,
    settings: EmbedPart,
    cache: Cache,
    execute: ExecutePart,
    models: Path,
    progress: Progress | None = None,
) -> EmbedReport:
    """See to it that the cache holds the passage vector of every text. Texts are consumed once, streamed, and may repeat.

    `models` is the folder of converted models. Raises what loading the engine raises, ModelUnavailable when an endpoint gives
    up, StorageFailed when the cache cannot be written, and WorkFailed when workers die wherever they are put to work.
    """
    started = time.perf_counter()
    run = _Run(choice, settings, cache, execute, models, progress or Silent())
    run.progress.start(STAGE, len(texts) if isinstance(texts, Sized) else None, "texts")
    run.all(texts)
    run.progress.finish(STAGE)
    return EmbedReport(run.embedded, run.reused, time.perf_counter() - started, run.failed, run.long, run.longest)


def vectors(texts: Iterable[str], choice: Choice, cache: Cache) -> Iterator[NDArray[np.float32]]:
    """Yield the cached passage vector of each text, in order, read a few hundred at a time. Raises StorageFailed for one that
    the cache does not hold (or no longer holds whole)."""
    import numpy as np

    for part in batches(texts, _LOOKED_UP_AT_ONCE):
        keys = [sha256_hex(text) for text in part]
        held = cache.get_many(cache_stage(choice), keys)
        for key in keys:
            value = held.get(key)
            if value is None or len(value) != 4 * choice.dimensions:
                raise StorageFailed("a vector is missing from the cache or damaged there; run again, and it is made anew")
            yield np.frombuffer(value, "<f4")


class _Run:
    """One call of `embed_missing`: its arguments and its counts."""

    def __init__(
        self, choice: Choice, settings: EmbedPart, cache: Cache, execute: ExecutePart, models: Path, progress: Progress
    ) -> None:
        self._choice, self._cache, self.progress = choice, cache, progress
        self._stage = cache_stage(choice)
        inline = choice.engine in _INLINE or execute.executor == "inline"
        workers, self._batch = (1, settings.batch) if inline else _shares(settings, execute)
        self._spread = partial(
            map_unordered,
            partial(_embedding, choice, settings, models),
            executor="inline" if inline else execute.executor,
            workers=workers,
            timeout=_TIMEOUT,
            address=execute.ray_address,
        )
        self._pending: set[str] = set()
        self.embedded = self.reused = self.long = self.longest = 0
        self.failed: dict[str, ConcordError] = {}

    def all(self, texts: Iterable[str]) -> None:
        lost = [text for batch, _ in self._done(self._missing(texts)) for text in batch]
        if lost:
            self.progress.note(f"a worker died while embedding; {len(lost)} texts are tried once more, one by one")
        for (text,), error in self._done([text] for text in lost):
            self.failed[text] = error
            self.progress.advance(STAGE)

    def _done(self, wanted: Iterable[list[str]]) -> Iterator[tuple[list[str], ConcordError]]:
        """Embed and keep batches; yield those that a worker did not survive, each with the reason."""
        losses = 0
        for outcome in self._spread(wanted):
            if outcome.error is None:
                self._keep(outcome.item, outcome.result())
                losses = 0
            elif not isinstance(outcome.error, WorkFailed) or (losses := losses + 1) >= _MOST_LOST:
                raise outcome.error
            else:
                yield outcome.item, outcome.error

    def _missing(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield batches of the texts that have no vector yet and are not with a worker."""
        batch: list[str] = []
        for part in batches(texts, _LOOKED_UP_AT_ONCE):
            keyed = {sha256_hex(text): text for text in part}
            held = self._cache.get_many(self._stage, list(keyed))
            wanted = [key for key in keyed if len(held.get(key, b"")) != 4 * self._choice.dimensions and key not in self._pending]
            self.reused += len(part) - len(wanted)
            if self._choice.window:
                self._weigh(self._cache.get_many(tokens_stage(self._choice), [key for key in held if key not in wanted]).values())
            self.progress.advance(STAGE, len(part) - len(wanted))
            for key in wanted:
                self._pending.add(key)
                batch.append(keyed[key])
                if len(batch) == self._batch:
                    yield batch
                    batch = []
        if batch:
            yield batch

    def _keep(self, texts: Sequence[str], joined: bytes) -> None:
        reached("vectors made")
        size = 4 * self._choice.dimensions
        keys = [sha256_hex(text) for text in texts]
        counts = joined[size * len(keys) :]
        if counts:  # before the vectors: whoever finds one finds the other
            counted = {key: counts[4 * i : 4 * i + 4] for i, key in enumerate(keys)}
            self._cache.put_many(tokens_stage(self._choice), counted)
            self._weigh(counted.values())
        self._cache.put_many(self._stage, {key: joined[i * size : (i + 1) * size] for i, key in enumerate(keys)})
        reached("vectors kept")
        self._pending.difference_update(keys)
        self.embedded += len(keys)
        self.progress.advance(STAGE, len(keys))


    def _weigh(self, counts: Iterable[bytes]) -> None:
        for count in counts:
            tokens = int.from_bytes(count, "little")
            self.long += tokens > self._choice.window
            self.longest = max(self.longest, tokens)


def _shares(settings: EmbedPart, execute: ExecutePart) -> tuple[int, int]:
    """How many workers embed (0: one a core of the cluster), and how many texts each is given at once.

    On this machine all texts with workers, or waiting for one, are together no more than `settings.batch`; on a cluster, of which
    only Ray knows how large it is, that holds of each batch."""
    if execute.executor == "ray":
        return execute.workers, min(settings.batch, _LARGEST_BATCH)
    workers = min(execute.workers or cores(), max(settings.batch // IN_FLIGHT, 1))
    return workers, min(max(settings.batch // (IN_FLIGHT * workers), 1), _LARGEST_BATCH)


def _embedding(choice: Choice, settings: EmbedPart, models: Path) -> Callable[[list[str]], bytes]:
    """Factory for workers: loads the engine, returns what turns texts into their vectors' bytes, one after the other, and behind
    them, where the engine tells, the number of tokens of each."""
    embedder = load(choice, settings, models)

    def embed(texts: list[str]) -> bytes:
        counts = b"".join(count.to_bytes(4, "little") for count in embedder.tokens(texts))
        return embedder.passages(texts).astype("<f4", copy=False).tobytes() + counts

    return embed

