"""How the parsers of text formats turn bytes into lines.

`ingest.model.decoding` tells the encoding; this says what a parser does about the answer: a DocumentError where the bytes are
not text, line feeds for every kind of line end, and a record of what could not be decoded.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingest.errors import DocumentUnsupported
from ingest.model.decoding import decode
from ingest.model.document import Omission


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` has line feeds only and no null characters, and as many lines as the file. Encoding UTF-8 is not worth a note."""

    text: str
    encoding: str
    omissions: tuple[Omission, ...]


def read(data: bytes, name: str, declared: str | None = None) -> Reading:
    """Decode a text document. Raises DocumentUnsupported for bytes that are no text."""
    try:
        found = decode(data, declared)
    except ValueError as error:
        raise DocumentUnsupported(f"{name} cannot be read as text: {error}; save it as UTF-8") from error
    text = found.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    lost = (Omission("undecodable", found.replaced),) if found.replaced else ()
    return Reading(text, found.encoding, lost)
