"""The bytes of one source, read once and hashed, from exactly the file that was scanned.

The decision worth knowing: every component of the path is opened relative to the one above it and never through a link, so a
folder or file that is swapped for a link after the scan cannot make a run read outside the root. A file that changes while it
is read is read again, and one that does not hold still is a failure to be retried, never a torn text.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable

from ingest.errors import DocumentTooLarge, DocumentUnreadable, MetadataInvalid
from ingest.model.canonical import sha256_hex
from ingest.model.source import Revision
from ingest.sources.found import Content, Scanned, Signature, signature_of
from ingest.sources.names import MOST_SIDECAR_BYTES, SIDECAR_SUFFIX

SETTLED_NS = 3_000_000_000
"""A file is trusted by its signature once its times are this far in the past: more than the coarsest tick in use (2 s)."""

_TRIES = 3
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def read(scanned: Scanned, max_bytes: int, now_ns: Callable[[], int] = time.time_ns) -> Content:
    """Read a source and its sidecar.

    Raises DocumentTooLarge before reading; DocumentUnreadable (retryable) for what the file system refuses or what changes all
    the time; MetadataInvalid where the sidecar is there and cannot be read. `now_ns` is the clock against which a file is
    too young to be trusted by its signature.
    """
    uri = scanned.source.uri
    if scanned.problem is not None:
        raise MetadataInvalid(f"{uri}: {scanned.problem}", uri=uri)
    if scanned.elsewhere is not None:
        from ingest.sources.remote.ahead import fetched
        from ingest.sources.remote.reading import read_elsewhere

        return read_elsewhere(scanned, scanned.elsewhere, fetched(scanned, scanned.elsewhere, max_bytes))
    begun = now_ns()
    data, status = _document(scanned, max_bytes)
    # The sidecar comes second: who restricts a document before putting secrets into it is never read the other way round.
    sidecar, sidecar_status = _sidecar(scanned)
    revision = Revision(sha256_hex(data), sha256_hex(sidecar) if sidecar is not None else "", len(data))
    return Content(
        data, sidecar, revision, _settled(status, begun), _settled(sidecar_status, begun) if sidecar_status else None
    )


def read_sidecar(scanned: Scanned) -> bytes | None:
    """Read the sidecar alone, of a source that cannot be read itself. Raises as `read` does."""
    if scanned.elsewhere is not None:
        from ingest.sources.remote.reading import sidecar_elsewhere

        found = sidecar_elsewhere(scanned, scanned.elsewhere, changed=False)
        return found.data if found is not None else None
    return _sidecar(scanned)[0]


def open_below(base: str, path: str) -> int:
    """Open the regular file `path` below the folder `base`, both real paths, through no link. Raises OSError.

    Never blocks: a pipe in its place is opened without waiting, and whoever reads must ask `fstat` what was opened.
    """
    at, name = _folder_below(base, path)
    try:
        return os.open(name, _FILE_FLAGS, dir_fd=at)
    finally:
        os.close(at)


def _folder_below(base: str, path: str) -> tuple[int, str]:
    """Open the folder that `path` lies in; return its descriptor and the name in it."""
    inside = base.rstrip("/") + "/"
    if not path.startswith(inside):
        raise PermissionError(errno.EPERM, "it is not below the root")
    *folders, name = path[len(inside) :].split("/")
    at = os.open(base, _FOLDER_FLAGS)
    for folder in folders:
        try:
            below = os.open(folder, _FOLDER_FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at, name


class _Unsteady(Exception):
    """The file changed during every try, or is no regular file."""


class _TooLarge(Exception):
    pass


def _document(scanned: Scanned, max_bytes: int) -> tuple[bytes, os.stat_result]:
    uri = scanned.source.uri
    try:
        return _steady(scanned.base, scanned.real, max_bytes)
    except _TooLarge:
        raise DocumentTooLarge(
            f"{uri} is larger than {max_bytes} bytes; raise sources.max_bytes, or ignore it", uri=uri
        ) from None
    except OSError as error:
        raise DocumentUnreadable(
            f"{uri} cannot be read: {error.strerror}; check its permissions and run again", uri=uri
        ) from error
    except _Unsteady as error:
        raise DocumentUnreadable(f"{uri} {error}; run again when nobody writes it", uri=uri) from error


def _sidecar(scanned: Scanned) -> tuple[bytes | None, os.stat_result | None]:
    uri = scanned.source.uri
    path = scanned.real_sidecar or scanned.real + SIDECAR_SUFFIX
    name = path.rpartition("/")[2]
    try:
        return _steady(scanned.base, path, MOST_SIDECAR_BYTES)
    except FileNotFoundError as error:
        if scanned.real_sidecar is None:
            return None, None  # nor has one appeared since the scan
        raise DocumentUnreadable(f"{uri}: its sidecar {name} vanished while it was read; run again", uri=uri) from error
    except _TooLarge:
        raise MetadataInvalid(f"{uri}: its sidecar {name} is larger than {MOST_SIDECAR_BYTES} bytes", uri=uri) from None
    except OSError as error:
        raise MetadataInvalid(
            f"{uri}: its sidecar {name} cannot be read: {error.strerror}; check its permissions", uri=uri
        ) from error
    except _Unsteady as error:
        raise DocumentUnreadable(f"{uri}: its sidecar {name} {error}; run again", uri=uri) from error


def _steady(base: str, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file that did not change while they were read, and its status."""
    for _ in range(_TRIES):
        with os.fdopen(open_below(base, path), "rb", buffering=0) as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise _Unsteady("is not a regular file any more")
            if before.st_size > max_bytes:
                raise _TooLarge
            data = _all(file.fileno(), before.st_size)
            after = os.fstat(file.fileno())
        if signature_of(before) == signature_of(after) and len(data) == after.st_size:
            return data, after
    raise _Unsteady("is being written")


def _all(descriptor: int, size: int) -> bytes:
    """`size` bytes and one more if there is one (then the file grew). A read may return less than was asked for."""
    parts: list[bytes] = []
    wanted = size + 1
    while wanted > 0:
        part = os.read(descriptor, min(wanted, 1 << 24))
        if not part:
            break
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)


def _settled(status: os.stat_result, now: int) -> Signature | None:
    return signature_of(status) if max(status.st_mtime_ns, status.st_ctime_ns) < now - SETTLED_NS else None
