"""The connection to a Qdrant server: which, with what key, and what is done when it does not answer.

REST only. A call that may be repeated is: every write here says what is to be, not what is to change, so that doing it twice is
doing it once. What the client raises becomes an error of ours here and nowhere else. The key is read from the environment
variable that settings name, sent to the server, and shown nowhere.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ingest.errors import BuildCorrupt, EngineUnavailable, ExtraMissing, ServerUnavailable, SettingsInvalid
from ingest.settings import IndexPart

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

T = TypeVar("T")

_PASSING = (408, 429, 500, 502, 503, 504)
"""Answers that may be others in a moment."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_TOLD = 300

logger = logging.getLogger(__name__)


class Server:
    """A server by the settings. It is connected to when it is first asked. Threads may share one."""

    def __init__(self, settings: IndexPart, **options: Any) -> None:
        """`options` go to the client (tests give it a transport). Raises ExtraMissing, SettingsInvalid."""
        if find_spec("qdrant_client") is None:  # told here once: everything that asks a server has one of these first
            raise ExtraMissing("a knowledge base on a Qdrant server", "qdrant")
        self.settings = settings
        self._options = options
        self._client: QdrantClient | None = None
        self.place = _place(settings.qdrant_url)

    def call(self, what: str, ask: Callable[[QdrantClient], T]) -> T:
        """Return what `ask` gives, asked again where the server was not to be reached or too busy.

        Raises ServerUnavailable after the last try, BuildCorrupt where the collection is not there, EngineUnavailable for what
        the server refuses. `what` completes "cannot ..."."""
        pause = _FIRST_PAUSE
        for left in range(self.settings.retries, -1, -1):
            try:
                return ask(self._connected())
            except Exception as error:
                reason, wait = self._reason(what, error)
                if not left:
                    raise ServerUnavailable(
                        f"the Qdrant server at {self.place} does not answer ({reason}), so it cannot {what}; start it, or set "
                        "index.qdrant_url to where it is, and try again (what was published is untouched)"
                    ) from error
                logger.info("cannot %s (%s); asked again in %.1f s", what, reason, wait or pause)
                time.sleep(min(wait or pause, _LONGEST_PAUSE))
                pause = min(pause * 2, _LONGEST_PAUSE)
        raise AssertionError("unreachable")

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _connected(self) -> QdrantClient:
        if self._client is None:
            self._client = self._connect()
        return self._client

    def _connect(self) -> QdrantClient:
        from qdrant_client import QdrantClient

        settings, url = self.settings, urlsplit(self.settings.qdrant_url)
        key = os.environ.get(settings.qdrant_key_env, "").strip() or None
        if key and url.scheme != "https" and url.hostname not in _LOOPBACK and not settings.qdrant_plain:
            raise SettingsInvalid(
                f"the key in {settings.qdrant_key_env} would be sent to {self.place} in the clear; use https in index.qdrant_url "
                "or set index.qdrant_plain where the network between is your own"
            )
        options: dict[str, Any] = {"verify": _trusting(settings.qdrant_ca)} if settings.qdrant_ca else {}
        headers = {"api-key": key} if key else None  # the client's own parameter warns of http, which is refused above
        return QdrantClient(
            url=settings.qdrant_url, headers=headers, timeout=max(1, round(settings.timeout_seconds)), prefer_grpc=False,
            check_compatibility=False, **{**options, **self._options},
        )

    def _reason(self, what: str, error: Exception) -> tuple[str, float]:
        """Say why a call failed that may be repeated, and for how many seconds the server wants to be left alone (0: it does not
        say). Raises what may not."""
        from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        if isinstance(error, ResourceExhaustedResponse):
            return "429, it is busy", float(error.retry_after_s)
        if isinstance(error, ResponseHandlingException):
            source = error.source
            return f"{type(source).__name__}: {str(source)[:_TOLD]}" if str(source) else type(source).__name__, 0.0
        if not isinstance(error, UnexpectedResponse):
            raise error
        if error.status_code in _PASSING:
            return f"{error.status_code} {error.reason_phrase}", 0.0
        if error.status_code in (401, 403):
            raise EngineUnavailable(
                f"the Qdrant server at {self.place} refuses to {what} ({error.status_code}); put a key that it takes into the "
                f"environment variable {self.settings.qdrant_key_env}"
            ) from error
        said = error.content.decode(errors="replace")[:_TOLD]
        if error.status_code == 404:
            raise BuildCorrupt(f"the Qdrant server at {self.place} cannot {what}: {said}; run: ingest verify --repair") from error
        raise EngineUnavailable(
            f"the Qdrant server at {self.place} refuses to {what} ({error.status_code}: {said}); see docs/qdrant.md for the "
            "versions that it was tried with"
        ) from error


def _trusting(authority: str) -> Any:
    """TLS that trusts a certificate authority of one's own."""
    import ssl

    try:
        return ssl.create_default_context(cafile=authority)
    except OSError as error:
        raise SettingsInvalid(f"index.qdrant_ca: {authority} is no file of certificates ({error})") from error


def _place(url: str) -> str:
    """Host and port for messages: a URL may hold a secret. Raises SettingsInvalid where it is no URL."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise SettingsInvalid(
            "the knowledge base is on a Qdrant server, and index.qdrant_url does not say where: set it to http://host:6333 or "
            "https://..."
        ) from None
    return f"{parts.hostname}{port}"
