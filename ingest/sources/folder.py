"""One folder as listed: its entries by spelled name, and which sidecar belongs to which of them.

The decision worth knowing: a sidecar that is there but not named as it must be (`report.meta.yaml` beside `report.pdf`, `.yml`,
other case, beside a folder) was written to say something about readers. What it was most likely meant for is withheld with a
`problem` until somebody renames it; only a sidecar that nothing answers to is a mere report.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Generic, Protocol, TypeVar

from ingest.sources.ignore import is_leftover
from ingest.sources.names import SIDECAR_SUFFIX, spelled

_ALMOST = re.compile(r"(?P<stem>.*)\.meta\.ya?ml(?:\.txt)?", re.IGNORECASE | re.DOTALL)


class Entry(Protocol):
    """What a folder holds, as `os.DirEntry` or as a listing from elsewhere has it."""

    @property
    def name(self) -> str: ...
    def is_dir(self) -> bool: ...


E = TypeVar("E", bound=Entry)


@dataclass(slots=True)
class Folder(Generic[E]):
    """`entries`: spelled name -> entry, sidecars left out. `doubles`: (spelled name, reason) of entries whose name another one
    has. `problems`: spelled name -> why its metadata cannot be trusted; `problem` holds for everything in and below."""

    entries: dict[str, E] = field(default_factory=dict)
    sidecars: dict[str, E] = field(default_factory=dict)
    doubles: list[tuple[str, str]] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    orphans: list[str] = field(default_factory=list)
    problem: str | None = None

    def is_knowledge_base(self) -> bool:
        begun = "catalog.db" in self.entries or "catalog.id" in self.entries
        return begun and ("lock" in self.entries or "builds" in self.entries)


def list_folder(path: str) -> Folder[os.DirEntry[str]]:
    """List a folder. Raises OSError."""
    with os.scandir(path) as entries:
        return folder_of(entries)


def folder_of(entries: Iterable[E]) -> Folder[E]:
    """Return the folder that some entries make."""
    folder: Folder[E] = Folder()
    almost: list[E] = []
    for entry in entries:
        name = entry.name
        if ".meta." in name.lower() and (found := _ALMOST.fullmatch(name)):
            if not is_leftover(name) or not found["stem"]:
                almost.append(entry)
        else:
            _add(folder, spelled(name), entry)
    if almost:
        _attach(folder, sorted(almost, key=lambda entry: os.fsencode(entry.name)))
    return folder


def _add(folder: Folder[E], name: str, entry: E) -> None:
    other = folder.entries.setdefault(name, entry)
    if other is entry:
        return
    # The one that is spelled as its path wins, else the first in byte order: the same on every machine.
    kept, left = sorted((other, entry), key=lambda one: (one.name != name, os.fsencode(one.name)))
    folder.entries[name] = kept
    folder.doubles.append((name, f"two names are the same after normalisation; {left.name!r} is not taken, rename it"))


def _attach(folder: Folder[E], almost: list[E]) -> None:
    waiting: list[tuple[str, E]] = []
    for entry in almost:
        name = spelled(entry.name)
        owner = name.removesuffix(SIDECAR_SUFFIX)
        if owner == name or owner not in folder.entries or folder.entries[owner].is_dir():
            waiting.append((name, entry))
        elif owner in folder.sidecars:
            folder.problems[owner] = "it has two sidecars whose names are the same after normalisation; delete one"
        else:
            folder.sidecars[owner] = entry
    for name, _ in waiting:
        _withhold(folder, name)


def _withhold(folder: Folder[E], name: str) -> None:
    found = _ALMOST.fullmatch(name)
    stem = found["stem"].casefold() if found else ""
    if not stem:
        folder.problem = f"{name} beside it has no effect; each file has one of its own, named like it with {SIDECAR_SUFFIX}"
        return
    meant = [
        owner for owner in folder.entries
        if owner not in folder.sidecars and stem in (owner.casefold(), PurePosixPath(owner).stem.casefold())
    ]
    for owner in meant:
        folder.problems[owner] = f"the sidecar {name} has no effect on it; each file has its own: {owner}{SIDECAR_SUFFIX}"
    if not meant:
        folder.orphans.append(name)
