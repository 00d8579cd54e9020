"""The log of judgements: what people decided about the registry, appended and never rewritten, and what of it is in force.

A log is a file of JSON lines beside the seeds (setting `entities.judgements`). Each line carries the id that follows from its
content, so an altered line is noticed. What is in force depends on the set of entries, not on the order of lines: logs of two
people may be concatenated in either order. Nothing here knows who may decide; that is for whoever gives people the command.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from entities.names import folded
from ingest.errors import NotFound, SettingsInvalid, StorageFailed, UsageError
from ingest.model.canonical import SetDigest, plain
from ingest.model.codec import decode
from ingest.model.entity import ENTITY_TYPES, JUDGEMENT_KINDS, Judgement, JudgementKind
from ingest.model.instant import parse_instant

Pair = tuple[str, str]
"""Two entity ids, the smaller first."""

_OF_PAIRS = ("merge", "split", "pin")


def pair_of(one: str, other: str) -> Pair:
    """Return the pair of two entities."""
    return (one, other) if one < other else (other, one)


def judged(
    kind: JudgementKind, *, actor: str, at: str, reason: str, entities: Iterable[str] = (), text: str | None = None,
    type: str | None = None, evidence: Iterable[str] = (), undoes: str | None = None,
) -> Judgement:
    """Return a judgement that makes sense by itself. Raises UsageError saying what is missing.

    Entities of a pair may come in either order, `at` in any form that `parse_instant` takes. An `accept` without an entity says
    that the text names something that the registry does not know yet, which it then does."""
    if kind not in JUDGEMENT_KINDS:
        raise UsageError(f"a judgement is one of {', '.join(JUDGEMENT_KINDS)}, not {kind!r}")
    ids = tuple(entities)
    if not actor.strip() or not reason.strip():
        raise UsageError("a judgement names who decided and why: give an actor and a reason")
    if kind == "revoke":
        if not undoes or ids or text is not None:
            raise UsageError("a revocation names the judgement that it undoes, and nothing else")
    elif undoes is not None:
        raise UsageError(f"only a revocation undoes another judgement, {kind} does not")
    elif kind in _OF_PAIRS or (kind == "reject" and text is None):
        if len(set(ids)) != 2 or len(ids) != 2 or text is not None:
            raise UsageError(f"{kind} is about two different entities")
        ids = pair_of(*ids)
    else:
        _about_a_text(kind, ids, text, type)
    try:
        moment = parse_instant(at)
    except ValueError as error:
        raise UsageError(f"a judgement is made at an instant: {error}") from error
    return Judgement(kind, actor.strip(), moment, reason.strip(), ids, text, type, tuple(sorted(set(evidence))), undoes)


def _about_a_text(kind: JudgementKind, ids: tuple[str, ...], text: str | None, type: str | None) -> None:
    if text is None or not folded(text):
        raise UsageError(f"{kind} is about a text: give what was read")
    if type not in ENTITY_TYPES:
        raise UsageError(f"{kind} of a text says what it would be; one of {', '.join(ENTITY_TYPES)}")
    if len(ids) > 1 or (kind == "reject" and not ids):
        raise UsageError(f"{kind} of a text is about one entity")


@dataclass(frozen=True)
class Judgements:
    """Entries of a log, each once, by (`at`, id). Built by `read`, `parsed` or `of`."""

    entries: tuple[Judgement, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[Judgement]) -> Judgements:
        by_id = {entry.judgement_id: entry for entry in entries}
        return cls(tuple(sorted(by_id.values(), key=lambda entry: (entry.at, entry.judgement_id))))

    def digest(self) -> str:
        """Of the set of entries: the log as an input, whatever of it is in force."""
        return str(SetDigest.of((entry.judgement_id, "") for entry in self.entries))

    def and_(self, *more: Judgement) -> Judgements:
        """As these, with more entries."""
        return Judgements.of((*self.entries, *more))

    def get(self, judgement_id: str) -> Judgement:
        """Raises NotFound."""
        found = self._by_id.get(judgement_id)
        if found is None:
            raise NotFound(f"no judgement is called {judgement_id}; `ingest entities log` lists them")
        return found

    @cached_property
    def _by_id(self) -> dict[str, Judgement]:
        return {entry.judgement_id: entry for entry in self.entries}

    @cached_property
    def in_force(self) -> tuple[Judgement, ...]:
        """The entries that no entry in force revokes, without the revocations. An id is made of what it names, so a chain of
        revocations always ends."""
        undone_by: dict[str, list[str]] = {}
        for entry in self.entries:
            if entry.undoes is not None:
                undone_by.setdefault(entry.undoes, []).append(entry.judgement_id)
        holds: dict[str, bool] = {}

        def counts(id: str) -> bool:
            waiting = [id]
            while waiting:
                last = waiting[-1]
                unknown = [other for other in undone_by.get(last, ()) if other not in holds]
                if unknown:
                    waiting.extend(unknown)
                else:
                    holds[last] = not any(holds[other] for other in undone_by.get(last, ()))
                    waiting.pop()
            return holds[id]

        return tuple(entry for entry in self.entries if entry.kind != "revoke" and counts(entry.judgement_id))

    @cached_property
    def _of_pair(self) -> dict[Pair, Judgement]:
        found: dict[Pair, Judgement] = {}
        for entry in self.in_force:
            if len(entry.entities) == 2:
                pair = pair_of(*entry.entities)
                if pair not in found or found[pair].kind != "pin" or entry.kind == "pin":
                    found[pair] = entry  # later ones replace earlier ones, but for a pin, which only a revocation lifts
        return found

    def of_pair(self, one: str, other: str) -> Judgement | None:
        """What holds of two entities."""
        return self._of_pair.get(pair_of(one, other))

    @cached_property
    def merged(self) -> dict[Pair, Judgement]:
        """Pairs that are one."""
        return {pair: entry for pair, entry in self._of_pair.items() if entry.kind == "merge"}

    @cached_property
    def apart(self) -> dict[Pair, Judgement]:
        """Pairs that are two: split, rejected or pinned."""
        return {pair: entry for pair, entry in self._of_pair.items() if entry.kind != "merge"}

    @cached_property
    def pinned(self) -> dict[Pair, Judgement]:
        """Pairs that are never merged."""
        return {pair: entry for pair, entry in self._of_pair.items() if entry.kind == "pin"}

    @cached_property
    def of_text(self) -> Mapping[tuple[str, str], dict[str, Judgement]]:
        """(folded text, type) -> entity id -> the accept or reject that holds. The id of an accept without one is its own."""
        found: dict[tuple[str, str], dict[str, Judgement]] = {}
        for entry in self.in_force:
            if entry.text is not None and entry.type is not None:
                about = found.setdefault((folded(entry.text), entry.type), {})
                about[entry.entities[0] if entry.entities else entry.judgement_id] = entry
        return found

    def refused(self, text: str, type: str, entity_id: str) -> bool:
        """Whether a person said that this text does not name this entity."""
        entry = self.of_text.get((folded(text), type), {}).get(entity_id)
        return entry is not None and entry.kind == "reject"


def revocation(log: Judgements, judgement_id: str, *, actor: str, at: str, reason: str) -> Judgement:
    """Return the entry that undoes a judgement. Raises NotFound, or UsageError where it counts no more already."""
    entry = log.get(judgement_id)
    if entry.kind != "revoke" and entry not in log.in_force:
        raise UsageError(f"{judgement_id} counts no more already; revoke its revocation to bring it back")
    return judged("revoke", actor=actor, at=at, reason=reason, undoes=judgement_id)


def told(entry: Judgement) -> str:
    """What a judgement says, in one line for people."""
    if entry.kind == "revoke":
        return f"{entry.actor} revoked {entry.undoes} ({entry.reason})"
    whom = " and ".join(entry.entities) or "something new"
    about = f"{entry.text!r} as {whom}" if entry.text is not None else whom
    verb = {"merge": "merged", "split": "split", "accept": "accepted", "reject": "rejected", "pin": "pinned apart"}[entry.kind]
    return f"{entry.actor} {verb} {about} ({entry.reason})"


def read(path: Path) -> Judgements:
    """Return the log at `path`; a missing file is an empty log.

    A last line that was cut while it was written says nothing: whoever wrote it was never told that it was kept. Raises
    SettingsInvalid naming the line that cannot be trusted."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Judgements()
    except OSError as error:
        raise SettingsInvalid(f"cannot read the judgements {path}: {error.strerror}; check entities.judgements") from error
    return parsed(data[: data.rfind(b"\n") + 1].splitlines(), str(path))


def parsed(lines: Iterable[bytes | str], where: str) -> Judgements:
    """Return the log that `lines` are. Raises SettingsInvalid naming `where` and the line."""
    entries = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entries.append(_entry(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError, UsageError) as error:
            raise SettingsInvalid(f"{where}, line {number} is no judgement ({error}); restore the line from a copy") from error
    return Judgements.of(entries)


def _entry(data: dict[str, Any]) -> Judgement:
    said = data.pop("id")
    entry = decode(Judgement, data)
    again = judged(
        entry.kind, actor=entry.actor, at=entry.at, reason=entry.reason, entities=entry.entities, text=entry.text,
        type=entry.type, evidence=entry.evidence, undoes=entry.undoes,
    )
    if again.judgement_id != said:
        raise ValueError("its id does not follow from what it says")
    return entry


def line(entry: Judgement) -> str:
    """Return an entry as its line, without the line's end. Fields that say nothing are left out."""
    said = {name: value for name, value in plain(entry).items() if value not in (None, [])}
    return json.dumps({"id": entry.judgement_id, **said}, ensure_ascii=False, separators=(", ", ": "))


def append(path: Path, entries: Iterable[Judgement]) -> list[Judgement]:
    """Append to the log, all or nothing, and return what was written when it is on disk. Raises StorageFailed.

    An entry about something that was judged before is dated after that, if only by a second: two decisions within one second, or
    by a clock that was put back, count in the order in which they were made."""
    last = {_about(entry): entry.at for entry in read(path).entries}
    fresh = []
    for entry in entries:
        about = _about(entry)
        if about in last and entry.at <= last[about]:
            entry = replace(entry, at=parse_instant(datetime.fromisoformat(last[about]) + timedelta(seconds=1)))
        last[about] = entry.at
        fresh.append(entry)
    if not fresh:
        return []
    data = "".join(line(entry) + "\n" for entry in fresh).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as file:
            _forget_the_cut(file.fileno(), path)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        said = error.strerror or error
        raise StorageFailed(f"the judgement could not be written to {path}: {said}; nothing was decided") from error
    return fresh


def _about(entry: Judgement) -> tuple[str | None, ...]:
    """What a judgement answers: a pair, a text and what it would be, or whether an entry counts."""
    if entry.text is not None:
        return folded(entry.text), entry.type
    return (entry.undoes,) if entry.kind == "revoke" else entry.entities


def _forget_the_cut(handle: int, path: Path) -> None:
    """Cut a line off that was never finished, so that the next does not become part of it."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole != len(data):
        os.ftruncate(handle, whole)
