"""One bit of one published file is turned over, and somebody must say so, or nothing must depend on it.

Every file of the builds and generations is covered by a hash, so a flip in it is a torn file. A database is not: most of its
bytes say something that a checksum covers, some say something that is no content, and some nothing at all. `examine` tells which.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.tampering.behind import Behind
from benchmarks.tampering.looking import ENVIRONMENT, Looker, copy_base
from ingest.errors import StorageFailed

IRRELEVANT = {
    "a report": "report.json and report.html tell of a run and are read by people; no answer comes from them",
    "read by nobody": "free space of a page, or a counter in the header: every table and every index reads as before",
    "no content": (
        "where a root was seen, a file's signature, when and how a generation was published: in no digest; "
        "whether a name of the schema has small or capital letters"
    ),
    "an entry that is absent": "an entry of the cache under a name that nobody asks for costs time only",
}
"""Why a flip that verifying does not find does no harm."""

_NO_CONTENT = {
    "seen": ("source_id", "signature", "revision"), "roots": ("name", "location"),
    "generations": ("published_at", "confirmed_at", "origin"),
}
"""Columns of the catalog that are in no digest."""
_NO_CONTENT_KEYS = {b"token"}
"""Entries of `meta` like them."""

Reading = dict[str, list[tuple[object, ...]]]


@dataclass(frozen=True, slots=True)
class Flip:
    """Bit `bit` of the byte at `place` in `file`, relative to the base. `generation`: the newest that the file belongs to, None
    the head."""

    file: str
    generation: int | None
    place: int
    bit: int


@dataclass(frozen=True, slots=True)
class Fate:
    """What came of a flip. `found`: the first level at which verifying said something, or empty. `irrelevant`: a key of
    IRRELEVANT, or empty. `changed`: questions answered otherwise, without an error, though verifying by default was content."""

    flip: Flip
    found: str
    irrelevant: str
    changed: tuple[str, ...] = ()


def published(kb: Path) -> dict[str, int | None]:
    """Return the published files and the newest generation that each belongs to (None: the head): builds, folders of
    generations, the databases. Locks hold nothing."""
    behind = Behind(kb)
    found: dict[str, int | None] = {"catalog.db": None, "cache/cache.db": None}
    for generation, manifest in sorted(behind.manifests.items(), reverse=True):
        for folder in (behind.layout.generation(generation), *map(behind.layout.build, manifest.builds)):
            for path in folder.rglob("*"):
                if path.is_file() and path.stat().st_size:
                    name = path.relative_to(kb).as_posix()
                    found.setdefault(name, None if generation == behind.head else generation)
    return found


def flips(kb: Path, seed: int, *, each: int, older: int, database: int) -> list[Flip]:
    """Return flips, drawn by the seed: `each` places of every file of the head, of which the first, the last and the middle are
    three, `older` of every file that only older generations have, `database` of every database."""
    chance = random.Random(seed)  # noqa: S311  # places, not secrets
    made = []
    for file, generation in sorted(published(kb).items()):
        size = (kb / file).stat().st_size
        wanted = database if file.endswith(".db") else each if generation is None else older
        places = chance.sample([0, size - 1, size // 2], min(wanted, 3)) + [chance.randrange(size) for _ in range(wanted - 3)]
        made += [Flip(file, generation, place, chance.randrange(8)) for place in places]
    return made


class Flipper:
    """Looks at flips in a private copy of a base, one after the other; `levels` are those of verifying, shallowest first."""

    def __init__(self, folder: Path, levels: Sequence[str]) -> None:
        self.looker = Looker(folder, levels)
        self.whole = folder / "kb"
        self.private = TemporaryDirectory(prefix="concord-flipped-")
        self.kb = Path(self.private.name) / "kb"
        copy_base(self.whole, self.kb)
        self.kept = sorted(Behind(self.kb).manifests)[:-1]

    def examine(self, flip: Flip) -> Fate:
        turn(self.kb / flip.file, flip)
        try:
            found = self._found(flip)
            changed = () if found == self.looker.levels[0] else self._changed(self.kb)
            return Fate(flip, found, "" if found else self._irrelevance(flip), changed)
        finally:
            self._mend(flip)

    def _found(self, flip: Flip) -> str:
        """The first level that says something; for a database, also what verifying an older generation says."""
        for level in self.looker.levels:
            if self._finds(level, flip.generation):
                return level
        older = self.kept if flip.file == "catalog.db" else ()
        return next((f"{self.looker.levels[0]}, generation {number}" for number in older if self._finds("default", number)), "")

    def _finds(self, level: str, generation: int | None) -> bool:
        drift, _ = self.looker.verify(self.kb, level, generation)
        return drift != []

    def _mend(self, flip: Flip) -> None:
        """Put the file back as it was. Verifying changes no file of a build; a database it may have written to."""
        if flip.file.endswith(".db"):
            for left in ("", "-wal", "-shm"):
                (self.kb / f"{flip.file}{left}").unlink(missing_ok=True)
            shutil.copyfile(self.whole / flip.file, self.kb / flip.file)
        else:
            turn(self.kb / flip.file, flip)

    def close(self) -> None:
        self.private.cleanup()

    def _changed(self, kb: Path) -> tuple[str, ...]:
        answers = self.looker.ask(kb)
        return tuple(
            question for question, before in self.looker.answers.items()
            if answers[question] != before and not isinstance(answers[question], str)
        )

    def _irrelevance(self, flip: Flip) -> str:
        """Return why nothing depends on this bit, judged from the file alone, not from what the product says of it."""
        name = flip.file.rpartition("/")[2]
        if name.startswith("report."):
            return "a report"
        if not name.endswith(".db"):
            return ""
        flipped, whole = (Path(self.private.name) / f"{which}.db" for which in ("flipped", "whole"))
        for copy in (flipped, whole):
            shutil.copyfile(self.whole / flip.file, copy)
        turn(flipped, flip)
        try:
            before, after = reading(whole), reading(flipped)
            if before == after:
                return "read by nobody"
            if name == "cache.db":
                return "an entry that is absent" if _costs_time_only(whole, flipped, before) else ""
        except (sqlite3.DatabaseError, StorageFailed):
            return ""
        return "no content" if _content(before) == _content(after) else ""


def turn(path: Path, flip: Flip) -> None:
    """Turn the bit over."""
    with path.open("r+b") as file:
        file.seek(flip.place)
        (byte,) = file.read(1)
        file.seek(flip.place)
        file.write(bytes([byte ^ 1 << flip.bit]))


def reading(path: Path) -> Reading:
    """Return all that a database says: every row of every table, and what its own check of indexes and pages says."""
    database = sqlite3.connect(path)
    database.text_factory = bytes
    try:
        tables = [name.decode() for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        found = {name: sorted(database.execute(f'select * from "{name}" not indexed'), key=repr) for name in tables}
        found["schema"] = sorted(database.execute("select type, name, tbl_name, sql from sqlite_master"), key=repr)
        found["check"] = database.execute("pragma integrity_check").fetchall()
        found["columns"] = [(name, *(row[1] for row in database.execute(f'pragma table_info("{name}")'))) for name in tables]
        return found
    finally:
        database.close()


def _content(found: Reading) -> Reading:
    """What is left of a reading without what is no content."""
    columns = {str(row[0]): [str(name, "utf-8") for name in row[1:]] for row in found["columns"]}  # type: ignore[call-overload]
    kept: Reading = {}
    for table, rows in found.items():
        without = _NO_CONTENT.get(table, ())
        places = [at for at, name in enumerate(columns.get(table, ())) if name not in without]
        kept[table] = [tuple(row[at] for at in places) for row in rows] if table in columns else rows
    kept["meta"] = [row for row in kept["meta"] if row[0] not in _NO_CONTENT_KEYS]
    kept["schema"] = sorted((tuple(_uncased(value) for value in row) for row in kept["schema"]), key=repr)
    return kept


def _uncased(value: object) -> object:
    """SQL without the case of its words, as the database reads it, unless it holds a literal."""
    return value.lower() if isinstance(value, bytes) and b"'" not in value else value


def _costs_time_only(whole: Path, flipped: Path, before: Reading) -> bool:
    """Whether every entry of the cache is looked up with the value that it had, or not found."""
    names = [(str(stage, "utf-8"), str(key, "utf-8")) for stage, key, _, _ in before["entries"]]  # type: ignore[call-overload]
    kept = _looked_up(whole, names)
    return _looked_up(flipped, names).items() <= kept.items()


def _looked_up(path: Path, names: Sequence[tuple[str, str]]) -> dict[tuple[str, str], bytes]:
    """Return what the product gets of the cache at `path` for these stages and keys. Raises StorageFailed."""
    from ingest.store.cache import Cache

    cache = Cache(path)
    try:
        found = {(stage, key): cache.get_many(stage, [key]).get(key) for stage, key in names}
        return {name: value for name, value in found.items() if value is not None}
    finally:
        cache.close()


def flipping(folder: str, levels: Sequence[str]) -> Callable[[Flip], Fate]:
    """Factory for worker processes."""
    os.environ.update(ENVIRONMENT)
    return Flipper(Path(folder), levels).examine


def flip_all(folder: Path, wanted: Sequence[Flip], levels: Sequence[str], *, workers: int = 0) -> Iterator[Fate]:
    """Examine flips in worker processes, as they come."""
    from ingest.execute import map_unordered

    work = partial(flipping, str(folder), levels)
    for outcome in map_unordered(work, wanted, executor="processes", workers=workers, timeout=120):
        yield outcome.result()
