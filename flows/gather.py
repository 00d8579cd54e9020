"""From what a plan suspects to what each document became: read, look in the caches, let workers do the rest.

Documents stream: the driver reads one, a worker makes it, the result goes to the cache as bytes, and only its head (revision,
fingerprints, key) stays in memory, so a run over a large folder needs little more of it than one over a small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from flows.alike import FINGERPRINT as NEAR
from flows.attempts import Attempts
from flows.base import Base
from flows.gathered import CHUNKS, FOUND, MADE, PARSED, Gathered, held
from flows.stages import Stages
from flows.state import PARTIAL, standing
from flows.work import Job, Made, Worked, document_error, failed, failure_of, pack, work_key, worker
from ingest.errors import DocumentError, DocumentPartial, MetadataInvalid, ParserFailed
from ingest.execute import Outcome, map_unordered
from ingest.model.canonical import digest_of, sha256_hex
from ingest.model.chunk import Chunked
from ingest.model.source import Declared, Failure, Revision, SourceRecord
from ingest.parse.detect import detect
from ingest.parse.route import isolated
from ingest.progress import Progress
from ingest.sources import metadata
from ingest.sources.found import Content, Scanned
from ingest.sources.remote.ahead import ahead
from ingest.sources.scan import read, read_sidecar
from ingest.steps import reached
from ingest.store.passages import Passages

_INLINE_BYTES = 256 * 1024
"""Up to this much text, starting worker processes costs more than they save."""
_STORED_AT_ONCE = 16
_NOTED_AT_ONCE = 20_000
"""Chunks, a dozen MB of keys. What a killed run did not note, the next one finds out anew."""
_SLOW_SUFFIXES = (".pdf", ".docx", ".pptx", ".xlsx", ".wav", ".mp3", ".m4a", ".flac", ".ogg", ".mp4")
"""A hint only: which documents to look at first. What the bytes say decides."""


class Gathering:
    """Reads suspects and makes what changed. `same` fills with those whose bytes turned out to be what is served already.

    `retry`: a document that failed is tried again whatever the reason; a worker may have been too slow on a busy night."""

    def __init__(self, base: Base, known: Mapping[str, SourceRecord], progress: Progress, *, retry: bool = False) -> None:
        self._base = base
        self._settings = base.settings
        self._stages = Stages(base.settings)
        self._known = known
        self._progress = progress
        self._retry = retry
        self._waiting: dict[str, tuple[Scanned, Content, dict[str, str], str]] = {}
        self._heads: dict[str, bytes] = {}
        self._chunks: dict[str, bytes] = {}
        self._passages = Passages(base.layout.passages, NEAR)
        self._found: dict[str, bytes] = {}
        self._near: dict[str, list[int]] = {}
        self.same: list[tuple[Scanned, Content]] = []

    def _again(self, known: SourceRecord) -> bool:
        return known.failure is not None if self._retry else worth_a_retry(known)

    def all(self, suspects: Sequence[Scanned]) -> Iterator[Gathered]:
        """Yield a Gathered for every suspect that is not `same`, in no particular order."""
        self._progress.start("parse", len(suspects), "documents")
        text = [scanned for scanned in suspects if not scanned.source.path.lower().endswith(_SLOW_SUFFIXES)]
        slow = [scanned for scanned in suspects if scanned.source.path.lower().endswith(_SLOW_SUFFIXES)]
        strays: list[Job] = []
        inline = self._settings.execute.executor == "inline" or sum(item.stat.size for item in text) <= _INLINE_BYTES
        with closing(self._passages):
            yield from self._made(text, strays, inline=inline, slow=False)
            yield from self._made(slow, strays, inline=self._settings.execute.executor == "inline", slow=True)
        self._progress.finish("parse")

    def _made(self, suspects: Sequence[Scanned], strays: list[Job], *, inline: bool, slow: bool) -> Iterator[Gathered]:
        """Make one sort of document. Those that turn out to be slow among the others are strays, made with the slow ones."""
        settled: list[Gathered] = []
        execute = self._settings.execute

        def jobs(attempts: Attempts | None) -> Iterator[Job]:
            for scanned in ahead(suspects, self._settings.sources):
                found = self._look(scanned)
                if isinstance(found, Gathered):
                    settled.append(found)
                elif found is None:
                    self._progress.advance("parse")
                elif not slow and found.media_type is not None and isolated(found.media_type):
                    strays.append(found)
                else:
                    yield found if attempts is None else attempts.prepared(found)
            if slow:
                yield from (strays if attempts is None else map(attempts.prepared, strays))

        spread = partial(
            map_unordered, partial(worker, self._settings, limited=not inline, slow=slow),
            executor="inline" if inline else execute.executor, workers=execute.workers,
            timeout=self._settings.parse.timeout_seconds, fresh=slow, address=execute.ray_address,
        )
        attempts = Attempts(self._settings.parse.timeout_seconds)
        waiting: Iterable[Job] = jobs(None if inline else attempts)
        while True:
            again: list[Job] = []
            for outcome in spread(waiting):
                yield from self._flushed(settled)
                following = attempts.following(outcome)
                if following is not None:
                    again.append(following)
                    continue
                yield self._finished(outcome)
                self._progress.advance("parse")
            if not again:
                break
            waiting = again
        self._store(at_least=1)
        self._note(at_least=1)
        yield from self._flushed(settled)

    def _flushed(self, settled: list[Gathered]) -> Iterator[Gathered]:
        while settled:
            self._progress.advance("parse")
            yield settled.pop()

    def _look(self, scanned: Scanned) -> Job | Gathered | None:
        """Read one suspect. None: it is what is served. Gathered: settled without work (it failed, or the cache has it)."""
        known = self._known.get(scanned.source.id)
        try:
            content = read(scanned, self._settings.sources.max_bytes)
        except DocumentError as error:
            return self._unread(scanned, known, error)
        reached("document read")
        media_type, failure = None, None
        try:
            name = content.named or scanned.file.name
            media_type = detect(content.data, name, max_expanded_bytes=self._settings.parse.max_expanded_bytes)
        except DocumentError as error:
            failure = failure_of(error, "detect")
        stages = self._stages.of(media_type, scanned.source.path)
        bare = Content(b"", None, content.revision, content.signature, content.sidecar_signature)
        if known is not None and known.revision == content.revision and known.stages == stages and not self._again(known):
            self.same.append((scanned, bare))
            return None
        key = work_key(content.revision, scanned.source.id, scanned.source.path, stages)
        if media_type is None:
            assert failure is not None
            made = self._despite(scanned, content.revision, None, content.data, content.sidecar, failure)
            return Gathered(scanned, content.revision, stages, None, bare, made)
        head = held(self._base, MADE, Made, key)
        if head is not None and held(self._base, CHUNKS, Chunked, key) is not None:
            return Gathered(scanned, content.revision, stages, media_type, bare, head, key)
        self._waiting[scanned.source.id] = (scanned, bare, stages, key)
        parsed = self._base.cache.get_many(PARSED, [_parsed_key(content.revision, stages)]) if isolated(media_type) else {}
        return Job(
            scanned.source.id, scanned.source.path, content.revision, content.data, content.sidecar, media_type,
            next(iter(parsed.values()), None), named=content.named, stages=stages,
        )

    def _unread(self, scanned: Scanned, known: SourceRecord | None, error: DocumentError) -> Gathered:
        """A file that could not be read says nothing new: what is known of it stays, with the reason.

        Its metadata are trusted as last read, unless it is the metadata themselves that cannot be, or the sidecar has changed:
        what that means together with the rest is known once the file can be read. No content is in its revision, so that it is
        read again whatever becomes of it."""
        closes = isinstance(error, MetadataInvalid) or (known is not None and _sidecar_changed(scanned, known))
        declared = None if closes or known is None else known.declared
        media_type = known.media_type if known is not None else None
        failure = failure_of(error, "metadata" if closes else "read")
        made = failed(scanned.source.id, scanned.source.path, media_type, declared, failure)
        revision = Revision("", known.revision.metadata if known is not None else "", scanned.stat.size)
        return Gathered(scanned, revision, self._stages.of(media_type, scanned.source.path), media_type, None, made)

    def _despite(
        self, scanned: Scanned, revision: Revision, media_type: str | None, data: bytes, sidecar: bytes | None, failure: Failure
    ) -> Made:
        """What is known of a document that was read and failed. Where its metadata fail too, that is the failure: it closes."""
        declared: Declared | None = None
        try:
            declared = self._said(scanned, data, sidecar)
        except DocumentError as error:
            failure = failure_of(error, "metadata")
        made = failed(scanned.source.id, scanned.source.path, media_type, declared, failure)
        return self._standing(scanned, revision, sidecar, made)

    def _standing(self, scanned: Scanned, revision: Revision, sidecar: bytes | None, made: Made) -> Made:
        """A document that failed, under what it declared before as far as that stands."""
        known = self._known.get(scanned.source.id)
        if made.declared is None or known is None or known.served is None:
            return made
        return replace(made, declared=standing(known, revision, made.declared, self._said(scanned, b"", sidecar)))

    def _said(self, scanned: Scanned, data: bytes, sidecar: bytes | None) -> Declared:
        return metadata.read(data, sidecar, name=scanned.file.name, settings=self._settings.sources)

    def _finished(self, outcome: Outcome[Job, Worked]) -> Gathered:
        job = outcome.item
        scanned, bare, stages, key = self._waiting.pop(job.source_id)
        if outcome.error is not None:
            failure = failure_of(document_error(outcome.error, job.path), "parse")
            made = self._despite(scanned, job.revision, job.media_type, job.data, job.sidecar, failure)
            return Gathered(scanned, job.revision, stages, job.media_type, bare, made)
        worked = outcome.result()
        reached("document parsed")
        if worked.document is not None:
            self._base.cache.put_many(PARSED, {_parsed_key(job.revision, stages): worked.document})
            reached("parsed form kept")
        made = worked.made
        if worked.chunks is not None and made.failure is not None:
            made = self._in_part(job, made, made.failure)
        if worked.chunks is None or (made.failure is not None and made.failure.error != DocumentPartial.__name__):
            made = self._standing(scanned, job.revision, job.sidecar, made)
            return Gathered(scanned, job.revision, stages, job.media_type, bare, made)
        if made.failure is None:
            self._heads[key] = pack(made)
        # Of a document that could be read in part the cache has the chunks, for this run, and no head: it is made again.
        self._chunks[key] = worked.chunks
        self._near.update(worked.near)
        if worked.found is not None:
            self._found[key] = worked.found
        self._store(at_least=_STORED_AT_ONCE)
        self._note(at_least=_NOTED_AT_ONCE)
        return Gathered(scanned, job.revision, stages, job.media_type, bare, made, key)

    def _in_part(self, job: Job, made: Made, failure: Failure) -> Made:
        """What becomes of a document some of whose pages could not be read: served, or failed where an older text is worth more.

        A complete text of the same bytes always is; one of other bytes is where more than a tenth of the new one is missing.
        """
        known = self._known.get(job.source_id)
        if known is None or known.served is None or known.state == PARTIAL:
            serves = True
        else:
            most = self._settings.parse.partial_share * (made.pages or 0)
            serves = known.served != job.revision.content and made.missing <= most
        if serves:
            return replace(made, failure=replace(failure, message=f"{failure.message}; the other pages are served"))
        message = f"{failure.message}; its last complete text stays served"
        return replace(made, failure=replace(failure, error=ParserFailed.__name__, message=message))

    def _store(self, *, at_least: int) -> None:
        if len(self._chunks) >= at_least:
            self._base.cache.put_many(CHUNKS, self._chunks)
            reached("chunks kept")
            self._base.cache.put_many(FOUND, self._found)
            self._base.cache.put_many(MADE, self._heads)  # last: a head promises its chunks, and what was found in them
            reached("documents kept")
            self._heads.clear()
            self._chunks.clear()
            self._found.clear()

    def _note(self, *, at_least: int) -> None:
        if len(self._near) >= at_least:
            self._passages.put(self._near)
            self._near.clear()


def _sidecar_changed(scanned: Scanned, known: SourceRecord) -> bool:
    """Whether the sidecar of a document that cannot be read itself is another than the one it was last read with."""
    if scanned.elsewhere is not None and scanned.elsewhere.sidecar_same:
        return False
    try:
        sidecar = read_sidecar(scanned)
    except DocumentError:
        return True
    return (sha256_hex(sidecar) if sidecar is not None else "") != known.revision.metadata


def _parsed_key(revision: Revision, stages: dict[str, str]) -> str:
    return digest_of([revision.content, stages["parse"]])


def worth_a_retry(record: SourceRecord) -> bool:
    """Whether a document failed for a reason that may have gone away by itself."""
    return record.failure is not None and record.failure.retryable
