"""URLs as places of roots: how they are written down, what lies below them, and what is never accepted in one.

In: a text as typed. Out: one spelling for one place, without credentials. The decision worth knowing: a path whose first slashes
were folded by a path library (`s3:/bucket/docs`) is still that URL, because no file of that name is there.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote

from ingest.errors import UsageError
from ingest.sources.names import spelled

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<slashes>/{1,2})(?P<rest>[^/].*)", re.DOTALL)
_USER_SHOWN = ("abfs", "abfss", "az", "sftp")
"""Before the `@` is the container, or who logs in with a key."""


def is_url(location: str) -> bool:
    """Whether the location of a registered root is a URL."""
    return "://" in location and _URL.fullmatch(location) is not None


def typed_url(text: str) -> str | None:
    """Return the place that a text names if it is a URL, normalised: no slash at the end. Raises UsageError.

    A `file:` URL is a path and no URL; see `typed_path`."""
    found = _URL.fullmatch(text)
    if found is None or found["scheme"].lower() == "file" or (found["slashes"] == "/" and os.path.lexists(text)):
        return None
    return _normal(found["scheme"].lower(), found["rest"])


def typed_path(text: str) -> str:
    """Return the path that a text names which is no URL."""
    return unquote(re.sub("^file:/+", "/", text)) if text.startswith("file:/") and not os.path.lexists(text) else text


def masked(text: str) -> str:
    """Return a URL as it may be shown: without password and query, and without a user, who may be a token, where none is due."""
    shown = text.partition("?")[0]
    who = "[^/@]*:[^/@]*@" if shown.partition(":")[0].lower() in _USER_SHOWN else "[^/@]*@"
    return re.sub(rf"(?<=[:/]/){who}", "***@", shown, count=1)


def _normal(scheme: str, rest: str) -> str:
    shown = masked(f"{scheme}://{rest}")
    authority, _, path = rest.partition("/")
    if ":" in authority.rpartition("@")[0]:
        raise UsageError(f"{shown} has a password in it; leave it out, and give it where docs/sources.md says")
    if "@" in authority and scheme not in _USER_SHOWN:
        raise UsageError(f"{shown} has a user in it; leave it out, and give credentials where docs/sources.md says")
    if not _has_port(authority):  # what stands there may be half a password: it is not shown
        raise UsageError(f"a {scheme}:// URL has a colon behind its host and no number for a port there; write scheme://host/path")
    if "?" in path or "#" in path or any(ord(char) < 32 or ord(char) == 127 for char in rest):
        raise UsageError(f"{shown} has a query, a fragment or a control character in it; a root is a place: leave it out")
    parts = path.rstrip("/").split("/") if path.strip("/") else []
    if any(part in ("", ".", "..") for part in map(unquote if scheme in ("http", "https") else str, parts)):
        raise UsageError(f"{shown} has an empty part, . or .. in its path; write the path that it means")
    if scheme in ("http", "https"):
        parts = [quote(unquote(part), safe="~!$&'()*+,;=:@-._") for part in parts]
        authority = authority.lower().removesuffix(":443" if scheme == "https" else ":80")
    return f"{scheme}://{authority}" + "".join("/" + part for part in parts)


def _has_port(authority: str) -> bool:
    """Whether what follows a host and a colon, if anything does, is a port."""
    _, colon, port = authority.rpartition("@")[2].rpartition("]")[2].partition(":")
    return not colon or (port.isascii() and port.isdigit() and int(port) < 65536)


def scheme_of(url: str) -> str:
    return url.partition("://")[0]


def below(root: str, url: str) -> str | None:
    """Return the path of `url` below `root` as sources spell it, empty for the root itself; None when it is not below it."""
    if url == root:
        return ""
    if not url.startswith(root + "/"):
        return None
    decode = unquote if scheme_of(root) in ("http", "https") else str
    return "/".join(spelled(decode(part)) for part in url[len(root) + 1 :].split("/"))


def name_of(url: str) -> str:
    """The name of a root that was given none: the last part of its path, else of its bucket or host."""
    last = url.rpartition("/")[2]
    return spelled(unquote(last).partition("@")[0].replace(":", "-"))
