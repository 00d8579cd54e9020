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
CSV = "text/csv"
TSV = "text/tab-separated-values"
JSON = "application/json"
JSON_LINES = "application/jsonl"
MAIL = "message/rfc822"
MHTML = "multipart/related"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
VTT = "text/vtt"
SRT = "application/x-subrip"
AUDIO = (
    "audio/wav", "audio/mpeg", "audio/flac", "audio/ogg", "audio/mp4", "audio/aac", "audio/webm", "audio/aiff", "audio/amr",
    "audio/basic", "audio/x-ms-wma", "video/x-msvideo", "video/quicktime", "video/mpeg", "video/mp2t",
)
"""Recordings, and films of which the sound is read."""

HEAD_BYTES = 64 * 1024
"""Text formats are told apart by this much of the file."""

MAX_RATIO = 200
RATIO_MATTERS_ABOVE = 256 * 2**20
"""Honest office files unpack 5 to 50 fold; deflate reaches 1,032 fold only on the constant filling of a bomb."""

_NAMED_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_NAMED_HTML = frozenset({".html", ".htm", ".xhtml", ".shtml"})
_NAMED_TABLE = {".csv": CSV, ".psv": CSV, ".tsv": TSV, ".tab": TSV}
_NAMED_LINES = frozenset({".jsonl", ".ndjson", ".jsonlines", ".ldjson"})
_NAMED_JSON = frozenset({".json", ".geojson", ".webmanifest", ".ipynb", ".jsonld"})
_BINARY_NAMES = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".xlsm", ".docm", ".pptm", ".mp3", ".wav", ".m4a", ".flac", ".ogg"})

_OFFICE_PARTS = (("word/document", DOCX), ("ppt/presentation", PPTX), ("xl/workbook", XLSX))

_UNSUPPORTED: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "an image; write its text down, or print it to PDF"),
    (b"\xff\xd8\xff", "an image; write its text down, or print it to PDF"),
    (b"GIF87a", "an image; write its text down"),
    (b"GIF89a", "an image; write its text down"),
    (b"8BPS", "an image; write its text down, or print it to PDF"),
    (b"\0\0\0\x0cjP  ", "an image; write its text down, or print it to PDF"),
    (b"\0\0\1\0", "an icon"),
    (b"II*\0", "an image; write its text down, or print it to PDF"),
    (b"MM\0*", "an image; write its text down, or print it to PDF"),
    (b"\x1f\x8b", "a compressed file; unpack it"),
    (b"BZh", "a compressed file; unpack it"),
    (b"\xfd7zXZ\0", "a compressed file; unpack it"),
    (b"\x28\xb5\x2f\xfd", "a compressed file; unpack it"),
    (b"\x04\x22\x4d\x18", "a compressed file; unpack it"),
    (b"\x1f\x9d", "a compressed file; unpack it"),
    (b"MSCF\0\0\0\0", "an archive; unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "an archive; unpack it"),
    (b"Rar!\x1a\x07", "an archive; unpack it"),
    (b"{\\rtf", "a rich text file; save it as .docx"),
    (b"%!PS", "a PostScript file; convert it to PDF"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\0asm", "a program"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OTTO\0", "a font"),
    (b"\0\1\0\0\0", "a font"),
    (b"ITSF", "a Windows help file; unpack its pages, and parse those"),
    (b"BOOKMOBI", "an e-book; save it as .html or PDF"),
    (b"\x78\x9f\x3e\x22", "an Outlook container (winmail.dat); have the letter sent again as plain text or HTML"),
    (b"!BDN", "an Outlook mailbox; save its letters as .eml"),
    (b"PAR1", "a Parquet file; export its rows as .csv"),
    (b"\x89HDF\r\n", "a data file of numbers; export what should be found as .csv"),
    (b"SQLite format 3\0", "a database; export its tables as .xlsx or .md"),
)

_LEGACY = (
    ("WordDocument", "an old Word document; save it as .docx"),
    ("Workbook", "an old Excel workbook; save it as .xlsx"),
    ("Book", "an old Excel workbook; save it as .xlsx"),
    ("PowerPoint Document", "an old PowerPoint deck; save it as .pptx"),
    ("__properties_version1.0", "an Outlook message; save it as .eml, or print it to PDF"),
)

_HTML_START = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_SVG_START = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!doctype\s+svg[^>]*>\s*)?<svg\b", re.IGNORECASE)
_OFFICE_XML = re.compile(r"\s*<\?xml[^>]*\?>\s*<\?mso-application\s+progid=\"(\w+)\.")
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
        # What could also be the first word of a text has a null byte soon.
        if data.startswith(magic) and (not magic.isalnum() or b"\0" in data[:256]):
            raise DocumentUnsupported(f"{name} is {what}")
    if (data.startswith(b"RIFF") and data[8:12] == b"WEBP") or (data.startswith(b"BM") and data[6:10] == bytes(4)):
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
    if captions := _captions_type(head):
        return captions
    letter = _letter_type(head, data, name, named=suffix in _NAMED_LETTERS)
    if letter is not None:
        return letter
    without = _without_comments(head)
    if _HTML_START.match(without) or _SVG_START.match(without) or suffix in _NAMED_HTML:
        return HTML
    if flat := _OFFICE_XML.match(head):
        remedy = {"Word": ".docx", "Excel": ".xlsx", "PowerPoint": ".pptx"}.get(flat[1], "PDF")
        raise DocumentUnsupported(f"{name} is {flat[1]} XML in one file; save it as {remedy}")
    if suffix in _NAMED_MARKDOWN:
        return MARKDOWN
    # A fragment saved under the name of a binary format (an error page in place of a PDF): tags tell.
    if suffix in _BINARY_NAMES and len(_HTML_ANYWHERE.findall(head[:4096])) >= 2:
        return HTML
    return _records_type(head, suffix, whole=len(data) <= HEAD_BYTES)


# -- captions -----------------------------------------------------------------------------------------------------------

_SRT_START = re.compile(r"\s*(?:\d+[ \t]*\n\s*)?\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}[ \t]*-->[ \t]*\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}")


def _captions_type(head: str) -> str | None:
    text = head.lstrip("\ufeff")
    if re.match(r"WEBVTT(?:[ \t].*)?(?:\r?\n|\r|$)", text):
        return VTT
    return SRT if _SRT_START.match(text.replace("\r\n", "\n").replace("\r", "\n")[:400]) else None


# -- records and letters ------------------------------------------------------------------------------------------------

_NAMED_LETTERS = frozenset({".eml", ".mht", ".mhtml", ".mail", ".msg"})
_HEAD_LINE = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,40}):(?:[ \t]|$)|(?:[ \t]+\S)|>?From \S")
_LETTER_KEYS = frozenset(
    {"from", "to", "date", "subject", "mime-version", "message-id", "received", "return-path", "content-type"}
)
_CERTAIN_KEYS = frozenset({"mime-version", "message-id", "received", "return-path", "delivered-to", "snapshot-content-location"})
_MBOX = re.compile(rb"^From \S+.*\d{4}.*\r?\n[A-Z][A-Za-z-]+: ", re.MULTILINE)
_SAVED_PAGE = re.compile(r"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_PAGE_PART = re.compile(rb"^content-type:\s*text/html", re.IGNORECASE | re.MULTILINE)
_FROM_A_PERSON = re.compile(r"^(?:from|to|delivered-to|received):", re.IGNORECASE | re.MULTILINE)


def _letter_type(head: str, data: bytes, name: str, *, named: bool) -> str | None:
    """Whether a text begins with the head of a letter: lines of `Key: value`, some of them keys that only letters have."""
    lines = head.lstrip().split("\n", 60)[:60]
    keys: set[str] = set()
    for line in lines:
        found = _HEAD_LINE.match(line)
        if found is None:
            if line.strip() and not named:
                return None  # a head ends with a blank line
            break
        if found[1]:
            keys.add(found[1].lower())
    known = keys & _LETTER_KEYS
    certain = len(keys & _CERTAIN_KEYS) > 0 and len(known) >= 2
    plain = {"from", "date", "subject"} <= keys and _suffix(name) not in _NAMED_MARKDOWN
    if not (certain or plain or (named and len(known) >= 2)):
        return None
    if len(_MBOX.findall(data[: 8 * HEAD_BYTES])) > 1:
        raise DocumentUnsupported(f"{name} is a mailbox of several letters; export each as .eml")
    top = "\n".join(lines[:60]).split("\n\n", 1)[0]
    is_page = "snapshot-content-location" in keys or _suffix(name) in (".mht", ".mhtml") or not _FROM_A_PERSON.search(top)
    return MHTML if is_page and _SAVED_PAGE.search(top) and _PAGE_PART.search(data) else MAIL


def _records_type(head: str, suffix: str, *, whole: bool) -> str:
    """JSON, JSON Lines, a table with delimiters, or running text. What is named so must also read so."""
    from ingest.parse.csv_dialect import is_plainly_a_table, sniff

    json = _json_type(head, suffix, whole=whole)
    if json is not None:
        return json
    if suffix in _NAMED_TABLE:
        found = sniff(head, "\t" if _NAMED_TABLE[suffix] == TSV else None)
        return TEXT if found is None else TSV if found.delimiter == "\t" else CSV
    if suffix in _NAMED_CODE:
        return TEXT
    return CSV if is_plainly_a_table(head) else TEXT


_NAMED_CODE = frozenset(
    {
        ".py", ".js", ".ts", ".java", ".c", ".h", ".cc", ".cpp", ".go", ".rs", ".rb", ".sh", ".sql", ".yaml", ".yml", ".toml",
        ".ini", ".cfg", ".conf", ".css", ".xml", ".rst", ".tex", ".log", ".diff", ".patch",
    }
)  # fmt: skip


def _json_type(head: str, suffix: str, *, whole: bool) -> str | None:
    """JSON must be that, as far as it can be seen; `[1] A reference` in a text begins like it."""
    text = head.strip("\ufeff \t\r\n")
    if text[:1] not in ("{", "[") and suffix not in _NAMED_LINES:
        return None
    lines = text.split("\n")
    lines = [line for line in (lines if whole else lines[:-1] or lines) if line.strip()][:20]
    sound = sum(map(_is_json if suffix in _NAMED_LINES else _is_json_record, lines))
    if suffix in _NAMED_LINES or (len(lines) > 1 and sound > 1 and sound >= 0.8 * len(lines)):
        return JSON_LINES if sound else (JSON if _is_json(text) else None)
    if whole:
        return JSON if (suffix in _NAMED_JSON or len(text) > 20) and _is_json(text) else None
    return JSON if suffix in _NAMED_JSON or re.match(r"[\[{]\s*(?:[\[{]\s*)*\"", text) else None


def _is_json_record(line: str) -> bool:
    return line.strip()[:1] in "{[" and _is_json(line)


def _is_json(text: str) -> bool:
    """Whether a text is JSON, or several values of it in a row."""
    import json

    decoder = json.JSONDecoder(strict=False, parse_int=str)
    at, end = 0, len(text)
    try:
        while at < end:
            _, at = decoder.raw_decode(text, at)
            rest = text[at : at + 64].lstrip()
            if at < end and rest[:1] not in ("", "{", "["):
                return False
            while at < end and text[at].isspace():
                at += 1
    except (ValueError, RecursionError):
        return False
    return True


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
        if kind == "application/epub+zip":
            raise DocumentUnsupported(f"{name} is an e-book (EPUB); save it as .html or PDF")
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
    return _other_sound(data) or _mpeg_frame(data)


def _other_sound(data: bytes) -> str | None:
    """Containers that are met less often, films among them."""
    if data[:4] == b"FORM" and data[8:12] in (b"AIFF", b"AIFC"):
        return "audio/aiff"
    if data[:4] == b"RIFF" and data[8:12] == b"AVI ":
        return "video/x-msvideo"
    if data[:16] == b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c":
        return "audio/x-ms-wma"
    if data[:5] == b"#!AMR":
        return "audio/amr"
    if data[:4] == b".snd" and data[4] == 0:
        return "audio/basic"
    if data[4:8] in (b"moov", b"mdat", b"wide") and data[0] == 0:  # QuickTime of before it had a type
        return "video/quicktime"
    if data[:4] == b"\0\0\1\xba":
        return "video/mpeg"
    return "video/mp2t" if data[:1] == data[188:189] == data[376:377] == b"\x47" and data[564:565] in (b"\x47", b"") else None


def _mpeg_frame(data: bytes) -> str | None:
    """An MPEG or ADTS frame without a tag in front: sync bits, and fields that do not hold a reserved value."""
    if len(data) < 4 or data[0] != 0xFF:
        return None
    if data[1] & 0xF6 == 0xF0:
        return "audio/aac"
    layer, bitrate, rate = data[1] >> 1 & 3, data[2] >> 4, data[2] >> 2 & 3
    sound = data[1] & 0xE0 == 0xE0 and data[1] >> 3 & 3 != 1 and layer == 1 and bitrate not in (0, 15) and rate != 3
    return "audio/mpeg" if sound else None
