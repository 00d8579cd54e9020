"""Whose collections are whose: a knowledge base owns some on its server, writes to no other, and numbers its builds.

`server.json` in its folder holds a random name for the owner, which each of its collections carries too, so that two bases never
write to one. It names a collection before that is made, so that none is ever left without somebody who knows of it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from indexes.qdrant.connect import Server
from indexes.qdrant.format import Header, header_of, is_on_server
from ingest.errors import BuildCorrupt, Inconsistent, StorageFailed
from ingest.model.canonical import canonical
from ingest.model.generation import IndexKind
from ingest.store.layout import Layout
from ingest.store.replacing import replace_file

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Identity:
    """What `server.json` says. Collections are those that were made for this base and are not known to be gone."""

    owner: str
    collections: tuple[str, ...] = ()
    epoch: int = 0
    """The last one that was in place when this was written: numbers are never given twice, also where a header is lost."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the builds of one knowledge base are written. `built`: the headers of its builds that are in place."""

    server: Server
    file: Path
    built: Callable[[], Iterable[Header]]

    def collection(self, dimensions: int) -> tuple[str, str]:
        """Return the name of the collection for vectors of this length, and the owner that it must carry. It is noted as one of
        ours, and need not be there yet."""
        identity = identity_of(self.file) or Identity(uuid.uuid4().hex)
        name = f"{self.server.settings.collection or 'concord-' + identity.owner[:12]}-{dimensions}"
        if name not in identity.collections:
            write_identity(self.file, replace(identity, collections=(*identity.collections, name)))
        return name, identity.owner

    def owner(self) -> str:
        identity = identity_of(self.file)
        if identity is None:
            raise Inconsistent(
                f"{self.file} is missing, so nobody can tell that the collection is this knowledge base's; put it back, or build "
                "the indexes anew in files: ingest move --to embedded"
            )
        return identity.owner

    def last(self, collection: str, kind: IndexKind) -> int:
        """Return the last epoch of the builds of an index in a collection; 0 where there is none."""
        of_index = [one.epoch for one in self.built() if (one.collection, one.index) == (collection, kind)]
        return max([self._noted(), *of_index])

    def following(self) -> int:
        """Return the epoch of what is written now: one more than that of any build, so both indexes of a run have the same."""
        return max([self._noted(), *(one.epoch for one in self.built())]) + 1

    def _noted(self) -> int:
        identity = identity_of(self.file)
        return identity.epoch if identity is not None else 0


def place_of(layout: Layout, server: Server) -> Place:
    """Return the place of the knowledge base with this layout."""
    return Place(server, layout.qdrant, lambda: readable(layout))


def headers(layout: Layout) -> Iterator[Header]:
    """Yield the header of every build in place that is on a server. Raises BuildCorrupt."""
    for kind, folder in _folders(layout):
        yield header_of(folder, kind)


def readable(layout: Layout) -> Iterator[Header]:
    """As `headers`, those left out that cannot be read: they must not keep a repair from being written."""
    for kind, folder in _folders(layout):
        with suppress(BuildCorrupt):
            yield header_of(folder, kind)


def _folders(layout: Layout) -> Iterator[tuple[IndexKind, Path]]:
    kinds: tuple[IndexKind, ...] = ("vector", "bm25")
    for kind in kinds:
        below = layout.builds / kind
        yield from ((kind, folder) for folder in (sorted(below.iterdir()) if below.is_dir() else ()) if is_on_server(folder))


def identity_of(file: Path) -> Identity | None:
    """Return what `server.json` says; None where there is none. Raises BuildCorrupt."""
    try:
        said = json.loads(file.read_bytes())
        if said["format"] != FORMAT:
            raise ValueError(f"of format {said['format']}, this version reads {FORMAT}")
        return Identity(str(said["owner"]), tuple(map(str, said["collections"])), int(said["epoch"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BuildCorrupt(
            f"{file} cannot be read ({error}); restore it from a copy, or leave the server: ingest move --to embedded"
        ) from error


def write_identity(file: Path, identity: Identity) -> None:
    """Replace `server.json` whole."""
    try:
        replace_file(file, canonical({"format": FORMAT, **asdict(identity)}))
    except OSError as error:
        raise StorageFailed(f"{file} cannot be written ({error.strerror}); free space and run again") from error
