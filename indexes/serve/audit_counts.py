"""What an audit log says in numbers: calls, refusals, failures, citations and times; in all, by caller, base and operation."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexes.serve.audit_log import name_of, numbers
from ingest.errors import NotFound, StorageFailed

NO_EVIDENCE = "insufficient_evidence"


@dataclass(slots=True)
class Tally:
    """Sums over lines. `seconds` of each call, in order."""

    calls: int = 0
    rows: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    cited: int = 0
    valid: int = 0
    seconds: array[float] = field(default_factory=lambda: array("d"))

    def add(self, line: dict[str, Any], kb_id: str | None = None) -> None:
        """Count a line, of `kb_id` only what concerns it."""
        self.calls += 1
        self.rows += sum(len(each["rows"]) for each in line["seen"] if kb_id in (None, each["kb"]))
        self.failed += len(line["failed"]) if kb_id is None else kb_id in line["failed"]
        if line["refused"]:
            self.refused[line["refused"]] += 1
        if line["citations"]:
            self.cited += line["citations"]["cited"]
            self.valid += line["citations"]["valid"]
        self.seconds.append(line["seconds"])

    def told(self) -> dict[str, Any]:
        """As JSON types. `no_evidence`: answers that said so; `refused`: errors that callers were given, by class;
        `citations_valid`: the share, null where none was verified."""
        ordered = sorted(self.seconds)
        refused = dict(sorted(self.refused.items()))
        return {
            "calls": self.calls,
            "rows": self.rows,
            "no_evidence": refused.pop(NO_EVIDENCE, 0),
            "refused": refused,
            "failed": self.failed,
            "cited": self.cited,
            "citations_valid": self.valid / self.cited if self.cited else None,
            "seconds_p50": ordered[len(ordered) // 2] if ordered else None,
            "seconds_p95": ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)] if ordered else None,
        }


@dataclass(slots=True)
class Counts:
    """A log in numbers. `torn`: lines that a crash cut, which say nothing."""

    lines: int = 0
    torn: int = 0
    total: Tally = field(default_factory=Tally)
    callers: dict[str, Tally] = field(default_factory=dict)
    bases: dict[str, Tally] = field(default_factory=dict)
    operations: dict[str, Tally] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "lines": self.lines, "torn": self.torn, "total": self.total.told(),
            **{name: {key: tally.told() for key, tally in sorted(getattr(self, name).items())}
               for name in ("callers", "bases", "operations")},
        }


def counted(folder: Path, *, since: str | None = None, caller: str | None = None) -> Counts:
    """Count the lines of a log. `since`: a normalised instant; `caller`: only theirs. Raises NotFound where there is no log."""
    counts = Counts()
    for line in lines(folder):
        if line is None:
            counts.torn += 1
            continue
        if "removed" in line or (since is not None and line["at"] < since.rstrip("Z")) or caller not in (None, line["caller"]):
            continue
        counts.lines += 1
        counts.total.add(line)
        counts.callers.setdefault(line["caller"], Tally()).add(line)
        counts.operations.setdefault(line["operation"], Tally()).add(line)
        for kb_id in {*(each["kb"] for each in line["seen"]), *line["failed"]}:
            counts.bases.setdefault(kb_id, Tally()).add(line, kb_id)
    return counts


def lines(folder: Path) -> Iterator[dict[str, Any] | None]:
    """Yield the lines of a log, oldest first; None for one that a crash cut. Files that are removed meanwhile are passed over."""
    try:
        files = [folder / name_of(number) for number in numbers(folder)]
    except OSError:
        raise NotFound(f"there is no audit log in {folder}; a server writes it: ingest serve http") from None
    for file in files:
        try:
            with file.open("rb") as opened:
                for text in opened:
                    yield _parsed(text)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StorageFailed(f"{file} cannot be read: {error.strerror}; check its permissions") from error


_KEYS = frozenset(
    {"at", "caller", "principal", "session", "operation", "arguments", "seen", "failed", "refused", "citations", "seconds"}
)


def _parsed(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    whole = text.endswith(b"\n") and isinstance(found, dict) and ("removed" in found or found.keys() == _KEYS)
    return found if whole else None
