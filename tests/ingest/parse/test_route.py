"""One entry: dispatch, fingerprints that cost nothing, and no document without text."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ingest.errors import DocumentEmpty, DocumentUnsupported
from ingest.parse import detect
from ingest.parse.route import MEDIA_TYPES, fingerprint, isolated, parse
from ingest.settings import ParsePart

SETTINGS = ParsePart()


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        (b"# T\n\nwords", "a.md", detect.MARKDOWN),
        (b"words", "a.txt", detect.TEXT),
        (b"<p>words and words</p>", "a.html", detect.HTML),
        (b"a,b\n1,2\n", "a.csv", detect.CSV),
        (b'{"a": 1}', "a.json", detect.JSON),
        (b"From: a@b\nMessage-ID: <1>\n\nwords", "a.eml", detect.MAIL),
    ],
)
def test_a_document_carries_the_fingerprint_of_its_parser(data: bytes, name: str, media_type: str) -> None:
    document = parse(data, name, SETTINGS)
    assert document.media_type == media_type
    assert document.parser == fingerprint(media_type, SETTINGS)


def test_only_settings_of_the_format_enter_its_fingerprint() -> None:
    other = ParsePart(keep_all_html=True, audio_language="zh", max_pages=7)
    assert fingerprint(detect.MARKDOWN, other) == fingerprint(detect.MARKDOWN, SETTINGS)
    assert fingerprint(detect.TEXT, other) == fingerprint(detect.TEXT, SETTINGS)
    assert fingerprint(detect.HTML, other) != fingerprint(detect.HTML, SETTINGS)


def test_fingerprints_import_no_parser_library() -> None:
    program = (
        "import sys; from ingest.parse.route import fingerprint, MEDIA_TYPES; from ingest.settings import ParsePart\n"
        "for media_type in MEDIA_TYPES: fingerprint(media_type, ParsePart())\n"
        "heavy = {'lxml', 'trafilatura', 'markdown_it', 'liteparse', 'docling', 'faster_whisper', 'pymupdf', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_binary_formats_are_isolated_and_text_formats_are_not() -> None:
    texts = {detect.MARKDOWN, detect.TEXT, detect.HTML, detect.MHTML, detect.CSV, detect.TSV, detect.JSON, detect.JSON_LINES}
    texts |= {detect.VTT, detect.SRT}
    assert {t for t in MEDIA_TYPES if not isolated(t)} == texts
    assert isolated(detect.MAIL), "a letter may bring a PDF"


def test_an_unknown_media_type_is_unsupported() -> None:
    with pytest.raises(DocumentUnsupported, match="font/woff2"):
        fingerprint("font/woff2", SETTINGS)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"---\ntitle: only front matter\n---\n", "a.md"),
        (b"<!-- nothing but a comment -->\n", "a.md"),
        (b"<html><body><script>var a = 1</script><p hidden>x</p></body></html>", "a.html"),
        (b"<html><head><title>Title only</title></head><body></body></html>", "a.html"),
    ],
)
def test_a_document_without_text_is_empty(data: bytes, name: str) -> None:
    with pytest.raises(DocumentEmpty, match="no text"):
        parse(data, name, SETTINGS)


def test_language_is_told_for_every_format() -> None:
    assert parse("# 说明\n\n本产品支持多种编码。".encode(), "a.md", SETTINGS).language == "zh"
    assert parse(b"The product supports encodings.", "a.txt", SETTINGS).language == "en"
    assert parse("<p>これは日本語の文書です。</p>".encode(), "a.html", SETTINGS).language is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encoding_and_line_ends_change_nothing(encoding: str, newline: str) -> None:
    text = "# 产品说明书\n\n第一段，支持多种编码，\n以及换行。\n\n- 甲\n- 乙\n"
    found = parse(text.replace("\n", newline).encode(encoding), "a.md", SETTINGS)
    assert found == parse(text.encode(), "a.md", SETTINGS)
