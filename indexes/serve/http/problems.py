"""What an HTTP client is told that gets no answer: a status and a JSON document (RFC 9457), nothing of this machine in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indexes.serve.arguments import wrong
from indexes.serve.bases import reason
from indexes.serve.tokens import redacted
from ingest.errors import (
    AuditFailed,
    BudgetExhausted,
    ConcordError,
    ExtraMissing,
    NotFound,
    NotGranted,
    ServerBusy,
    SettingsInvalid,
    Unauthenticated,
    UsageError,
)

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Problem:
    """`name`: the class of the error, for programs; `detail`: for people."""

    status: int
    name: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        return {
            "type": f"urn:concord:error:{self.name}", "title": self.name, "status": self.status, "detail": redacted(self.detail),
            **self.more,
        }

    def body(self) -> bytes:
        return json.dumps(self.told(), ensure_ascii=False).encode("utf-8", "backslashreplace")


_STATUSES: tuple[tuple[type[ConcordError], int], ...] = (
    (Unauthenticated, 401), (NotGranted, 403), (NotFound, 404), (BudgetExhausted, 429), (ServerBusy, 503), (AuditFailed, 503),
    (UsageError, 422),
)
"""Errors whose words are for whoever asked."""

_LATER = {429: "60", 503: "5"}
"""Seconds after which to ask again."""


def problem_of(error: ConcordError) -> Problem:
    """Return what a client is told of an error. Of what is wrong with the server, only that something is."""
    for kind, status in _STATUSES:
        if isinstance(error, kind) and not isinstance(error, SettingsInvalid | ExtraMissing):
            headers = {"retry-after": _LATER[status]} if status in _LATER else {}
            if isinstance(error, BudgetExhausted) and error.seconds is not None:
                headers["retry-after"] = str(error.seconds)
            if status == 401:
                headers["www-authenticate"] = 'Bearer realm="concord"'
            return Problem(status, type(error).__name__, str(error), headers)
    return Problem(500, "Failed", reason(error))


UNEXPECTED = Problem(500, "Failed", "something went wrong that should not; those who run this server find it in its log")
TOO_LARGE = Problem(413, "TooLarge", "the request is larger than this server takes (serve.request_bytes)")
TOO_SLOW = Problem(408, "TooSlow", "the request did not arrive in time")
TIMED_OUT = Problem(504, "TimedOut", "the answer took too long; ask for less, or again later", {"retry-after": "5"})
NO_SUCH_HOST = Problem(421, "WrongHost", "this server is not called by that name; those who run it add names with serve.hosts")
NO_SUCH_PATH = Problem(404, "NotFound", "there is nothing at this path; /openapi.json says what there is")
UNREADABLE = Problem(422, "UsageError", "the body cannot be read as JSON in UTF-8")
WRONG_METHOD = Problem(405, "WrongMethod", "operations are asked with POST; /openapi.json says what there is")


def invalid(errors: Sequence[Mapping[str, Any]], media_type: str = "application/json") -> Problem:
    """Return what is said of arguments that were refused. `media_type`: what the body was said to be."""
    first = errors[0] if errors else {}
    if first.get("type") == "json_invalid":
        why = first.get("ctx", {}).get("error", "it cannot be read")
        return Problem(422, "UsageError", f"the body is no JSON: {why} at character {first['loc'][-1]}")
    whole = len(errors) == 1 and tuple(first["loc"]) == ("body",)
    if whole and media_type.partition(";")[0].strip().lower() != "application/json":
        return Problem(422, "UsageError", "send a JSON object, with the header content-type: application/json")
    if whole:
        return Problem(422, "UsageError", "the body must be a JSON object with the arguments of the operation")
    said, found = wrong(errors)
    return Problem(422, "UsageError", said, more={"errors": found})
