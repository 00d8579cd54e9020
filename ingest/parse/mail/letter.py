"""A letter becomes a document: its head as a heading and a block, its body, then what is attached, each part by its own parser.

Of a body that is there as plain text and as HTML one is read: the plain one, unless the other says much more or has tables and
lists. Attachments are parsed by the router under a heading with their name, and their locators begin with it; what cannot be
parsed is an omission with its name and the reason. Letters inside letters are read the same way, down to `MOST_DEPTH`.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.errors import ConcordError, DocumentCorrupt, DocumentEncrypted, DocumentTooLarge
from ingest.model.decoding import Decoded, decode_as
from ingest.model.document import Block, Document, Omission, Provenance
from ingest.parse.detect import MAIL, MHTML, detect
from ingest.parse.draft import Draft
from ingest.parse.encoded import without_encoded
from ingest.parse.mail.body import quoted_below, write_blocks, write_plain
from ingest.parse.mail.headers import Part, addresses, file_name, header, listed, moment
from ingest.settings import ParsePart

MOST_DEPTH = 5
MOST_ATTACHMENTS = 200
MOST_PARTS = 20_000
_STARTS = re.compile(rb"^content-type\s*:", re.IGNORECASE | re.MULTILINE)
_MBOX_LINE = re.compile(rb"\A(?:>?From [^\n]*\n)+")
_RICH = re.compile(r"<(?:th|thead|ol|ul|h[1-6]|pre)\b", re.IGNORECASE)
_SILENT_TYPES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})

MUCH_MORE = 1.6
"""The HTML has so many times the letters of the plain text: that one says no more than that it needs another reader."""


def parse(data: bytes, name: str, settings: ParsePart) -> Document:
    """Raises DocumentEncrypted, DocumentTooLarge, and DocumentCorrupt for parts nested by the hundred."""
    if len(_STARTS.findall(data)) > MOST_PARTS:
        raise DocumentTooLarge(f"{name} is a letter of more than {MOST_PARTS} parts, which nobody wrote; discard it")
    try:
        message = email.message_from_bytes(_MBOX_LINE.sub(b"", data, count=1))
        letter = _Letter(name, settings)
        letter.read(message, 0, "")
    except RecursionError:
        raise DocumentCorrupt(f"{name} nests its parts too deeply to be read; save it again from the mail program") from None
    blocks, links = letter.draft.finish()
    subject = header(message, "Subject")
    embedded: dict[str, Any] = {"title": subject} if subject else {}
    embedded["mail"] = _told(message)
    if letter.attached:
        embedded["attachments"] = letter.attached
    return Document(MAIL, "", subject or None, blocks, links, tuple(letter.omissions), embedded)


def _told(message: Part) -> dict[str, Any]:
    """What the head says, for machines."""
    said: dict[str, Any] = {name: people for name in ("from", "to", "cc") if (people := addresses(message, name))}
    for key, name in (("subject", "Subject"), ("message_id", "Message-ID"), ("in_reply_to", "In-Reply-To")):
        if text := header(message, name):
            said[key] = text
    if date := moment(message):
        said["date"] = date
    return said


@dataclass
class _Letter:
    """A letter and all that is inside it, on its way into one draft."""

    name: str
    settings: ParsePart
    draft: Draft = field(default_factory=Draft)
    omissions: list[Omission] = field(default_factory=list)
    attached: list[dict[str, Any]] = field(default_factory=list)
    _count: int = 0

    def read(self, message: Part, depth: int, path: str) -> None:
        """Read one letter; `path` says in which attachment it is."""
        self._refuse_sealed(message, depth, path)
        where = Provenance(locator=f"{path}head")
        subject = header(message, "Subject")
        level = min(6, depth + 1)
        if subject:
            self.draft.add(Block("heading", subject, level, provenance=where, evidence="subject"))
        told = "\n".join(f"{name}: {value}" for name, value in listed(message))
        self.draft.add(Block("paragraph", told, provenance=where))
        self._part(message, depth, path)

    def _refuse_sealed(self, message: Part, depth: int, path: str) -> None:
        kind = message.get_content_type()
        if depth == 0 and (kind == "multipart/encrypted" or kind in _SEALED):
            raise DocumentEncrypted(f"{self.name} is an encrypted or sealed letter; save it decrypted from the mail program")

    # -- parts ----------------------------------------------------------------------------------------------------------

    def _part(self, part: Part, depth: int, path: str) -> None:
        kind = part.get_content_type()
        if part.is_multipart() and kind != "message/rfc822":
            self._several(part, kind, depth, path)
        elif kind == "message/rfc822" or kind == "message/news":
            self._inner(part, depth, path)
        elif _is_body(part):
            self._body(part, path)
        else:
            self._attachment(part, depth, path)

    def _several(self, part: Part, kind: str, depth: int, path: str) -> None:
        parts = _parts(part)
        if kind == "multipart/encrypted":
            self.omissions.append(Omission("attachment", 1, f"{path}encrypted part", "encrypted"))
        elif kind == "multipart/alternative":
            chosen = self._chosen(parts)
            for one in parts:
                if one is chosen:
                    self._part(one, depth, path)
                else:
                    self._attachments_in(one, depth, path)
        else:
            for one in parts:
                self._part(one, depth, path)

    def _chosen(self, parts: list[Part]) -> Part | None:
        """Of several forms of one text, the one to read."""
        plain = next((one for one in parts if _holds(one, "text/plain") is not None), None)
        rich = next((one for one in reversed(parts) if one is not plain and _holds(one, "text/html") is not None), None)
        if plain is None or rich is None:
            return rich or plain or (parts[-1] if parts else None)
        plain_text, markup = _text(_holds(plain, "text/plain")), _text(_holds(rich, "text/html"))
        if _RICH.search(markup.text) or not plain_text.text.strip():
            return rich
        from ingest.parse.html.page import document_of

        letters = sum(map(str.isalnum, plain_text.text))
        shown = sum(map(str.isalnum, document_of(markup.text, MAIL, keep_all=True).text))
        return rich if shown > MUCH_MORE * letters + 40 else plain

    def _attachments_in(self, part: Part, depth: int, path: str) -> None:
        """What hangs on a form of the text that is not read."""
        for one in part.walk():
            if not one.is_multipart() and (file_name(one) or one.get_content_maintype() != "text"):
                self._attachment(one, depth, path)

    def _inner(self, part: Part, depth: int, path: str) -> None:
        inner = _parts(part)
        name = file_name(part) or (header(inner[0], "Subject") if inner else "") or "letter"
        if depth >= MOST_DEPTH or not self._may_take(f"{path}{name}"):
            self.omissions.append(Omission("attachment", 1, f"{path}{name}", f"letters inside letters deeper than {MOST_DEPTH}"))
            return
        for one in inner:
            self.read(one, depth + 1, f"{path}attachment {name}: ")

    # -- the body -------------------------------------------------------------------------------------------------------

    def _body(self, part: Part, path: str) -> None:
        found = _text(part)
        text, encoded = without_encoded(found.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd"))
        lost = (Omission("undecodable", found.replaced, f"{path}body"),) if found.replaced else ()
        self.omissions += [*lost, *encoded]
        if part.get_content_type() == "text/html":
            from ingest.parse.html.page import document_of

            page = document_of(text, MAIL, keep_all=True)
            blocks = quoted_below(page.blocks)
            write_blocks(self.draft, blocks, page.links, lambda where: _placed(where, f"{path}body"), 1)
            self.omissions += [replace(one, where=_within(f"{path}body", one.where)) for one in page.omissions]
        else:
            flowed = str(part.get_param("format", "")).lower() == "flowed"
            write_plain(self.draft, text, lambda where: _placed(where, f"{path}body"), flowed=flowed)

    # -- attachments ----------------------------------------------------------------------------------------------------

    def _may_take(self, where: str) -> bool:
        self._count += 1
        return self._count <= MOST_ATTACHMENTS

    def _attachment(self, part: Part, depth: int, path: str) -> None:
        kind = part.get_content_type()
        if kind in _SILENT_TYPES:
            return
        name = file_name(part) or f"{part.get_content_maintype()} part"
        data = _bytes(part)
        if not data.strip():
            return
        if not self._may_take(name):
            self.omissions.append(Omission("attachment", 1, f"{path}{name}", f"more than {MOST_ATTACHMENTS} attachments"))
            return
        if part.get_content_maintype() == "image":
            self.omissions.append(Omission("image", 1, f"{path}{name}"))
            return
        try:
            self._parsed(data, name, depth, path)
        except ConcordError as error:
            self.omissions.append(Omission("attachment", 1, f"{path}{name}", str(error)[:300]))

    def _parsed(self, data: bytes, name: str, depth: int, path: str) -> None:
        """Parse an attachment and add what it says. Raises whatever its parser does."""
        from ingest.parse.isolate import parse_guarded

        media_type = detect(data, name, max_expanded_bytes=self.settings.max_expanded_bytes)
        place = f"{path}attachment {name}"
        heading = Block("heading", name, min(6, depth + 2), provenance=Provenance(locator=place), evidence="attachment")
        if media_type in (MAIL, MHTML) and depth >= MOST_DEPTH:
            raise DocumentTooLarge(f"{name} is inside more than {MOST_DEPTH} letters")
        if media_type == MAIL:
            self.attached.append({"name": name, "media_type": MAIL})
            self.read(email.message_from_bytes(data), depth + 1, f"{place}: ")
            return
        document = parse_guarded(data, name, self.settings)
        self.attached.append({"name": name, "media_type": document.media_type, "title": document.title})
        self.draft.add(heading)
        write_blocks(self.draft, document.blocks, document.links, lambda where: _placed(where, place), depth + 2)
        self.omissions += [replace(one, where=_within(place, one.where)) for one in document.omissions]


def _parts(part: Part) -> list[Part]:
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, Part)] if isinstance(payload, list) else []


def _is_body(part: Part) -> bool:
    kind = part.get_content_type()
    if kind not in ("text/plain", "text/html", "text/enriched"):
        return False
    return part.get_content_disposition() != "attachment" and not file_name(part)


def _holds(part: Part, kind: str) -> Part | None:
    """The first text of this type in a part."""
    return next((one for one in _leaves(part) if one.get_content_type() == kind and _is_body(one)), None)


def _leaves(part: Part) -> Iterator[Part]:
    return (one for one in part.walk() if not one.is_multipart())


def _bytes(part: Part) -> bytes:
    """The content of a part; bytes that cannot be decoded come as they are."""
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        payload = None
    return payload if isinstance(payload, bytes) else b""


def _text(part: Part | None) -> Decoded:
    if part is None:
        return Decoded("", "ascii")
    try:
        declared = part.get_content_charset()
    except (ValueError, LookupError):
        declared = None
    return decode_as(_bytes(part), declared)


def _placed(where: Provenance, place: str) -> Provenance:
    """Where a part of a letter stands, in words: its lines and pages are not those of the file."""
    if where.lines and not where.locator:
        first, last = where.lines
        return Provenance(locator=f"{place}, line {first}" if first == last else f"{place}, lines {first}-{last}")
    page = f"page {where.boxes[0].page}" if where.boxes else None
    return Provenance(locator=_within(place, where.locator or page), time=where.time)


def _within(place: str, where: str | None) -> str:
    return f"{place}, {where}" if where else place
