"""The audit log: who asked what as whom, which rows they were given, from which generation. See docs/formats.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from indexes.serve.callers import Caller


@dataclass(frozen=True, slots=True)
class Seen:
    """The rows (chunk, parent, source, entity ids) that an answer showed of one knowledge base, from one generation."""

    kb_id: str
    generation: int
    rows: tuple[str, ...] = ()


class Audit(Protocol):
    """Where operations are recorded. Threads may share one."""

    def record(
        self, caller: Caller | None, operation: str, arguments: Mapping[str, Any], *, seen: Sequence[Seen] = (),
        failed: Sequence[str] = (), refused: str | None = None, seconds: float = 0.0, session: str = "",
        citations: Mapping[str, int] | None = None,
    ) -> None:
        """Record one operation before its answer leaves. `caller` None: somebody without a valid token, of
        whom a log may keep only how many there were.

        `failed`: ids of knowledge bases that could not answer. `refused`: `insufficient_evidence`, or the class of the error
        that the caller was given. `citations`: {"cited": n, "valid": n} of verify_citations. Raises AuditFailed when it cannot be
        written and the settings require it."""
        ...


class NoAudit:
    """Records nothing: `serve.audit = "off"`."""

    def record(
        self, caller: Caller | None, operation: str, arguments: Mapping[str, Any], *, seen: Sequence[Seen] = (),
        failed: Sequence[str] = (), refused: str | None = None, seconds: float = 0.0, session: str = "",
        citations: Mapping[str, int] | None = None,
    ) -> None:
        return
