"""Parents (context) and children (recall): what retrieval works with.

A child's `text` is `overlap` characters repeated from what stands before it (at most one sentence, or a table's header),
followed by an exact slice of `Document.text`: `document.text[span[0]:span[1]] == child.text[child.overlap:]`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from json.encoder import encode_basestring

from ingest.model.document import Provenance

_MUCH = 4
_PRINTED = b"\n" + bytes(range(0x20, 0x100))


@dataclass(frozen=True, slots=True)
class Parent:
    """A section, or packed sibling subsections: an exact slice of the document's text, 600-1000 units as a rule."""

    parent_id: str
    source_id: str
    heading_path: tuple[str, ...]
    text: str
    units: int
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Child:
    """What is embedded and found. `prefix` (title, path, subject) is embedded with the text and is never part of it."""

    chunk_id: str
    parent_id: str
    kind: str
    heading_path: tuple[str, ...]
    prefix: str
    text: str
    overlap: int
    subject: str
    units: int
    provenance: Provenance

    @property
    def embed_text(self) -> str:
        return embedded(self.prefix, self.text)


@dataclass(frozen=True, slots=True)
class Chunked:
    """What the chunker made of one document, in reading order."""

    parents: tuple[Parent, ...]
    children: tuple[Child, ...]


def prefixed(prefix: str, text: str) -> str:
    """Return prefix, newline, text: what words are searched in."""
    return f"{prefix}\n{text}" if prefix else text


def embedded(prefix: str, text: str) -> str:
    """Return what is embedded: prefix and text, and behind a text of four times its length the prefix once more.

    A vector is a mean over tokens. A name of three words in front of two hundred others hardly moves it, and passages that say
    the same of other products lie as near; said again, it tells them apart. Beside a short text the name weighs enough.
    """
    if prefix and len(text) >= _MUCH * len(prefix):
        return f"{prefix}\n{text}\n{prefix}"
    return prefixed(prefix, text)


def chunk_id(source_id: str, heading_path: tuple[str, ...], text: str, occurrence: int) -> str:
    """Return a child's URN. `occurrence` counts equal (path, text) pairs from 0 in reading order.

    The last 32 hex digits are 128 bits that serve as the point id of a vector engine.
    """
    return "urn:kb:chunk:" + _hash("child", source_id, heading_path, text, occurrence)


def parent_id(source_id: str, heading_path: tuple[str, ...], text: str, occurrence: int) -> str:
    """Return a parent's URN; arguments as for `chunk_id`."""
    return "urn:kb:parent:" + _hash("parent", source_id, heading_path, text, occurrence)


def _hash(noun: str, source_id: str, heading_path: tuple[str, ...], text: str, occurrence: int) -> str:
    """blake2b-128 over the canonical JSON of the list of its arguments, written out here: every chunk passes, twice a run."""
    path = b",".join(map(_quoted, heading_path))
    written = b'["%b",%b,[%b],%b,%d]' % (noun.encode(), _quoted(source_id), path, _quoted(text), occurrence)
    return hashlib.blake2b(written, digest_size=16).hexdigest()


def _quoted(text: str) -> bytes:
    """As `json.encoder.encode_basestring`, at twice the speed for text without control characters but line ends."""
    data = text.encode("utf-8", "surrogatepass")
    if data.translate(None, _PRINTED):
        return encode_basestring(text).encode("utf-8", "surrogatepass")
    return b'"%b"' % data.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
