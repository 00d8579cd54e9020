"""What a worker does with one document: metadata, parse, chunk. Pure: bytes in, one result out.

The result is kept in the cache as bytes under a key made of everything that shaped it, so a run that was killed, or the same
bytes seen again, does not do it twice. Documents of formats that are slow to parse are kept apart from their chunks: a rename
or a new chunk size then re-parses nothing.
"""

from __future__ import annotations

import platform
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

import orjson

from entities.identifiers import find
from flows.alike import Shingles
from flows.stages import Stages
from ingest.errors import (
    ConcordError,
    DocumentError,
    DocumentPartial,
    DocumentUnreadable,
    DocumentUnsupported,
    EngineUnavailable,
    ExtraMissing,
    MetadataInvalid,
    ModelUnavailable,
    ParserFailed,
    UsageError,
    WorkFailed,
)
from ingest.model.canonical import digest_of
from ingest.model.chunk import Chunked
from ingest.model.codec import decode
from ingest.model.document import Document, Link, Omission
from ingest.model.source import Declared, Failure, Revision, Source
from ingest.parse.trail import Course
from ingest.settings import Settings
from ingest.worker import notes as worker_notes

_GAPS_TOLD = 5
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """One document to work on. `document` is its parsed form as kept in the cache, when there is one."""

    source_id: str
    path: str
    revision: Revision
    data: bytes
    sidecar: bytes | None
    media_type: str | None
    document: bytes | None = None
    course: Course = Course()  # frozen
    """How to read its pages, where earlier workers died of some."""
    named: str | None = None
    """A name that tells its format, where that of its path does not."""
    stages: dict[str, str] | None = None
    """The fingerprints under which it is expected to be made."""
    trail: bytes | None = None
    """What earlier workers told of how far they came. None: nobody asks."""


@dataclass(frozen=True, slots=True)
class Made:
    """What became of a document, without its chunks. `declared` is None when its metadata cannot be trusted; `failure` is set
    when it did not parse, or when `missing` of its pages could not be read."""

    source_id: str
    media_type: str | None
    declared: Declared | None
    title: str
    language: str | None = None
    links: tuple[Link, ...] = ()
    """`block` is the character of the document's text at which the linking block starts."""
    omissions: tuple[Omission, ...] = ()
    pages: int | None = None
    failure: Failure | None = None
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Worked:
    """What comes back of a worker: the head, the chunks packed for the cache (None: it failed), and the parsed document packed
    when it was parsed here and is slow to parse."""

    made: Made
    chunks: bytes | None
    document: bytes | None
    found: bytes | None = None
    """The identifiers in each chunk, packed for the cache as lists of start, end, scheme and value."""
    near: dict[str, list[int]] = field(default_factory=dict)
    """Chunk -> what it shares with its copies: see flows/alike.py. Counting shingles is a good part of the work."""


def worker(settings: Settings, *, limited: bool, slow: bool = False) -> Callable[[Job], Worked]:
    """Return the callable of a worker. `limited` binds the whole process, so it is for processes of their own; `slow` readies it
    for formats that are parsed in processes forked from it."""
    if slow and limited:
        import ingest.chunk.structure
        import ingest.sources.metadata  # noqa: F401  # as the parsers: not anew in every fork
        from ingest.parse.route import ready_for_isolated

        ready_for_isolated()
    if limited:
        from ingest.parse.isolate import limit_process

        limit_process(settings.parse.memory_bytes, settings.parse.timeout_seconds)
        return partial(_checked, settings, Stages(settings))
    return partial(work, settings)


def _checked(settings: Settings, stages: Stages, job: Job) -> Worked:
    """As `work`, where it makes what the driver expects: on another machine another parser may be installed.

    Raises EngineUnavailable, which is not about one document."""
    here = stages.of(job.media_type, job.path)
    if job.stages is not None and here != job.stages:
        other = next(stage for stage in here if here[stage] != job.stages[stage])
        raise EngineUnavailable(
            f"a worker on {platform.node()} would make {job.path} under {here[other]} where {job.stages[other]} is expected "
            f"({other}); install the same versions and extras on every machine that works"
        )
    return work(settings, job)


def work(settings: Settings, job: Job) -> Worked:
    """Metadata, parse and chunk one document. Every failure of the document is in the result, none is raised."""
    parsed: bytes | None = None
    declared: Declared | None = None
    name = job.named or PurePosixPath(job.path).name
    try:
        declared = _declared(settings, job, name, None)
        document = unpack(Document, job.document) if job.document is not None else None
        if document is None:
            document = _parse(settings, job, name)
            parsed = pack(document) if is_slow(document.media_type) and not document.gaps else None
        declared = _declared(settings, job, name, document)
        made, chunked = _chunked(settings, job, document, declared)
    except (DocumentError, ExtraMissing, ModelUnavailable) as raised:
        error = document_error(raised, job.path)
        closes = isinstance(error, MetadataInvalid)  # also where only the format's own metadata tell: the first look passed then
        failure = failure_of(error, "metadata" if closes else "parse")
        return Worked(failed(job.source_id, job.path, job.media_type, None if closes else declared, failure), None, parsed)
    near = {child.chunk_id: Shingles(child.text[child.overlap :]).keys() for child in chunked.children}
    found = pack([[list(one) for one in find(child.text)] for child in chunked.children])
    return Worked(made, pack(chunked), parsed, found, near)


def look(file: Path, settings: Settings, root: Path | None = None) -> Looked:
    """Parse and chunk one file as it lies, outside any knowledge base. Its root is its folder, as with `ingest run FILE`, or
    `root`, as with `ingest run ROOT`: paths of rules are relative to it.

    Raises the DocumentError that a run would record, UsageError where the file is not below `root`."""
    try:
        data = file.read_bytes()
        sidecar_file = file.with_name(file.name + ".meta.yaml")
        sidecar = sidecar_file.read_bytes() if sidecar_file.exists() else None
    except OSError as error:
        raise DocumentUnreadable(f"{file} cannot be read: {error.strerror}; check the path and its permissions") from error
    source = _located(file.resolve(), root)
    job = Job(source.id, source.path, Revision("", "", len(data)), data, sidecar, None)
    declared = _declared(settings, job, file.name, None)
    document = _parse(settings, job, file.name)
    declared = _declared(settings, job, file.name, document)
    made, chunked = _chunked(settings, job, document, declared)
    return Looked(source.id, source.uri, source.path, document, declared, made.title, chunked)


def _located(file: Path, root: Path | None) -> Source:
    if root is None:
        return Source(file.parent.name, file.name)
    root = root.resolve()
    if not file.is_relative_to(root):
        raise UsageError(f"{file} is not below {root}; name the folder that ingest run is given")
    return Source(root.name, file.relative_to(root).as_posix())


@dataclass(frozen=True, slots=True)
class Looked:
    """What a parser and a chunker make of a file."""

    source_id: str
    uri: str
    path: str
    """Relative to its root."""
    document: Document
    declared: Declared
    title: str
    chunked: Chunked


def failed(source_id: str, path: str, media_type: str | None, declared: Declared | None, failure: Failure) -> Made:
    """Return what is known of a document that could not be made."""
    return Made(source_id, media_type, declared, _title(declared, None, path), failure=failure)


def _declared(settings: Settings, job: Job, name: str, document: Document | None) -> Declared:
    from ingest.sources.metadata import read

    embedded = None if document is None else document.embedded
    return read(job.data, job.sidecar, name=name, settings=settings.sources, embedded=embedded)


def _parse(settings: Settings, job: Job, name: str) -> Document:
    from ingest.parse.isolate import parse_guarded

    return parse_guarded(job.data, name, settings.parse, _trailed(job))


def _trailed(job: Job) -> Course:
    """The job's course, its trail continued in the notes of this worker, where it has some."""
    notes = worker_notes() if job.trail is not None else None
    if notes is None or job.trail is None:
        return job.course
    notes.write_bytes(job.trail)
    return replace(job.course, file=str(notes))


def _chunked(settings: Settings, job: Job, document: Document, declared: Declared) -> tuple[Made, Chunked]:
    from ingest.chunk.structure import chunk

    title = _title(declared, document, job.path)
    made = Made(
        job.source_id, document.media_type, declared, title, declared.language or document.language,
        tuple(_placed(document, link) for link in document.links),
        tuple(replace(omission, boxes=()) for omission in document.omissions), document.pages,
        _partial(document), sum(gap.last - gap.first + 1 for gap in document.gaps),
    )
    # A file's name stands in for a missing title where people read it, never in what is embedded: a rename embeds nothing.
    named = declared.title or document.title or ""
    return made, chunk(document, source_id=job.source_id, title=named, settings=settings.chunk.of(document.media_type, job.path))


def _partial(document: Document) -> Failure | None:
    """What is to be said of a document some of whose pages could not be read."""
    if not document.gaps:
        return None
    told = "; ".join(
        (f"page {gap.first}" if gap.first == gap.last else f"pages {gap.first} to {gap.last}") + f": {gap.reason}"
        for gap in document.gaps[:_GAPS_TOLD]
    )
    more = f"; and {len(document.gaps) - _GAPS_TOLD} more" if len(document.gaps) > _GAPS_TOLD else ""
    missing = sum(gap.last - gap.first + 1 for gap in document.gaps)
    message = f"{missing} of {document.pages} pages cannot be read ({told}{more}); print it to a new PDF"
    passing = any(gap.passing for gap in document.gaps)
    return Failure("parse", DocumentPartial.__name__, message, passing)


def _title(declared: Declared | None, document: Document | None, path: str) -> str:
    own = document.title if document is not None else None
    return (declared.title if declared is not None else None) or own or PurePosixPath(path).stem


def _placed(document: Document, link: Link) -> Link:
    span = document.blocks[link.block].provenance.span
    return replace(link, block=span[0] if span is not None else 0)


def is_slow(media_type: str) -> bool:
    """Whether a parsed document of this type is worth keeping by itself."""
    from ingest.parse.route import isolated

    return isolated(media_type)


def failure_of(error: ConcordError, stage: str) -> Failure:
    """Return an error as it is kept: without its traceback."""
    return Failure(stage, type(error).__name__, str(error), error.retryable)


def document_error(error: ConcordError, path: str) -> DocumentError:
    """Return what happened to a worker as what happened to its document. Anything that is not about one document is raised."""
    if isinstance(error, DocumentError):
        return error
    if isinstance(error, WorkFailed):
        name = PurePosixPath(path).name
        remedy = "save it again from its application or leave it out with .ingestignore"
        return ParserFailed(f"{name} cannot be parsed ({error}); {remedy}")
    if isinstance(error, ExtraMissing | ModelUnavailable):
        return DocumentUnsupported(str(error))
    raise error


def work_key(revision: Revision, source_id: str, path: str, stages: dict[str, str]) -> str:
    """Return the cache key of a `Made`."""
    return digest_of([revision.content, revision.metadata, source_id, path, stages])


def pack(noun: object) -> bytes:
    """Return a noun as bytes for the cache: JSON, deflated."""
    return zlib.compress(orjson.dumps(noun), 1)


def unpack(kind: type[T], data: bytes) -> T | None:
    """Undo `pack`. None for what another version packed in another form: it is made again."""
    try:
        return decode(kind, orjson.loads(zlib.decompress(data)))
    except (zlib.error, ValueError, TypeError, LookupError, AttributeError):
        return None
