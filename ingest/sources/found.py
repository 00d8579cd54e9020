"""What a look at a root finds: files with their signatures, what was passed over, and what could not be looked at."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ingest.model.source import Revision, Source
from ingest.protocols import Listed

if TYPE_CHECKING:
    from ingest.sources.remote.place import Place


class Signature(NamedTuple):
    """What the file system says of a file without opening it. Equal signatures only ever skip hashing."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Token(NamedTuple):
    """What a place elsewhere says of something without sending it; used as `Signature` is. `size` is 0 where it is not told. An
    empty `tag` vouches for nothing and is never recorded."""

    size: int
    tag: str


Mark: TypeAlias = Signature | Token


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where something lies that is no file of this machine, as listed. `sidecar_same`: by its token, the sidecar is the one that
    was last read."""

    place: Place
    listed: Listed
    sidecar: Listed | None
    sidecar_same: bool = False


@dataclass(frozen=True, slots=True)
class Scanned:
    """A file that is a source. `real` and `real_sidecar` are real paths (links resolved) below `base`, the root's real path; with
    `elsewhere`, paths in the root that only tell names, and `base` is empty.

    `problem`: why its metadata cannot be trusted, known from names alone (a sidecar that is misnamed, doubled, or leads out of
    the root); reading it then raises MetadataInvalid, and it must not be taken as unchanged.
    """

    source: Source
    base: str
    real: str
    stat: Mark
    real_sidecar: str | None = None
    sidecar_stat: Mark | None = None
    problem: str | None = None
    elsewhere: Elsewhere | None = field(default=None, compare=False, repr=False)

    @property
    def file(self) -> Path:
        return Path(self.real)

    @property
    def sidecar(self) -> Path | None:
        return None if self.real_sidecar is None else Path(self.real_sidecar)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is no source although somebody may expect it to be. `path` is relative to the root."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scan:
    """`found` and `skipped` are sorted by path. `unreadable` are paths of folders or files (relative, no slash at the end) that
    could not be looked at: whatever is known at or below them is not gone."""

    found: list[Scanned]
    skipped: list[Skipped]
    unreadable: list[str]


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a source, read once: what is hashed is what is parsed.

    The signatures belong to these bytes. None: the file changed so recently that an edit within the same tick of the file
    system's clock could not be told by them, so they must not be recorded. `named`: a name that tells the format, of a source
    whose own has no suffix.
    """

    data: bytes
    sidecar: bytes | None
    revision: Revision
    signature: Mark | None
    sidecar_signature: Mark | None
    named: str | None = None


def signature_of(status: os.stat_result) -> Signature:
    return Signature(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
