"""What a power cut may leave of a folder: a disk that keeps what was synced and forgets the rest.

Two disks are modelled, the extremes between which file systems lie. The *strict* one keeps of a file the bytes that it had
when it was last synced, and of a folder the names that it had when it was last synced: a new file in a folder that was not
synced is lost, a deleted one is back. The *hasty* one keeps every name at once, and of a file that was not synced since it was
written only the bytes of its last sync, or none.

`Disk.before` is told each call before it is made, and keeps what each of the two would have after a cut there, as JSON:
{path: digest of the bytes, "empty", or null for a folder}; the bytes are in `bytes/<digest>`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from syscalls import Call

Place: TypeAlias = tuple[int, int]
Tree: TypeAlias = "dict[str, str | None]"

EMPTY = "empty"
"""In the place of a digest, for a file of which nothing was ever synced."""

MARKING = frozenset({"sync", "rename", "mkdir", "link", "unlink"})
"""Calls at which it makes a difference whether the cut came before or after."""


class Disk:
    """The two disks below `folder`, which is itself safe; everything that lies there at the beginning was synced long ago."""

    def __init__(self, folder: Path, keep: Path) -> None:
        self._folder = folder
        self._keep = keep
        (keep / "bytes").mkdir(parents=True)
        self._cuts = (keep / "cuts.jsonl").open("w")
        self._bytes: dict[Place, str] = {}
        self._names: dict[Place, dict[str, Place]] = {}
        self._is_folder: dict[Place, bool] = {}
        self._held: dict[Place, int] = {}
        self._last = ""
        self._root = self._place(folder)
        for path in [folder, *folder.rglob("*")]:
            self._sync(path)

    def before(self, call: Call) -> None:
        if call.what not in MARKING:
            return
        cut = json.dumps({"strict": self._strict(), "hasty": self._hasty()}, sort_keys=True)
        if cut != self._last:
            self._cuts.write(json.dumps({"number": call.number, "what": call.what, "path": call.path, **json.loads(cut)}) + "\n")
            self._last = cut
        if call.what == "sync":
            self._sync(self._folder / call.path)

    def close(self) -> None:
        """Write the last cut: after everything."""
        self._cuts.write(json.dumps({"number": -1, "what": "end", "path": "", "strict": self._strict(), "hasty": self._hasty()}))
        self._cuts.close()
        for descriptor in self._held.values():
            os.close(descriptor)

    def _place(self, path: Path) -> Place:
        found = path.lstat()
        place = (found.st_dev, found.st_ino)
        if place not in self._held:  # held open, so that no other file gets its inode
            self._held[place] = os.open(path, os.O_PATH | os.O_NOFOLLOW)
            self._is_folder[place] = path.is_dir()
        return place

    def _sync(self, path: Path) -> None:
        try:
            place = self._place(path)
            if self._is_folder[place]:
                self._names[place] = {name.name: self._place(name) for name in path.iterdir()}
            else:
                self._bytes[place] = self._kept(path)
        except FileNotFoundError:  # synced after it was deleted: nothing of it is left
            return

    def _kept(self, path: Path) -> str:
        """Keep the bytes that a file has now, without its holes, and return their digest."""
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            parts = dict(_parts(file.fileno(), size))
        digest = hashlib.sha256(repr((size, sorted(parts))).encode() + b"".join(parts[at] for at in sorted(parts))).hexdigest()
        kept = self._keep / "bytes" / digest
        if not kept.exists():
            with kept.open("wb") as file:
                for at, data in parts.items():
                    file.seek(at)
                    file.write(data)
                file.truncate(size)
        return digest

    def _strict(self) -> Tree:
        tree: Tree = {}
        waiting = [("", self._root)]
        while waiting:
            at, place = waiting.pop()
            for name, below in self._names.get(place, {}).items():
                path = f"{at}{name}"
                if self._is_folder[below]:
                    tree[path] = None
                    waiting.append((f"{path}/", below))
                else:
                    tree[path] = self._bytes.get(below, EMPTY)
        return tree

    def _hasty(self) -> Tree:
        tree: Tree = {}
        for path in self._folder.rglob("*"):
            place = self._place(path)
            name = path.relative_to(self._folder).as_posix()
            tree[name] = None if self._is_folder[place] else self._bytes.get(place, EMPTY)
        return tree


def _parts(descriptor: int, size: int) -> Iterator[tuple[int, bytes]]:
    """(where, bytes) of what is no hole."""
    at = 0
    while at < size:
        try:
            at = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError:  # only a hole is left
            return
        end = os.lseek(descriptor, at, os.SEEK_HOLE)
        yield at, os.pread(descriptor, end - at, at)
        at = end
