"""What the head of a letter says, as its readers see it: encoded words (RFC 2047), file names (RFC 2231), addresses, dates.

Mailers break every rule: words cut inside a character, raw bytes of any encoding, padding left out, encoded words inside quotes.
Whatever cannot be decoded stays as it was written; nothing here raises.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Iterator
from email.message import Message
from email.utils import collapse_rfc2231_value, getaddresses, parsedate_to_datetime

from ingest.model.decoding import decode_as

Part = Message

_WORD = re.compile(r"=\?([\w.:+-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*)\?=", re.IGNORECASE)
_FOLD = re.compile(r"\r?\n[ \t]*")
MAX_HEADER = 20_000
MAX_ADDRESSES = 100


def header(part: Part, name: str) -> str:
    """The value of a header, decoded and on one line; empty where there is none."""
    wanted = name.lower()
    for key, value in part.raw_items():
        if key.lower() == wanted:
            return decoded(str(value))
    return ""


def decoded(raw: str) -> str:
    """A header's value with its encoded words and raw bytes made text."""
    raw = _FOLD.sub(" ", raw[:MAX_HEADER])
    parts: list[str] = []
    held: list[bytes] = []
    charset = ""
    at = 0

    def release() -> None:
        if held:
            parts.append(decode_as(b"".join(held), charset).text)
            held.clear()

    for word in _WORD.finditer(raw):
        between = raw[at : word.start()]
        adjoining = bool(held) and not between.strip()
        # A character may be cut between two words, so those of one charset are decoded together.
        if not adjoining or word[1].lower() != charset:
            release()
        if not adjoining:
            parts.append(_plain(between))
        held.append(_bytes_of(word[2], word[3]))
        charset = word[1].lower()
        at = word.end()
    release()
    parts.append(_plain(raw[at:]))
    return " ".join("".join(parts).replace("\0", "").split())


def _bytes_of(how: str, text: str) -> bytes:
    data = text.encode("ascii", "surrogateescape")
    if how in "qQ":
        return quopri.decodestring(data.replace(b"_", b" "), header=False)
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    try:
        return base64.b64decode(letters + b"=" * (-len(letters) % 4))
    except (binascii.Error, ValueError):
        return data


def _plain(text: str) -> str:
    """Text that is no encoded word; bytes that were sent as they are come as surrogates."""
    if text.isascii():
        return text
    return decode_as(text.encode("utf-8", "surrogateescape"), None).text


def addresses(part: Part, name: str) -> list[str]:
    """`Name <address>` of everybody in a header."""
    raw = [_FOLD.sub(" ", str(value))[:MAX_HEADER] for key, value in part.raw_items() if key.lower() == name.lower()]
    found = []
    for person, address in getaddresses(raw)[:MAX_ADDRESSES]:
        told = decoded(person).strip("\"' ")
        address = decoded(address)
        if told and told != address:
            found.append(f"{told} <{address}>" if address else told)
        elif address:
            found.append(address)
    return found or [text for text in map(decoded, raw) if text]


def moment(part: Part, name: str = "Date") -> str:
    """The date of a letter, as ISO 8601 where it can be read, else as it was written."""
    said = header(part, name)
    try:
        return parsedate_to_datetime(said).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return said


def file_name(part: Part) -> str:
    """The name that a part has as a file, without folders; empty where it has none."""
    for parameter, where in (("filename", "content-disposition"), ("name", "content-type")):
        try:
            said = part.get_param(parameter, "", where)
            text = collapse_rfc2231_value(said) if said else ""
        except (ValueError, TypeError, LookupError, IndexError):
            continue
        if isinstance(said, tuple) and said[0]:
            text = _rfc2231(said, text)
        name = decoded(str(text)).replace("\\", "/").rpartition("/")[2].strip()
        if name:
            return name[:200]
    return ""


def _rfc2231(said: tuple[str | None, str | None, str], fallback: str) -> str:
    """`charset'language'bytes`, decoded as bodies are, since GBK calls itself gb2312 here as well."""
    try:
        return decode_as(said[2].encode("latin-1"), said[0]).text
    except UnicodeEncodeError:
        return fallback


def listed(part: Part) -> Iterator[tuple[str, str]]:
    """(Name, value) of the headers that a reader of mail is shown."""
    for name in ("From", "To", "Cc"):
        people = addresses(part, name)
        if people:
            yield name, ", ".join(people)
    if said := header(part, "Date"):
        yield "Date", said
    if said := header(part, "Subject"):
        yield "Subject", said
