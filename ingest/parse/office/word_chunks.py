"""Files that Word takes in when it opens a document (`w:altChunk`): pages that programs wrap instead of writing DOCX.

HTML, also in a web archive, and plain text are read with the parsers of those formats; other kinds are recorded.
"""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace
from typing import Any

from ingest.errors import DocumentError
from ingest.model.document import Block, Provenance
from ingest.parse.ledger import Ledger
from ingest.parse.office.package import Package, R
from ingest.settings import ParsePart


def imported(package: Package, part: str, element: Any, ledger: Ledger, where: str) -> list[Block]:
    """Blocks of the file that an `altChunk` of `part` names; empty, and recorded, when it cannot be read."""
    target = package.target(part, element.get(f"{R}id"))
    if target is None:
        ledger.note("embedded_document", where, "its part is missing")
        return []
    try:
        blocks = _read(package.bytes(target), target)
    except DocumentError as error:
        ledger.note("embedded_document", where, str(error))
        return []
    if blocks is None:
        ledger.note("embedded_document", where, target)
    return [replace(block, provenance=Provenance(locator=f"{where}, {target}")) for block in blocks or []]


def _read(data: bytes, name: str) -> list[Block] | None:
    head = data[:2048].lstrip(b"\xef\xbb\xbf\xff\xfe \r\n\t").lower()
    if b"mime-version:" in head or name.endswith((".mht", ".mhtml")):
        page = _page_of(data)
        return None if page is None else _html(page, name)
    if head.startswith(b"<") or name.endswith((".htm", ".html", ".xhtml")):
        return _html(data, name)
    if name.endswith(".txt"):
        from ingest.parse import text

        return list(text.parse(data, name, ParsePart(), "text/plain").blocks)
    return None


def _html(data: bytes, name: str) -> list[Block]:
    from ingest.parse import html

    return list(html.parse(data, name, ParsePart(keep_all_html=True), "text/html").blocks)


def _page_of(data: bytes) -> bytes | None:
    message = email.message_from_bytes(data, policy=email.policy.default)
    for piece in message.walk():
        if piece.get_content_type() == "text/html":
            found = piece.get_payload(decode=True)
            return found if isinstance(found, bytes) else None
    return None
