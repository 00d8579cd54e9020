"""Who calls: on stdio whoever the server was started as, over HTTP whoever the bearer token stands for. Never an argument."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from pydantic import ConfigDict

from indexes.serve.audit import Audit
from indexes.serve.callers import Caller
from indexes.serve.mcp.sdk import AccessToken, ServerRequestContext
from indexes.serve.session import Session, Sessions
from indexes.serve.tokens import Tokens
from ingest.errors import ConcordError, Unauthenticated

Request = ServerRequestContext[Any, Any]
Who = Callable[[Request], tuple[Caller, Session]]
"""A request -> who calls, in which session."""

_SESSION_HEADER = "mcp-session-id"
_log = logging.getLogger(__name__)


class CallerToken(AccessToken):
    """A token that was let in, with whom it stands for. The token itself is not kept."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    caller: Caller


class Verifier:
    """Lets tokens in that the file of tokens holds. Whatever is wrong, with a token or the file, looks the same from outside."""

    def __init__(self, tokens: Tokens, audit: Audit) -> None:
        self._tokens = tokens
        self._audit = audit

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            caller = self._tokens.caller(token)
        except Unauthenticated:
            self._record()
            return None
        except ConcordError as error:
            _log.error("nobody is let in: %s", error)
            return None
        return CallerToken(token="", client_id=caller.name, scopes=[], caller=caller)

    def _record(self) -> None:
        try:
            self._audit.record(None, "mcp", {}, refused="Unauthenticated")
        except ConcordError as error:
            _log.error("a refusal could not be recorded: %s", error)


def always(caller: Caller, session: Session) -> Who:
    """Return who calls a server that one client started for itself."""
    return lambda request: (caller, session)


def by_token(sessions: Sessions) -> Who:
    """Return who calls over HTTP. Clients of the newest protocol have no session id, and share their token's common session."""
    def who(request: Request) -> tuple[Caller, Session]:
        http = request.request
        user = None if http is None else http.scope.get("user")
        token = getattr(user, "access_token", None)
        if http is None or not isinstance(token, CallerToken):
            raise Unauthenticated("a valid bearer token is needed; ask those who run this server")
        return token.caller, sessions.of(token.caller, http.headers.get(_SESSION_HEADER))

    return who
