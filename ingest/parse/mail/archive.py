"""A web page saved with its pictures in one file (.mhtml, .mht, what wikis export as .doc): it is parsed as any page."""

from __future__ import annotations

import email
from dataclasses import replace
from typing import Any

from ingest.errors import DocumentCorrupt
from ingest.model.decoding import decode_as
from ingest.model.document import Document, Omission
from ingest.parse.detect import MHTML
from ingest.parse.html.page import document_of
from ingest.parse.mail.headers import Part, header
from ingest.settings import ParsePart


def parse(data: bytes, name: str, settings: ParsePart) -> Document:
    """Raises DocumentCorrupt where there is no page inside."""
    try:
        message = email.message_from_bytes(data)
        pages = [part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    except RecursionError:
        raise DocumentCorrupt(f"{name} nests its parts too deeply to be read; save the page again") from None
    if not pages:
        raise DocumentCorrupt(f"{name} is a saved page without a page inside; save it again")
    documents = [_document(part, settings) for part in pages[:1]]
    if len(documents[0].text.strip()) == 0 and len(pages) > 1:  # a frameset: its frames are the page
        documents = [_document(part, settings) for part in pages]
    main = max(documents, key=lambda one: len(one.text))
    frames = len(pages) - 1
    omissions = [*main.omissions, *([Omission("frame", frames)] if frames else [])]
    embedded: dict[str, Any] = dict(main.embedded)
    address = header(message, "Snapshot-Content-Location") or header(pages[0], "Content-Location")
    if address:
        embedded["saved_from"] = address
    return replace(main, omissions=tuple(omissions), embedded=embedded)


def _document(part: Part, settings: ParsePart) -> Document:
    payload = part.get_payload(decode=True)
    found = decode_as(payload if isinstance(payload, bytes) else b"", part.get_content_charset())
    lost = (Omission("undecodable", found.replaced),) if found.replaced else ()
    text = found.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return document_of(text, MHTML, lost, keep_all=settings.keep_all_html)
