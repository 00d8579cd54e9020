"""The bytes decide what a document is; what nobody takes is refused with a remedy."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from ingest.errors import (
    DocumentCorrupt,
    DocumentEmpty,
    DocumentEncrypted,
    DocumentError,
    DocumentTooLarge,
    DocumentUnsupported,
)
from ingest.parse import detect as d
from ingest.parse.detect import detect


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


def office(part: str) -> bytes:
    return zipped({"[Content_Types].xml": b"<Types/>", part: b"<?xml version='1.0'?><x/>"})


def compound(entry: str) -> bytes:
    """The smallest file that has an OLE2 directory with one entry."""
    name = entry.encode("utf-16-le") + b"\0\0"
    record = name.ljust(64, b"\0") + struct.pack("<H", len(name)) + bytes(62)
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\0") + record.ljust(512, b"\0")


@pytest.mark.parametrize(
    ("data", "name", "media_type"),
    [
        (b"# Title\n", "a.md", d.MARKDOWN),
        ("# 标题\n".encode("gbk"), "a.markdown", d.MARKDOWN),
        ("# Title\n".encode("utf-16"), "dir/a.MD", d.MARKDOWN),
        (b"plain words", "notes.txt", d.TEXT),
        (b"a,b\n1,2\n", "t.csv", d.CSV),
        (b"a\tb\n1\t2\n", "t.tsv", d.TSV),
        (b"a\tb\n1\t2\n", "t.csv", d.TSV),
        ("名称；价格".encode(), "t.csv", d.TEXT),
        ("名称,价格\n甲,1\n".encode("utf-16"), "t.csv", d.CSV),
        ("名称，价格\n甲，1\n".encode("gbk"), "t.csv", d.CSV),
        (b"no table, whatever its name\nsays of it\n", "t.csv", d.TEXT),
        (b"id,name,price\n1,a,2\n2,b,3\n3,c,4\n", "export.txt", d.CSV),
        (b"Hello, all, and more,\nthis is, well, a text,\nwith commas, in it, too,\nalways, see, three,\n", "a.txt", d.TEXT),
        (b'{"a": 1}\n{"a": 2}\n', "log.txt", d.JSON_LINES),
        (b'{"a": 1}\nbroken\n', "a.jsonl", d.JSON_LINES),
        (b'{"a": [1, 2],\n "b": null}', "a.json", d.JSON),
        (b'{"a": [1, 2,', "a.json", d.TEXT),
        (b"[1] A. Author, A Title.\n[2] B. Author, Another.\n", "refs.txt", d.TEXT),
        (b"{not json} at all, but a text\n", "a.txt", d.TEXT),
        (b"MIME-Version: 1.0\nSubject: x\nFrom: a@b\n\nbody", "a.eml", d.MAIL),
        (b"Return-Path: <a@b>\r\nReceived: by x\r\n\tby y\r\nSubject: x\r\n\r\nbody", "letter.txt", d.MAIL),
        (b"From a@b Mon Jan  5 10:00:00 2026\nMessage-ID: <1>\nSubject: x\n\nbody", "inbox", d.MAIL),
        (b"Title: x\nAuthor: y\n\nbody of a memo", "memo.txt", d.TEXT),
        (b"From: me\nDate: today\nSubject: x\n\n# Heading", "memo.md", d.MARKDOWN),
        (b"From: <Saved by Blink>\nSnapshot-Content-Location: https://x\nMIME-Version: 1.0\n"
         b"Content-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\n\n<p>x</p>\n--B--", "wiki.doc", d.MHTML),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>words</text></svg>', "a.svg", d.HTML),
        (b"BM25 ranks by terms.", "note.txt", d.TEXT),
        (b"PAR1 is not Parquet here", "note.txt", d.TEXT),
        (office("word/document.xml"), "really.pdf", d.DOCX),
        (b"Title\n=====\n", "a.rst", d.TEXT),
        (b"def f(): ...\n", "a.py", d.TEXT),
        (b"no extension at all", "README", d.TEXT),
        (b"<p>x</p>", "a.html", d.HTML),
        (b"<!-- saved from url --><!-- x -->\n<!DOCTYPE html><p>x", "page", d.HTML),
        (b"<html><body>not a pdf</body></html>", "report.pdf", d.HTML),
        (b"<h1>404</h1><p>Not found</p>", "report.pdf", d.HTML),
        (b"<div align=center>\n\n# Title\n\n</div>", "README.md", d.MARKDOWN),
        (b"%PDF-1.7\n...", "a.txt", d.PDF),
        (b"\n\njunk before\n%PDF-1.4", "a.pdf", d.PDF),
        (office("word/document.xml"), "a.bin", d.DOCX),
        (office("word/document2.xml"), "a.docx", d.DOCX),
        (office("ppt/presentation.xml"), "a.pptx", d.PPTX),
        (office("xl/workbook.xml"), "a.xlsm", d.XLSX),
        (b"RIFF\0\0\0\0WAVEfmt ", "a.wav", "audio/wav"),
        (b"ID3\x04\0\0", "a.mp3", "audio/mpeg"),
        (b"\xff\xfb\x90\x00" + bytes(64), "a.mp3", "audio/mpeg"),
        (b"fLaC\0\0", "a.flac", "audio/flac"),
        (b"OggS\0\0", "a.ogg", "audio/ogg"),
        (b"\0\0\0\x20ftypM4A \0\0", "a.m4a", "audio/mp4"),
        (b"\xff\xf1\x50\x80", "a.aac", "audio/aac"),
        (b"\x1aE\xdf\xa3\x01\0", "a.webm", "audio/webm"),
    ],
)
def test_media_type_is_told_by_the_bytes(data: bytes, name: str, media_type: str) -> None:
    assert detect(data, name) == media_type


@pytest.mark.parametrize("data", [b"", b" \r\n\t ", b"\xef\xbb\xbf\n", "\u3000 \n".encode(), "\n \n".encode("utf-16")])
def test_nothing_and_white_space_are_empty(data: bytes) -> None:
    with pytest.raises(DocumentEmpty, match=r"a\.md"):
        detect(data, "a.md")


@pytest.mark.parametrize(
    ("data", "remedy"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "PDF"),
        (b"\xff\xd8\xff\xe0", "PDF"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "PDF"),
        (b"\0\0\0\x18ftypheic", "PDF"),
        (b"{\\rtf1 x}", "save it as .docx"),
        (b"\x1f\x8b\x08\0", "unpack"),
        (zipped({"a.txt": b"x"}), "unpack"),
        (zipped({"mimetype": b"application/vnd.oasis.opendocument.text"}), "save it as .docx"),
        (zipped({"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b"\1"}), "save it as .xlsx"),
        (compound("WordDocument"), "save it as .docx"),
        (compound("Workbook"), "save it as .xlsx"),
        (compound("PowerPoint Document"), "save it as .pptx"),
        (bytes(range(128, 256)) * 8, "UTF-8"),
    ],
)
def test_what_no_parser_takes_is_refused_with_its_remedy(data: bytes, remedy: str) -> None:
    with pytest.raises(DocumentUnsupported, match=remedy) as caught:
        detect(data, "文件.bin")
    assert "文件.bin" in str(caught.value)


def test_encrypted_office_files_are_told_apart_from_old_ones() -> None:
    with pytest.raises(DocumentEncrypted, match="password"):
        detect(compound("EncryptedPackage"), "a.docx")


def test_a_mention_of_encryption_is_not_encryption() -> None:
    data = compound("WordDocument") + b"x" + "EncryptedPackage".encode("utf-16-le") + bytes(200)
    with pytest.raises(DocumentUnsupported, match="Word"):
        detect(data, "a.doc")


def test_an_encrypted_member_means_a_password() -> None:
    data = bytearray(office("word/document.xml"))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(signature, at + 1)
    with pytest.raises(DocumentEncrypted):
        detect(bytes(data), "a.docx")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_truncated_container_is_corrupt(share: float) -> None:
    data = office("word/document.xml")
    with pytest.raises(DocumentCorrupt, match="again"):
        detect(data[: int(len(data) * share)], "a.docx")


def test_a_binary_file_under_a_known_name_is_corrupt() -> None:
    with pytest.raises(DocumentCorrupt, match="not what its name says"):
        detect(bytes(range(256)) * 8, "a.pdf")


def test_a_container_that_unpacks_beyond_the_limit_is_too_large() -> None:
    data = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": bytes(2_000_000)})
    with pytest.raises(DocumentTooLarge, match="max_expanded_bytes"):
        detect(data, "a.docx", max_expanded_bytes=1_000_000)
    assert detect(data, "a.docx", max_expanded_bytes=3_000_000) == d.DOCX


def test_a_bomb_is_told_by_its_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(d, "RATIO_MATTERS_ABOVE", 1_000_000)
    data = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": bytes(2_000_000)})
    with pytest.raises(DocumentTooLarge, match="times its size"):
        detect(data, "a.docx")


def test_declared_entities_in_office_xml_are_refused() -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>'
    with pytest.raises(DocumentCorrupt, match="entities"):
        detect(zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": bomb}), "a.docx")


def test_hostile_comments_do_not_stall() -> None:
    assert detect(b"<!---->" * 9_000 + b"x", "a.txt") == d.TEXT


@pytest.mark.parametrize("cut", range(0, 600, 37))
def test_any_cut_of_an_office_file_is_an_error_of_ours(cut: int) -> None:
    data = office("xl/workbook.xml")
    try:
        detect(data[:cut], "a.xlsx")
    except DocumentError:
        pass
