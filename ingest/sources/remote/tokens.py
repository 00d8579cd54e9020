"""From what a store says of an object to its token: what must differ whenever the bytes do, or nothing.

The decision worth knowing: an etag is opaque. That of an upload in parts is no MD5, a weak one (`W/"..."`) promises the same
meaning and not the same bytes. A weak one, and a bare time of writing, count only once the time is well past: two writes within
one tick of a clock look the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

SETTLED = timedelta(seconds=3)
"""As for files (`ingest.sources.content.SETTLED_NS`): more than the coarsest tick, the whole second of HTTP and of SFTP."""

_STRONG = ("generation", "version_id", "VersionId", "etag", "ETag")
_WRITTEN = ("mtime", "LastModified", "last_modified", "updated", "created")


def of_info(info: Mapping[str, Any], now: datetime) -> str:
    """Return the token of an object as fsspec describes it."""
    tags = [f"{name.lower()}={info[name]}" for name in _STRONG if info.get(name)]
    written = next((info[name] for name in _WRITTEN if info.get(name)), None)
    return joined(tags, _instant(written), now)


def of_headers(headers: Mapping[str, str], now: datetime) -> str:
    """Return the token of what an HTTP answer brought. Servers make etags of size and second: a young one says nothing yet."""
    tag, written = headers.get("ETag", "").strip(), _instant(headers.get("Last-Modified"))
    at = _instant(headers.get("Date")) or now
    if written is not None and written > at - SETTLED:
        return ""
    return joined([f"etag={tag}"] if tag else [], written, at)


def joined(tags: list[str], written: datetime | None, now: datetime) -> str:
    """Return tags and instant of writing as one token; empty where they do not vouch for the bytes."""
    strong = any(not tag.partition("=")[2].startswith("W/") for tag in tags)
    if not strong and (written is None or written > now - SETTLED):
        return ""
    return " ".join([*tags, *([f"written={written.isoformat()}"] if written is not None else [])])


def _instant(said: Any) -> datetime | None:
    """A time as stores write it; None for what is none."""
    if isinstance(said, str):
        try:
            said = parsedate_to_datetime(said) if "," in said else datetime.fromisoformat(said)
        except ValueError:
            return None
    elif isinstance(said, int | float):
        said = datetime.fromtimestamp(said, UTC)
    if not isinstance(said, datetime):
        return None
    return said.replace(tzinfo=said.tzinfo or UTC).astimezone(UTC)
