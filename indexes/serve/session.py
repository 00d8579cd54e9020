"""What one conversation was given: texts, so that they are not sent twice, and citations, so that they can be looked up again.

A transport that keeps sessions (stdio, MCP over HTTP with a session id) has one session a conversation. Calls without one share
the caller's common session, which remembers citations by the id of their pack and marks nothing as given: one conversation must
not be denied what another one read.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from indexes.serve.budget import Budget, limits
from indexes.serve.callers import Caller
from ingest.errors import NotFound
from ingest.settings import ServePart

_GIVEN = 20_000
"""Texts that a session remembers; the oldest are forgotten first, and would be sent again."""
_PACKS = 64
_PACKS_OF_MANY = 2048
"""Packs that a conversation remembers, and that a session of many conversations does."""
_SESSIONS = 4096


@dataclass(frozen=True, slots=True)
class Cited:
    """What a citation of a pack stands for."""

    kb_id: str
    generation: int
    chunk_id: str
    checksum: str


class Session:
    """One conversation. Threads may share one. `id` is for the audit log. `conversation`: whether what was given counts."""

    def __init__(self, id: str, budget: Budget, *, conversation: bool = True) -> None:
        self.id = id
        self.budget = budget
        self.conversation = conversation
        self._lock = threading.Lock()
        self._given: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        self._packs: OrderedDict[str, dict[str, Cited]] = OrderedDict()
        self._number = 0

    def given(self, kb_id: str, id: str, checksum: str) -> bool:
        """Whether this very text of a chunk or parent was given before in this conversation: a section that was cut to fit a
        budget is another text than the whole of it."""
        with self._lock:
            return self.conversation and (kb_id, id, checksum) in self._given

    def give(self, kb_id: str, id: str, checksum: str) -> None:
        """Note that a text is given now."""
        with self._lock:
            self._given[kb_id, id, checksum] = None
            self._given.move_to_end((kb_id, id, checksum))
            while len(self._given) > _GIVEN:
                self._given.popitem(last=False)

    def keep(self, citations: dict[str, Cited]) -> str:
        """Remember a pack; return its id."""
        with self._lock:
            self._number += 1
            pack = f"P{self._number}"
            self._packs[pack] = citations
            while len(self._packs) > (_PACKS if self.conversation else _PACKS_OF_MANY):
                self._packs.popitem(last=False)
            return pack

    def pack(self, pack: str | None) -> dict[str, Cited]:
        """Return the citations of a pack, or of the latest. Raises NotFound."""
        with self._lock:
            name = pack if pack is not None or not self.conversation else next(reversed(self._packs), None)
            found = self._packs.get(name) if name is not None else None
        if found is None:
            asked = f"no pack {pack}" if pack is not None else "no pack that citations without one could mean"
            raise NotFound(f"this session has {asked}; name the `pack` of one of its answers, or search again")
        return found

    def cited(self, citation: str, pack: str | None) -> Cited:
        """Return what a citation stands for. Raises NotFound."""
        found = self.pack(pack).get(citation)
        if found is None:
            raise NotFound(f"the pack has no citation {citation}; cite only what its `results` list")
        return found


class Sessions:
    """The sessions of a server over HTTP: what was given by (caller, session id), budgets by caller. Threads may share one."""

    def __init__(self, settings: ServePart, budget: Callable[[], Budget] | None = None) -> None:
        self._budget = budget or (lambda: Budget(limits(settings), settings.window_seconds))
        self._lock = threading.Lock()
        self._sessions: OrderedDict[tuple[str, str], Session] = OrderedDict()
        self._budgets: dict[str, Budget] = {}

    def of(self, caller: Caller, id: str | None = None) -> Session:
        """Return the session of a caller that its transport calls `id`; None: the caller's common one."""
        key = caller.name, id or ""
        with self._lock:
            found = self._sessions.get(key)
            if found is None:
                budget = self._budgets.setdefault(caller.name, self._budget())
                found = self._sessions[key] = Session(id or "", budget, conversation=id is not None)
            self._sessions.move_to_end(key)
            while len(self._sessions) > _SESSIONS:
                self._sessions.popitem(last=False)
            return found


def alone(settings: ServePart) -> Session:
    """Return the session of a server that one client started for itself (stdio)."""
    return Session("stdio", Budget(limits(settings)))
