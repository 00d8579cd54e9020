"""Bearer tokens: a file of hashes that stands for callers. What is presented is compared, never stored, shown or logged.

The file is read again when it changes, so a token is revoked by removing its entry. Everything that is wrong with it closes it: a
file that others may read, one that cannot be read or is not as docs/formats.md says lets nobody in.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from indexes.serve.callers import Caller
from ingest.errors import NotFound, SettingsInvalid, StorageFailed, Unauthenticated, UsageError
from ingest.model.access import Principal
from ingest.model.canonical import plain
from ingest.model.instant import now, parse_instant
from ingest.store.replacing import replace_file

PREFIX = "concord_"
_TOKEN = re.compile(PREFIX + r"[A-Za-z0-9_-]{43}")
_SETTLED = 2.0
"""Seconds after which a file that still looks the same is the same: clocks of file systems tick every few milliseconds."""


def named(name: str) -> str:
    """Return a name that a token may have. Raises ValueError."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}", name):
        raise ValueError(f"{name!r} is no name of a token: letters, digits, . _ @ - (64 at most), a letter or digit first")
    return name


@dataclass(frozen=True, slots=True)
class Token:
    """An entry of the file. `expires`: an instant, None: never."""

    name: str
    sha256: str
    principal: Principal
    kb_ids: tuple[str, ...]
    write: bool
    created: str
    expires: str | None
    metrics: bool = False

    def caller(self) -> Caller:
        return Caller(self.name, self.principal, self.kb_ids, self.write, self.metrics)


def minted() -> str:
    """Return a new token: 256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """Return what the file keeps of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def expiry(created: str, days: int) -> str | None:
    """Return the instant so many days after another; None, never, for 0 days."""
    return parse_instant(datetime.fromisoformat(created) + timedelta(days=days)) if days else None


def redacted(text: str) -> str:
    """Return a text without the tokens that are in it."""
    return _TOKEN.sub(f"{PREFIX}***", text) if PREFIX in text else text


class _Strict(BaseModel):
    """The shapes of the file: what is not exactly as described is refused."""

    model_config = ConfigDict(strict=True, extra="forbid")


class _Principal(_Strict):
    user: str | None
    roles: tuple[str, ...]
    tenant: str | None
    level: int = Field(ge=0)


def _instant(value: str) -> str:
    if parse_instant(value) != value:
        raise ValueError(f"{value!r} is not an instant like 2025-07-01T00:00:00Z")
    return value


class _Entry(_Strict):
    name: Annotated[str, AfterValidator(named)]
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    principal: _Principal
    kb_ids: tuple[str, ...]
    write: bool
    created: Annotated[str, AfterValidator(_instant)]
    expires: Annotated[str, AfterValidator(_instant)] | None
    metrics: bool = False

    def token(self) -> Token:
        who = self.principal
        principal = Principal(who.user, who.roles, who.tenant, who.level)
        return Token(self.name, self.sha256, principal, self.kb_ids, self.write, self.created, self.expires, self.metrics)


class _File(_Strict):
    format: Literal[1]
    tokens: tuple[_Entry, ...]

    @model_validator(mode="after")
    def _differ(self) -> _File:
        for unique in ("name", "sha256"):
            values = [getattr(entry, unique) for entry in self.tokens]
            if len(set(values)) != len(values):
                raise ValueError(f"two entries have one {unique}")
        return self


class Tokens:
    """Who may ask, as the file at `path` says at this moment. Threads may share one."""

    def __init__(self, path: Path, instant: Callable[[], str] = now, clock: Callable[[], float] = time.time) -> None:
        self._path, self._instant, self._clock = path, instant, clock
        self._lock = threading.Lock()
        self._signature: tuple[int, ...] | None = None
        self._entries: tuple[Token, ...] = ()

    def caller(self, presented: str | None) -> Caller:
        """Return whom a token stands for. Raises Unauthenticated, in the same words whatever is wrong with it, and what `read`
        raises when the file cannot be trusted."""
        entries = self._current()
        digest = hashed(presented) if presented is not None and _TOKEN.fullmatch(presented) else ""
        found = None
        for entry in entries:  # all of them, whichever fits: how long it takes tells nothing
            if hmac.compare_digest(entry.sha256, digest):
                found = entry
        if found is None or (found.expires is not None and found.expires <= self._instant()):
            raise Unauthenticated("a valid bearer token is needed; ask those who run this server")
        return found.caller()

    def _current(self) -> tuple[Token, ...]:
        with self._lock:
            try:
                status = self._path.stat()
            except OSError:
                self._signature, self._entries = None, ()
                return ()
            signature = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            if signature != self._signature:
                self._signature, self._entries = None, ()
                self._entries = read(self._path)
                if self._clock() - status.st_mtime > _SETTLED:
                    self._signature = signature
            return self._entries


def read(path: Path) -> tuple[Token, ...]:
    """Return the entries of a file of tokens. Raises SettingsInvalid when others may read or write it, or when it is not what it
    should be; NotFound when there is none."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = file.read()
    except FileNotFoundError:
        raise NotFound(f"there are no tokens yet ({path}); mint one with: ingest serve token NAME") from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be read: {error.strerror}; check its permissions") from error
    if status.st_mode & 0o077:
        raise SettingsInvalid(f"{path} may be read or written by others; run: chmod 600 {path}")
    try:
        return tuple(entry.token() for entry in _File.model_validate_json(content).tokens)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"])) or "it"
        raise SettingsInvalid(
            f"{path} is not a file of tokens as docs/formats.md says ({where}: {problem['msg']}); correct it, or remove it and "
            "mint tokens anew"
        ) from error


def add(path: Path, token: Token) -> None:
    """Add an entry, making the file where there is none. Raises UsageError for a name that is there, SettingsInvalid,
    StorageFailed."""
    with _replacing(path):
        entries = read(path) if path.exists() else ()
        if any(entry.name == token.name for entry in entries):
            raise UsageError(f"there is a token {token.name!r}; give another name, or revoke it first: ingest serve token "
                             f"{token.name} --revoke")
        _write(path, (*entries, token))


def remove(path: Path, name: str) -> None:
    """Remove an entry: servers let its token in no longer. Raises NotFound."""
    with _replacing(path):
        entries = read(path)
        if all(entry.name != name for entry in entries):
            raise NotFound(f"there is no token {name!r}; `ingest serve token` lists them")
        _write(path, [entry for entry in entries if entry.name != name])


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[None]:
    """Hold the lock under which the file is replaced."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageFailed(f"{path.parent} cannot be written: {error.strerror}; check serve.folder and permissions") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _write(path: Path, entries: Sequence[Token]) -> None:
    """Replace the file, whole or not at all."""
    content = json.dumps({"format": 1, "tokens": [plain(entry) for entry in entries]}, ensure_ascii=False, indent=2) + "\n"
    try:
        replace_file(path, content.encode(), mode=0o600)
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written: {error.strerror}; check permissions and free space") from error

