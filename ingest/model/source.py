"""Roots, sources, their revisions, and what a document declares about itself.

    Root --has--> Source --is in the state--> Revision (bytes + declared metadata)

A source id is made of the root's *name* and the relative path, so another checkout on another machine gives the same ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ingest.model.access import Access
from ingest.model.canonical import digest_of, nfc_posix, sha256_hex

STATUSES = ("draft", "active", "deprecated", "archived")


@dataclass(frozen=True, slots=True)
class Root:
    """A registered folder. `location` is where it was last seen on this machine and never enters an identity or digest; empty
    where it came with an archive and was not seen here yet."""

    name: str
    location: str


def source_id(root: str, path: str) -> str:
    """Return the URN of the source at `path` (relative, any separators) below the root named `root`."""
    return "urn:kb:source:" + sha256_hex(f"{root}\0{nfc_posix(path)}")[:32]


@dataclass(frozen=True, slots=True)
class Declared:
    """What front matter, a sidecar or embedded metadata say of a document, validated and normalised.

    `valid_from` and `valid_until` are instants (see `ingest.model.instant`); `until_day` tells that `valid_until` was
    written as a day, which the document still covers unless a successor starts on it. `extra` keeps every other key as
    JSON types (schema.org nodes under `jsonld`), original values unchanged.
    """

    title: str | None = None
    family: str | None = None
    version: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    until_day: bool = False
    supersedes: tuple[str, ...] = ()
    status: str = "active"
    language: str | None = None
    scope: str | None = None
    access: Access = Access()
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Revision:
    """One content state of a source."""

    content: str
    """sha256 of the bytes, hex."""
    metadata: str
    """Digest of everything declared outside the bytes that are parsed (sidecar), hex; empty when there is none."""
    size: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file below a root, as scanned. `uri` is what answers cite."""

    root: str
    path: str

    @property
    def id(self) -> str:
        return source_id(self.root, self.path)

    @property
    def uri(self) -> str:
        return f"{self.root}/{self.path}"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document could not be taken, as it is kept and reported. `error` is the class name of `ingest.errors`."""

    stage: str
    error: str
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source as the catalog knows it in one generation.

    `revision` is the latest state that was read; `served` is the content hash that the rows in effect come from (None: no
    rows). `state`: `served`; `partial` (some of its pages could not be read, the others are served); `quarantined` (the newest
    revision failed; an older text is served under the newest metadata); `failed` (never parsed); `withdrawn` (its metadata cannot
    be trusted, so nothing is served). `stages` holds the fingerprints under which the rows were made, `valid_from` /
    `valid_until` the derived window.
    """

    source_id: str
    root: str
    path: str
    revision: Revision
    served: str | None
    state: str
    media_type: str | None
    stages: dict[str, str]
    declared: Declared
    title: str
    valid_from: str | None
    valid_until: str | None
    failure: Failure | None = None

    @property
    def uri(self) -> str:
        return f"{self.root}/{self.path}"

    def digest(self) -> str:
        """Over all fields but a failure's message, which may tell of this machine: its limits, its libraries, its errors."""
        failure = None if self.failure is None else replace(self.failure, message="")
        return digest_of(replace(self, failure=failure))
