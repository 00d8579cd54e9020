"""The bytes of a source that lies elsewhere, and of its sidecar: what `ingest.sources.content` is to files.

The decision worth knowing: the sidecar is read after the document, and where the document is not the one that was listed, it is
asked whether it has got a sidecar meanwhile: who restricts a document before putting secrets into it is never read the other way
round.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from ingest.errors import DocumentError, DocumentTooLarge, DocumentUnreadable, MetadataInvalid
from ingest.model.canonical import sha256_hex
from ingest.model.source import Revision
from ingest.protocols import Fetched, Listed
from ingest.sources.found import Content, Elsewhere, Scanned, Token
from ingest.sources.names import MOST_SIDECAR_BYTES, SIDECAR_SUFFIX
from ingest.sources.remote.place import Place

_SUFFIXES = {
    "text/html": ".html", "application/xhtml+xml": ".html", "text/markdown": ".md", "text/plain": ".txt", "text/csv": ".csv",
    "application/pdf": ".pdf", "application/json": ".json",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}
"""Of what a server calls a page whose path has no suffix."""


def read_elsewhere(scanned: Scanned, at: Elsewhere, fetched: Fetched) -> Content:
    """Return the content of a source whose bytes are `fetched`. Raises as `ingest.sources.content.read`."""
    sidecar = sidecar_elsewhere(scanned, at, changed=not at.listed.token or fetched.token != at.listed.token)
    revision = Revision(
        sha256_hex(fetched.data), sha256_hex(sidecar.data) if sidecar is not None else "", len(fetched.data)
    )
    return Content(
        fetched.data, sidecar.data if sidecar is not None else None, revision, _mark(fetched, at.listed),
        _mark(sidecar, at.sidecar) if sidecar is not None else None, _named(scanned.source.path, fetched.media_type),
    )


def document_elsewhere(scanned: Scanned, at: Elsewhere, most: int) -> Fetched:
    """Return the bytes of the document alone. Raises DocumentError, RootUnavailable."""
    uri = scanned.source.uri
    try:
        return at.place.read(at.listed, uri, most)
    except FileNotFoundError as error:
        raise DocumentUnreadable(f"{uri} is listed and is not there any more; run again", uri=uri) from error


def sidecar_elsewhere(scanned: Scanned, at: Elsewhere, *, changed: bool) -> Fetched | None:
    """Return the sidecar, as listed or, where the document `changed` since, as it is now. Raises DocumentError."""
    uri = scanned.source.uri
    listed = at.sidecar
    if listed is None and changed:
        listed = at.place.find(at.listed.path + SIDECAR_SUFFIX)
    if listed is None:
        return None
    name = listed.path.rpartition("/")[2]
    try:
        return at.place.read(listed, uri, MOST_SIDECAR_BYTES)
    except FileNotFoundError as error:
        raise DocumentUnreadable(f"{uri}: its sidecar {name} vanished while it was read; run again", uri=uri) from error
    except DocumentTooLarge:
        raise MetadataInvalid(f"{uri}: its sidecar {name} is larger than {MOST_SIDECAR_BYTES} bytes", uri=uri) from None
    except DocumentError as error:
        if at.sidecar_same:  # what it says is known, so the document is kept under it
            raise DocumentUnreadable(f"{uri}: its sidecar {name} cannot be read: {error}", uri=uri) from error
        raise MetadataInvalid(f"{uri}: its sidecar {name} cannot be read: {error}", uri=uri) from error


def read_small(place: Place, listed: Listed, uri: str, most: int) -> bytes:
    """Return a small file that steers the scan. Raises ValueError for what is too large or cannot be read."""
    try:
        return place.read(listed, uri, most).data
    except DocumentError as error:
        raise ValueError(str(error)) from error


def _mark(fetched: Fetched, listed: Listed | None) -> Token | None:
    if not fetched.token:
        return None
    return Token(0 if listed is not None and listed.size is None else len(fetched.data), fetched.token)


def _named(path: str, media_type: str) -> str | None:
    name = PurePosixPath(path).name.partition("?")[0]
    suffix = _SUFFIXES.get(media_type.partition(";")[0].strip().lower())
    return name + suffix if suffix is not None and not PurePosixPath(name).suffix else None
