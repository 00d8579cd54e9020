"""A model behind a URL: one request of JSON and its answer, asked again while that makes sense.

The key is read from the environment variable that settings name, sent in the Authorization header and shown nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ingest.errors import ConcordError, ExtraMissing, ModelUnavailable

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 30.0


@dataclass(kw_only=True)
class ModelServer:
    """The model at `url`. `feature` is what wants the extra, `name` what is at fault, `settings` how the names of its settings
    begin, `after` what to do when so many `attempts` came to nothing; between them `pause` waits. Raises ExtraMissing."""

    url: str
    key_env: str
    feature: str
    name: str
    settings: str
    after: str
    attempts: int
    timeout: float
    pause: Callable[[float], None] = lambda seconds: None

    def __post_init__(self) -> None:
        try:
            import httpx
        except ImportError as error:
            raise ExtraMissing(self.feature, "endpoint") from error
        self._key = os.environ.get(self.key_env, "").strip()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(headers=headers, timeout=self.timeout)

    def asked(self, body: dict[str, Any]) -> Any:
        """Return the parsed answer to one request. Raises ModelUnavailable."""
        import httpx

        for attempt in range(1, self.attempts + 1):
            try:
                response = self._client.post(self.url, json=body)
            except httpx.TransportError as error:
                trouble, wanted = f"it cannot be reached ({type(error).__name__}: {error})", None
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise self.unusable(f"the request failed ({type(error).__name__}); check {self.settings}_url") from error
            else:
                if response.is_success:
                    return self._parsed(response)
                # Without the key before it is cut: half of one would not be known for what it is.
                said = self._hidden(" ".join(response.text[:2000].split()))[:200]
                trouble, wanted = f"it answered {response.status_code} ({said})", response.headers.get("retry-after")
                if response.status_code in (401, 403):
                    raise self.unusable(f"{trouble}; put a valid key into the variable {self.key_env}")
                if response.status_code not in _RETRIED:
                    raise self.unusable(f"{trouble}; check {self.settings}_url and {self.settings}_model")
            if attempt < self.attempts:
                self.pause(_seconds(wanted, attempt))
        raise self.unusable(f"{trouble}, {self.attempts} times; {self.after}")

    def unusable(self, why: str) -> ConcordError:
        host = urlsplit(self.url).hostname or "?"
        return ModelUnavailable(f"the {self.name} at {host} is of no use: {self._hidden(why)}")

    def _parsed(self, response: Any) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise self.unusable(f"its answer is not JSON; check {self.settings}_url") from error

    def _hidden(self, text: str) -> str:
        """Servers like to quote the key that they refuse."""
        return text.replace(self._key, "***") if self._key else text


def _seconds(wanted: str | None, attempt: int) -> float:
    """How long to wait: what the server asked for, else 1, 2, 4, 8 seconds; never very long."""
    try:
        return min(max(float(wanted or ""), 0.0), _LONGEST_PAUSE)
    except ValueError:
        return min(2.0 ** (attempt - 1), _LONGEST_PAUSE)
