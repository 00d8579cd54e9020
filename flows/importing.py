"""Taking in reviewed material: files are read and validated against the registry, and what they add is kept in a seed file.

That file (setting `entities.imported`) is an input like the seeds beside it: sorted, one entry a line, to be kept and compared in
version control. Nothing is taken when anything is wrong. Merged ids in an export come back as judgements.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from entities.judgements import append, judged, read
from entities.seeds.entry import SeedProblem
from entities.seeds.reading import entries
from entities.seeds.validating import Imported, validated
from flows.reviewed import imported_file, judgements_file, seeded, vocabulary_of
from ingest.errors import StorageFailed
from ingest.model.canonical import plain
from ingest.model.entity import Assertion, Entity, Judgement
from ingest.model.instant import now
from ingest.settings import Settings
from ingest.store.replacing import replace_file


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of an import. `written`: whether it was taken in; not where something is wrong, or nothing is new, or it was only
    looked at. `entities`: new, changed, same -> how many."""

    files: tuple[str, ...]
    entities: dict[str, int]
    assertions: int
    merges: int
    problems: tuple[SeedProblem, ...]
    written: bool

    @property
    def refused(self) -> bool:
        return any(problem.fatal for problem in self.problems)


def take_in(settings: Settings, files: Iterable[Path], *, actor: str, check: bool = False) -> Taken:
    """Validate files and keep what they add. `check`: only validate. Raises UsageError, SettingsInvalid, StorageFailed."""
    listed, vocabulary = tuple(files), vocabulary_of(settings)
    with _alone(imported_file(settings).parent) if not check else nullcontext():
        kept = _kept(imported_file(settings))
        known = seeded(settings)
        replaceable = frozenset(entry["id"] for entry in kept.get("entities", ()))
        said = chain.from_iterable(entries(file, vocabulary) for file in listed)
        found = validated(said, known, vocabulary, replaceable)
        merges = _merges(settings, found, actor)
        new = bool(found.entities or found.assertions or set(found.exclusive) - set(known.exclusive))
        write = not found.fatal and not check
        if write and new:
            _write(imported_file(settings), kept, found)
        if write and merges:
            append(judgements_file(settings), merges)
    counts = {"new": found.new, "changed": found.changed, "same": found.same}
    return Taken(
        tuple(map(str, listed)), counts, len(found.assertions), len(merges), found.problems, write and bool(new or merges)
    )


def keep_assertions(settings: Settings, assertions: Iterable[Assertion], ends: Iterable[Entity]) -> None:
    """Keep assertions that a person accepted with what was imported, and those of their `ends` that only a document mints."""
    with _alone(imported_file(settings).parent):
        there = {entity.entity_id for entity in seeded(settings).entities}
        fresh = tuple(entity for entity in ends if entity.entity_id not in there)
        _write(imported_file(settings), _kept(imported_file(settings)), Imported(fresh, tuple(assertions), (), {}, ()))


def _kept(file: Path) -> dict[str, Any]:
    """What earlier imports took in, as entries. `load_seeds` tells what is wrong with it."""
    try:
        found = orjson.loads(file.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _merges(settings: Settings, found: Imported, actor: str) -> list[Judgement]:
    """The merges that redirects of an export tell of, where nothing has been decided about the pair yet."""
    if not found.redirects:
        return []
    log, moment = read(judgements_file(settings)), now()
    return [
        judged("merge", actor=actor, at=moment, reason="merged in the import", entities=pair)
        for pair in sorted(found.redirects.items()) if log.of_pair(*pair) is None
    ]


def _write(file: Path, kept: dict[str, Any], found: Imported) -> None:
    entities = {entry["id"]: entry for entry in kept.get("entities", ())}
    entities |= {entity.entity_id: _entity(entity) for entity in found.entities}
    assertions = {orjson.dumps(entry, option=orjson.OPT_SORT_KEYS): entry
                  for entry in (*kept.get("assertions", ()), *map(_assertion, found.assertions))}
    exclusive = sorted({*kept.get("exclusive", ()), *found.exclusive})
    data = b"".join(_lines({
        "entities": [entities[id] for id in sorted(entities)], "assertions": [assertions[key] for key in sorted(assertions)],
        **({"exclusive": exclusive} if exclusive else {}),
    }))
    try:
        replace_file(file, data)
    except OSError as error:
        raise StorageFailed(f"{file} cannot be written ({error.strerror}); nothing was imported") from error


def _lines(seed: dict[str, list[Any]]) -> Iterator[bytes]:
    """JSON with an entry a line, so that two states of it can be compared."""
    yield b"{"
    for number, (key, listed) in enumerate(seed.items()):
        yield (b",\n" if number else b"\n") + orjson.dumps(key) + b": ["
        yield b",".join(b"\n  " + orjson.dumps(entry) for entry in listed)
        yield b"\n]"
    yield b"\n}\n"


def _entity(entity: Entity) -> dict[str, Any]:
    entry = {"id": entity.entity_id, "type": entity.type, "names": [_present(plain(name)) for name in entity.names]}
    if entity.identifiers:
        entry["identifiers"] = plain(entity.identifiers)
    return entry if entity.status == "active" else {**entry, "status": entity.status}


def _assertion(assertion: Assertion) -> dict[str, Any]:
    return {key: value for key, value in _present(plain(assertion)).items() if value != ""}


def _present(said: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if value is not None}


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no two imports write at once: the second would forget what the first took in."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StorageFailed(f"{folder} cannot be used ({error.strerror}); check entities.imported") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
