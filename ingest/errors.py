"""Every error that a caller may meet, as one small tree.

    ConcordError                     exit 1
    ├── UsageError                   exit 2   the command or a setting is wrong
    │   ├── SettingsInvalid
    │   └── ExtraMissing             an optional package is needed; names the install command
    ├── DocumentError                exit 4   one document; the run goes on
    │   ├── DocumentUnreadable       permission, vanished, I/O            (retryable)
    │   ├── DocumentEmpty            zero bytes or no text in it
    │   ├── DocumentEncrypted
    │   ├── DocumentCorrupt          truncated or not what its format demands
    │   ├── DocumentUnsupported      a format that no parser takes
    │   ├── DocumentTooLarge         over a limit of settings (bytes, pages, expansion)
    │   ├── ParserFailed             crash, timeout or memory limit of a worker
    │   ├── DocumentPartial          some pages could not be read, the others are there
    │   └── MetadataInvalid          front matter, sidecar or access keys cannot be trusted: access closes
    ├── SourceError
    │   ├── RootUnavailable          exit 6   missing or unreadable
    │   ├── RootEmptied              exit 1   had sources, now yields none
    │   └── MassDeletion             exit 1   more would go than the guard allows
    ├── LeaseHeld                    exit 7   another run is writing
    ├── OnHold                       exit 7   rolled back; run refuses until released
    ├── Inconsistent                 exit 5   an index does not hold what it claims
    │   ├── VersionMismatch          a build carries another generation's stamp
    │   ├── BuildCorrupt             a sealed file is damaged or missing
    │   └── ArchiveCorrupt           an archive is cut, altered or not what it claims; nothing of it was imported
    ├── EngineUnavailable            exit 6   an engine recorded at publish is not here
    │   └── ServerUnavailable        a server that holds an index does not answer   (retryable)
    ├── ModelUnavailable             exit 6   weights missing or their checksum is wrong
    ├── WorkFailed                   exit 1   a worker process crashed, hung, ran out of memory or met a foreign exception
    ├── ClusterUnavailable           exit 6   Ray cannot be started or reached, or has no place for a worker   (retryable)
    ├── KnowledgeBaseMissing         exit 6   nothing has been published there
    ├── NotFound                     exit 1   no such id or generation
    ├── ServiceRefused               exit 1   a server does not do what a caller asks
    │   ├── Unauthenticated          no token, or none that is valid; never says which
    │   ├── NotGranted               a knowledge base or a tool that this caller was not given, or that does not exist
    │   ├── BudgetExhausted          calls, evidence or opened documents of a session are used up
    │   └── ServerBusy               as many are being answered as may be   (retryable)
    ├── AuditFailed                  exit 1   what was asked cannot be recorded, so it is not answered   (retryable)
    ├── StoppedAtStep                exit 1   debug.stop_at asked for it   (retryable)
    └── StorageFailed                exit 1   disk full, I/O error, locked database   (retryable)
        └── CatalogUnreachable       exit 6   the server that has the catalog is down, refuses, or was lost   (retryable)

Each is named for what happened, keeps its ids as attributes, and says in its message what to do next. Exceptions of
libraries are translated where the library is touched.
"""

from __future__ import annotations


class ConcordError(Exception):
    """Base of all. `str(error)` is one or two sentences: what happened, to which file, and what to do next."""

    exit_code = 1
    retryable = False


class UsageError(ConcordError):
    exit_code = 2


class SettingsInvalid(UsageError):
    pass


class ExtraMissing(UsageError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package; install it with: pip install 'concord-kb[{extra}]'")
        self.extra = extra


class DocumentError(ConcordError):
    """One document cannot be taken. `uri` is filled in by whoever knows it; parsers need not."""

    exit_code = 4

    def __init__(self, message: str, *, uri: str | None = None) -> None:
        super().__init__(message)
        self.uri = uri


class DocumentUnreadable(DocumentError):
    retryable = True


class DocumentEmpty(DocumentError):
    pass


class DocumentEncrypted(DocumentError):
    pass


class DocumentCorrupt(DocumentError):
    pass


class DocumentUnsupported(DocumentError):
    pass


class DocumentTooLarge(DocumentError):
    pass


class ParserFailed(DocumentError):
    """The worker crashed, hung or ran out of memory on this document."""


class DocumentPartial(DocumentError):
    """Some pages of a document could not be read. Never raised: it is what is recorded beside the pages that are served."""


class MetadataInvalid(DocumentError):
    """Front matter, a sidecar or an access key cannot be trusted, so the document is withdrawn rather than opened."""


class SourceError(ConcordError):
    pass


class RootUnavailable(SourceError):
    exit_code = 6
    retryable = True


class RootEmptied(SourceError):
    pass


class MassDeletion(SourceError):
    pass


class LeaseHeld(ConcordError):
    exit_code = 7
    retryable = True


class OnHold(ConcordError):
    exit_code = 7


class Inconsistent(ConcordError):
    exit_code = 5


class VersionMismatch(Inconsistent):
    pass


class BuildCorrupt(Inconsistent):
    pass


class ArchiveCorrupt(Inconsistent):
    pass


class EngineUnavailable(ConcordError):
    exit_code = 6


class ServerUnavailable(EngineUnavailable):
    retryable = True


class ModelUnavailable(ConcordError):
    exit_code = 6


class WorkFailed(ConcordError):
    """One piece of work given to `ingest.execute` came to nothing; the stage that gave it says what it was about.

    `kind` is `crash` (the process died), `timeout`, `memory` or `exception` (something else than a ConcordError was raised).
    After a crash or a timeout, `notes` is what the work had noted of itself (`ingest.worker.notes`), the last of it `quiet`
    seconds before.
    """

    def __init__(self, message: str, *, kind: str, notes: bytes = b"", quiet: float = 0.0) -> None:
        super().__init__(message)
        self.kind = kind
        self.notes = notes
        self.quiet = quiet


class ClusterUnavailable(ConcordError):
    exit_code = 6
    retryable = True


class KnowledgeBaseMissing(ConcordError):
    exit_code = 6


class NotFound(ConcordError):
    pass


class ServiceRefused(ConcordError):
    """What a server refuses. The message is for whoever asked: it names nothing that the caller could not know."""


class Unauthenticated(ServiceRefused):
    pass


class NotGranted(ServiceRefused):
    pass


class BudgetExhausted(ServiceRefused):
    """`what` is used up: calls, evidence tokens or opened documents. `seconds`: until they are counted anew; None: never."""

    def __init__(self, message: str, *, what: str, seconds: int | None = None) -> None:
        super().__init__(message)
        self.what = what
        self.seconds = seconds


class ServerBusy(ServiceRefused):
    retryable = True


class AuditFailed(ConcordError):
    retryable = True


class StoppedAtStep(ConcordError):
    """See `ingest.steps`: a debugging aid made a run fail where nothing else did."""

    retryable = True


class StorageFailed(ConcordError):
    """`of_catalog`: it is the catalog's file that cannot be used."""

    retryable = True

    def __init__(self, message: str, *, of_catalog: bool = False) -> None:
        super().__init__(message)
        self.of_catalog = of_catalog


class CatalogUnreachable(StorageFailed):
    """The server that has the catalog does not answer, does not let this role in, or was lost in the middle of something."""

    exit_code = 6
