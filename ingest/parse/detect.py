"""What a document is, told by its bytes.

Magic bytes first, then the directory of a container, then the tags and words of a text; the name decides only between text
formats, which bytes cannot tell apart. What no parser takes is refused here, with the remedy in the message, before any
library sees it; so are containers that would unpack to more than the settings allow.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePosixPath

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentEncrypted, DocumentTooLarge, DocumentUnsupported
from ingest.model.decoding import decode

MARKDOWN = "text/markdown"
TEXT = "text/plain"
HTML = "text/html"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
AUDIO = ("audio/wav", "audio/mpeg", "audio/flac", "audio/ogg", "audio/mp4", "audio/aac", "audio/webm")

HEAD_BYTES = 64 * 1024
"""Text formats are told apart by this much of the file."""

MAX_RATIO = 200
RATIO_MATTERS_ABOVE = 256 * 2**20
"""Honest office files unpack 5 to 50 fold; deflate reaches 1,032 fold only on the constant filling of a bomb."""

_NAMED_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_NAMED_HTML = frozenset({".html", ".htm", ".xhtml", ".shtml"})
_BINARY_NAMES = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".xlsm", ".docm", ".pptm", ".mp3", ".wav", ".m4a", ".flac", ".ogg"})

_OFFICE_PARTS = (("word/document", DOCX), ("ppt/presentation", PPTX), ("xl/workbook", XLSX))

_UNSUPPORTED: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "an image; write its text down, or print it to PDF"),
    (b"\xff\xd8\xff", "an image; write its text down, or print it to PDF"),
    (b"GIF87a", "an image; write its text down"),
    (b"GIF89a", "an image; write its text down"),
    (b"II*\0", "an image; write its text down, or print it to PDF"),
    (b"MM\0*", "an image; write its text down, or print it to PDF"),
    (b"\x1f\x8b", "a compressed file; unpack it"),
    (b"BZh", "a compressed file; unpack it"),
    (b"\xfd7zXZ\0", "a compressed file; unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "an archive; unpack it"),
    (b"Rar!\x1a\x07", "an archive; unpack it"),
    (b"{\\rtf", "a rich text file; save it as .docx"),
    (b"%!PS", "a PostScript file; convert it to PDF"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"SQLite format 3\0", "a database; export its tables as .xlsx or .md"),
)

_LEGACY = (
    ("WordDocument", "an old Word document; save it as .docx"),
    ("Workbook", "an old Excel workbook; save it as .xlsx"),
    ("Book", "an old Excel workbook; save it as .xlsx"),
    ("PowerPoint Document", "an old PowerPoint deck; save it as .pptx"),
    ("__properties_version1.0", "an Outlook message; print it to PDF"),
)

_HTML_START = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_HTML_ANYWHERE = re.compile(r"<(?:html|head|body|meta|article|main|div|p|table|h[1-6])\b[^<>]*>", re.IGNORECASE)


def detect(data: bytes, name: str, *, max_expanded_bytes: int = 2 * 2**30) -> str:
    """Return the media type of a document.

    Raises DocumentEmpty (nothing, or white space), DocumentEncrypted, DocumentUnsupported (names the remedy), DocumentCorrupt
    (truncated, or not what its first bytes promise) and DocumentTooLarge (a container that unpacks beyond the limit).
    """
    if not data:
        raise DocumentEmpty(f"{name} is empty (0 bytes); remove it or fill it")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zip_type(data, name, max_expanded_bytes)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise _ole2_refusal(data, name)
    if b"%PDF-" in data[:1024]:
        return PDF
    audio = _audio_type(data, name)
    if audio is not None:
        return audio
    for magic, what in _UNSUPPORTED:
        if data.startswith(magic):
            raise DocumentUnsupported(f"{name} is {what}")
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        raise DocumentUnsupported(f"{name} is an image; write its text down, or print it to PDF")
    return _text_type(data, name)


def _suffix(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()


def _text_type(data: bytes, name: str) -> str:
    suffix = _suffix(name)
    try:
        head = decode(_head(data)).text
    except ValueError as error:
        if suffix in _BINARY_NAMES:
            raise DocumentCorrupt(f"{name} is not what its name says, or its beginning is damaged; export it again") from error
        raise DocumentUnsupported(f"{name} is neither a known format nor text ({error}); save it as UTF-8 text or PDF") from error
    if not head.strip("\ufeff\0 \t\n\r\f\v\u3000\xa0") and (len(data) <= HEAD_BYTES or not data.strip()):
        raise DocumentEmpty(f"{name} holds nothing but white space; remove it or fill it")
    if _HTML_START.match(_without_comments(head)) or suffix in _NAMED_HTML:
        return HTML
    if suffix in _NAMED_MARKDOWN:
        return MARKDOWN
    # A fragment saved under the name of a binary format (an error page in place of a PDF): tags tell.
    if suffix in _BINARY_NAMES and len(_HTML_ANYWHERE.findall(head[:4096])) >= 2:
        return HTML
    return TEXT


def _without_comments(head: str) -> str:
    """The text behind the comments that it starts with, as pages saved by a browser do."""
    head = head.lstrip("\ufeff")
    while (rest := head.lstrip()).startswith("<!--"):
        end = rest.find("-->")
        if end < 0:
            return head
        head = rest[end + 3 :]
    return head


def _head(data: bytes) -> bytes:
    """The beginning, cut after a line so that no character is cut (an even count, for UTF-16)."""
    if len(data) <= HEAD_BYTES:
        return data
    head = data[:HEAD_BYTES]
    if b"\0" in head:
        return head
    cut = head.rfind(b"\n")
    return head[: cut + 1] if cut > 0 else head


# -- containers ---------------------------------------------------------------------------------------------------------


def _zip_type(data: bytes, name: str, max_expanded_bytes: int) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_expansion(members, len(data), name, max_expanded_bytes)
            media_type = _office_type(archive, members, name)
            _check_prologues(archive, members, name)
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise DocumentCorrupt(f"{name} is a damaged or truncated container ({error}); export or copy it again") from error
    return media_type


def _check_expansion(members: list[zipfile.ZipInfo], packed: int, name: str, limit: int) -> None:
    expanded = sum(member.file_size for member in members)
    if expanded > limit:
        raise DocumentTooLarge(f"{name} unpacks to {expanded} bytes, over parse.max_expanded_bytes = {limit}")
    if expanded > RATIO_MATTERS_ABOVE and expanded > MAX_RATIO * packed:
        raise DocumentTooLarge(f"{name} unpacks to {expanded // packed} times its size, which no honest document does")
    if sum(member.compress_size for member in members) > packed:
        raise DocumentCorrupt(f"{name} is a container whose members overlap; export it again")


def _office_type(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> str:
    if any(member.flag_bits & 1 for member in members):
        raise DocumentEncrypted(f"{name} is protected by a password; save a copy without it")
    names = [member.filename for member in members]
    for part, media_type in _OFFICE_PARTS:
        # Word and PowerPoint keep `.xml`; a binary workbook (`xl/workbook.bin`) is another format.
        if any(n.startswith(part) and n.endswith(".xml") and "/" not in n[len(part) :] for n in names):
            return media_type
    if "xl/workbook.bin" in names:
        raise DocumentUnsupported(f"{name} is a binary Excel workbook; save it as .xlsx")
    if "mimetype" in names:
        kind = archive.read("mimetype")[:100].decode("ascii", "replace").strip()
        remedy = {"text": ".docx", "spreadsheet": ".xlsx", "presentation": ".pptx"}.get(kind.rpartition(".")[2], "PDF")
        raise DocumentUnsupported(f"{name} is {kind}; save it as {remedy}")
    if not names and _suffix(name) in _BINARY_NAMES:
        raise DocumentCorrupt(f"{name} is an empty container; export it again")
    raise DocumentUnsupported(f"{name} is an archive; unpack it")


def _check_prologues(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> None:
    """Office XML must not declare a document type; one that does is an entity bomb or a reader of local files."""
    for member in members:
        if member.filename.endswith((".xml", ".rels")):
            with archive.open(member) as part:
                prologue = part.read(4096)
            if b"<!DOCTYPE" in prologue or b"<!ENTITY" in prologue or "<!DOCTYPE".encode("utf-16-le") in prologue:
                raise DocumentCorrupt(f"{name} declares XML entities in {member.filename}, which Office never does; discard it")


def _ole2_refusal(data: bytes, name: str) -> DocumentEncrypted | DocumentUnsupported | DocumentCorrupt:
    if _ole2_has(data, "EncryptedPackage"):
        return DocumentEncrypted(f"{name} is protected by a password; save a copy without it")
    for entry, what in _LEGACY:
        if _ole2_has(data, entry):
            return DocumentUnsupported(f"{name} is {what}")
    return DocumentUnsupported(f"{name} is an old compound file; save it in a current format (.docx, .xlsx, .pptx, PDF)")


def _ole2_has(data: bytes, entry: str) -> bool:
    """Whether the directory has this entry: a 128-byte record that starts with the name and has its byte length at 64."""
    raw = entry.encode("utf-16-le") + b"\0\0"
    length = len(raw).to_bytes(2, "little")
    at = data.find(raw)
    while at >= 0:
        if at % 128 == 0 and data[at + 64 : at + 66] == length:
            return True
        at = data.find(raw, at + 1)
    return False


# -- sound --------------------------------------------------------------------------------------------------------------


def _audio_type(data: bytes, name: str) -> str | None:
    if data[:4] in (b"RIFF", b"RF64") and data[8:12] == b"WAVE":
        return "audio/wav"
    if data[:3] == b"ID3":
        return "audio/mpeg"
    if data[:4] == b"fLaC":
        return "audio/flac"
    if data[:4] == b"OggS":
        return "audio/ogg"
    if data[:4] == b"\x1aE\xdf\xa3":
        return "audio/webm"
    if data[4:8] == b"ftyp":
        if data[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"avif"):
            raise DocumentUnsupported(f"{name} is an image; write its text down, or print it to PDF")
        return "audio/mp4"
    return _mpeg_frame(data)


def _mpeg_frame(data: bytes) -> str | None:
    """An MPEG or ADTS frame without a tag in front: sync bits, and fields that do not hold a reserved value."""
    if len(data) < 4 or data[0] != 0xFF:
        return None
    if data[1] & 0xF6 == 0xF0:
        return "audio/aac"
    layer, bitrate, rate = data[1] >> 1 & 3, data[2] >> 4, data[2] >> 2 & 3
    sound = data[1] & 0xE0 == 0xE0 and data[1] >> 3 & 3 != 1 and layer == 1 and bitrate not in (0, 15) and rate != 3
    return "audio/mpeg" if sound else None
