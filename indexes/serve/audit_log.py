"""The audit log on disk: lines that never mix, files that are bounded, a failure that is told. The format is in docs/formats.md.

Threads of one process take turns by a lock, processes by `flock`; a line is one write to a file opened for appending. A line that
could not be written whole is cut off again, and where a process was killed in the middle of it, the next writer ends it with a
newline.
"""

from __future__ import annotations

import contextlib
import fcntl
import hmac
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from indexes.serve.audit import Seen
from indexes.serve.callers import Caller
from indexes.serve.tokens import redacted
from ingest.errors import AuditFailed
from ingest.settings import ServePart

_FILE = re.compile(r"(\d{6,})\.jsonl")
REFUSALS = 10.0
"""Seconds between two lines about callers without a valid token: who has none must not be able to fill the log."""

_LONGEST = 4000
"""Characters of a text that are kept: a question is shorter, and an answer to verify is not what the log is for."""

_FLUSH = 1.0
"""Seconds between two flushes to the disk: a flush takes milliseconds, an answer too."""

_SAID_ANYWAY = frozenset(
    {"kb_ids", "kb_id", "mode", "status", "statuses", "as_of", "during", "valid_from", "valid_until", "type", "languages"}
)
"""Arguments that are choices of ours, not texts of callers; ids are told by their form."""

_ID = re.compile(r"urn:kb:[a-z]+:\S{1,200}|K\d{1,4}|[0-9a-f]{32,64}")


class AuditLog:
    """Appends to the files in `folder`. `required`: what cannot be written raises AuditFailed; else it is told to `warn`, once a
    minute at most. Close it."""

    def __init__(
        self, folder: Path, settings: ServePart, *, required: bool = True, warn: Callable[[str], None] = lambda text: None
    ) -> None:
        self._folder, self._settings, self._required, self._warn = folder, settings, required, warn
        self._turn = threading.Lock()
        self._lock: int | None = None
        self._file: int | None = None
        self._number = 0
        self._flushed = 0.0
        self._warned = -60.0
        self._secret = b""
        self._unknown = 0
        self._told_unknown = -REFUSALS

    def record(
        self, caller: Caller | None, operation: str, arguments: Mapping[str, Any], *, seen: Sequence[Seen] = (),
        failed: Sequence[str] = (), refused: str | None = None, seconds: float = 0.0, session: str = "",
        citations: Mapping[str, int] | None = None,
    ) -> None:
        """See `indexes.serve.audit.Audit`."""
        try:
            with self._turn:
                if caller is None:
                    self._unknown += 1
                    if time.monotonic() - self._told_unknown < REFUSALS:
                        return
                    arguments = {"attempts": self._unknown}
                    self._unknown, self._told_unknown = 0, time.monotonic()
                line = {
                    "at": _now(),
                    "caller": caller.name if caller else "",
                    "principal": asdict(caller.principal) if caller else None,
                    "session": session,
                    "operation": operation,
                    "arguments": self._told(arguments),
                    "seen": [{"kb": each.kb_id, "generation": each.generation, "rows": list(each.rows)} for each in seen],
                    "failed": list(failed),
                    "refused": refused,
                    "citations": None if citations is None else dict(citations),
                    "seconds": round(seconds, 4),
                }
                self._append(_bytes(line))
        except OSError as error:
            self._fail(error)

    def check(self) -> None:
        """Raise AuditFailed (or warn) when the log cannot be written: a server asks before it answers anybody."""
        try:
            with self._turn, self._held():
                self._open()
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        with self._turn:
            if self._file is not None:
                with contextlib.suppress(OSError):
                    os.fsync(self._file)
            self._let_go()
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def _fail(self, error: OSError) -> None:
        if self._warned + 60 <= time.monotonic():
            self._warned = time.monotonic()
            why = error.strerror or error
            self._warn(f"the audit log in {self._folder} cannot be written ({why}); free disk space or check permissions")
        if self._required:
            raise AuditFailed("what is asked cannot be recorded at the moment, so it is not answered; try again later") from error

    # Writing, with the turn and the lock of all processes held

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        if self._lock is not None and not _is_at(self._lock, self._folder / "lock"):
            os.close(self._lock)  # somebody moved the folder away: the next line begins it anew
            self._lock = None
        if self._lock is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)

    def _append(self, line: bytes) -> None:
        with self._held():
            file = self._open()
            if os.fstat(file).st_size and os.fstat(file).st_size + len(line) > self._settings.audit_bytes:
                file = self._next()
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                line = b"\n" + line
            _write(file, line, size)
            if time.monotonic() - self._flushed >= _FLUSH:
                os.fsync(file)
                self._flushed = time.monotonic()

    def _open(self) -> int:
        """Return the file to append to: the one with the highest number, whoever made it."""
        if self._file is not None and not self._is_last():
            self._let_go()
        if self._file is None:
            self._number = (numbers(self._folder) or [1])[-1]
            self._file = self._opened(self._number)
        return self._file

    def _is_last(self) -> bool:
        """Whether what is open is still what its name stands for, and another process has begun no further one."""
        return _is_at(self._file, self._path(self._number)) and not self._path(self._number + 1).exists()

    def _next(self) -> int:
        if self._file is not None:
            os.fsync(self._file)
        self._let_go()
        self._number += 1
        self._file = self._opened(self._number)
        for number in numbers(self._folder)[: -self._settings.audit_files] if self._settings.audit_files else ():
            self._path(number).unlink(missing_ok=True)
            line = _bytes({"at": _now(), "removed": self._path(number).name})
            _write(self._file, line, os.fstat(self._file).st_size)
        return self._file

    def _opened(self, number: int) -> int:
        return os.open(self._path(number), os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _path(self, number: int) -> Path:
        return self._folder / name_of(number)

    # What is kept of arguments

    def _told(self, value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return self._text(value, name)
        if isinstance(value, Mapping):
            return {redacted(str(key))[:200]: self._told(each, str(key)) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._told(each, name) for each in value]
        return value if value is None or isinstance(value, bool | int | float) else self._text(str(value), name)

    def _text(self, text: str, name: str) -> str:
        text = redacted(text)
        if self._settings.audit_text == "full" or name in _SAID_ANYWAY or _ID.fullmatch(text):
            return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
        return "hmac:" + hmac.new(self._key(), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:32]

    def _key(self) -> bytes:
        """Return the key of hashed texts, made when first needed: without it a hash of a short text could be guessed."""
        if not self._secret:
            path = self._folder / "key"
            with self._held():
                if not path.exists():
                    part = path.with_name("key.part")
                    part.unlink(missing_ok=True)
                    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
                        file.write(secrets.token_bytes(32))
                        file.flush()
                        os.fsync(file.fileno())
                    part.replace(path)
                self._secret = path.read_bytes()
        return self._secret


def name_of(number: int) -> str:
    return f"{number:06d}.jsonl"


def numbers(folder: Path) -> list[int]:
    """Return the numbers of the files in a folder, in order."""
    return sorted(int(match[1]) for path in folder.iterdir() if (match := _FILE.fullmatch(path.name)))


def _is_at(descriptor: int | None, path: Path) -> bool:
    """Whether the open file is the one at `path`."""
    try:
        return descriptor is not None and os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _write(file: int, line: bytes, size: int) -> None:
    """Append a line to a file of `size` bytes, whole or not at all: what a full disk took of it is cut off again."""
    written = os.write(file, line)
    while written < len(line):
        try:
            written += os.write(file, line[written:])
        except OSError:
            os.ftruncate(file, size)
            raise


def _bytes(line: dict[str, Any]) -> bytes:
    """One line of JSON. Only ASCII: no text of a caller can break a line or a reader."""
    return json.dumps(line, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
