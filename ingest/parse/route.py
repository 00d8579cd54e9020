"""The only entry to the parsers: bytes and a name go in, a Document comes out.

The media type is told from the bytes (`detect`), the parser of that type is imported when its first document arrives, and
what it made is completed here with what no parser needs to know: the fingerprint, the language, and that it is not empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import cast

from ingest.errors import DocumentEmpty, DocumentUnsupported
from ingest.model.document import Document
from ingest.model.language import language_of
from ingest.parse import detect as types
from ingest.parse.detect import detect
from ingest.settings import ParsePart

MEDIA_TYPES: Mapping[str, str] = MappingProxyType(
    {
        types.MARKDOWN: "ingest.parse.markdown",
        types.TEXT: "ingest.parse.text",
        types.HTML: "ingest.parse.html",
        **dict.fromkeys((types.CSV, types.TSV), "ingest.parse.csv_table"),
        **dict.fromkeys((types.JSON, types.JSON_LINES), "ingest.parse.json_records"),
        **dict.fromkeys((types.MAIL, types.MHTML), "ingest.parse.mail"),
        **dict.fromkeys((types.VTT, types.SRT), "ingest.parse.captions"),
        types.PDF: "ingest.parse.pdf",
        **dict.fromkeys((types.DOCX, types.PPTX, types.XLSX), "ingest.parse.office"),
        **dict.fromkeys(types.AUDIO, "ingest.parse.audio"),
    }
)
"""Media type -> the module that has `parse(data, name, settings, media_type)` and `version(settings)`."""

_IN_PROCESS = frozenset(
    {
        types.MARKDOWN, types.TEXT, types.HTML, types.CSV, types.TSV, types.JSON, types.JSON_LINES, types.MHTML, types.VTT,
        types.SRT,
    }
)
"""Letters are not among them: what is attached to one may be of any format."""

_WITH_FIRST_DOCUMENT = (
    "pypdfium2", "liteparse",
    *(f"ingest.parse.office.{name}" for name in ("word", "slides", "sheets")),
    *(f"ingest.parse.pdf.{name}" for name in (
        "blocks", "contents", "feed", "furniture", "headings", "liteparse", "metadata", "pages", "scans", "sheets",
    )),
)


def ready_for_isolated() -> None:
    """Import what parsers of isolated formats need for any document, so that processes forked from this one need not.

    It takes five times as long as a short document does. Starts no thread."""
    for name in _WITH_FIRST_DOCUMENT:
        import_module(name)


def parse(data: bytes, name: str, settings: ParsePart) -> Document:
    """Parse one document. `name` is its file name, a hint between text formats only.

    Pure; raises a DocumentError, or ExtraMissing where the parser of this format is an extra that is not installed.
    """
    media_type = detect(data, name, max_expanded_bytes=settings.max_expanded_bytes)
    module = import_module(_module_of(media_type))
    read = cast("Callable[[bytes, str, ParsePart, str], Document]", module.parse)
    document = read(data, name, settings, media_type)
    text = document.text
    if not text.strip():
        raise DocumentEmpty(f"{name} has no text in it; remove it, or replace it by a version whose text can be selected")
    return replace(
        document,
        parser=fingerprint(media_type, settings),
        language=document.language or language_of(text),
    )


def fingerprint(media_type: str, settings: ParsePart) -> str:
    """Return what `Document.parser` is for this media type. Cheap: libraries are asked their version, not imported."""
    module = import_module(_module_of(media_type))
    return cast("Callable[[ParsePart], str]", module.version)(settings)


def isolated(media_type: str) -> bool:
    """Whether a document of this type gets a process of its own: binary formats do, their libraries crash and hang."""
    return media_type not in _IN_PROCESS


def _module_of(media_type: str) -> str:
    try:
        return MEDIA_TYPES[media_type]
    except KeyError:
        raise DocumentUnsupported(f"no parser takes {media_type}") from None
