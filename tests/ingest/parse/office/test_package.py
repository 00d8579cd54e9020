"""Bad Office files: each has its error, and none gets to do harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import pytest

from ingest.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge, DocumentUnsupported
from ingest.model.document import Document
from ingest.parse import office
from ingest.parse.detect import DOCX
from ingest.parse.office.package import OLE2
from ingest.settings import ParsePart

STRICT = "http://purl.oclc.org/ooxml/"


def parsed(data: bytes, **settings: Any) -> Document:
    return office.parse(data, "file.docx", ParsePart(**settings), DOCX)


@pytest.fixture
def letter(saved: Callable[[Any], bytes]) -> bytes:
    document = docx.Document()
    document.add_paragraph("一封信 a letter")
    return saved(document)


def test_an_encrypted_file_says_so(letter: bytes) -> None:
    with pytest.raises(DocumentEncrypted, match="password"):
        parsed(OLE2 + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600)


def test_the_binary_formats_of_old_are_unsupported() -> None:
    with pytest.raises(DocumentUnsupported, match="DOCX"):
        parsed(OLE2 + "WordDocument".encode("utf-16-le"))


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_corrupt(letter: bytes, keep: float) -> None:
    with pytest.raises(DocumentCorrupt, match=r"file\.docx"):
        parsed(letter[: int(len(letter) * keep)])


def test_a_flipped_bit_is_corrupt_not_other_text(letter: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(letter)) as archive:
        info = archive.getinfo("word/document.xml")
    at = info.header_offset + 30 + len(info.filename) + info.compress_size // 2
    with pytest.raises(DocumentCorrupt):
        parsed(letter[:at] + bytes([letter[at] ^ 0x55]) + letter[at + 1 :])


def test_xml_that_is_cut_is_corrupt(letter: bytes, patched: Callable[..., bytes]) -> None:
    with pytest.raises(DocumentCorrupt):
        parsed(patched(letter, "word/document.xml", "</w:body>", ""))


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(letter: bytes, patched: Callable[..., bytes]) -> None:
    bomb = patched(letter, "word/media/filler.xml", None, "0" * 5_000_000)
    with pytest.raises(DocumentTooLarge, match="max_expanded_bytes"):
        parsed(bomb, max_expanded_bytes=1_000_000)
    assert len(bomb) < 100_000


def test_entities_are_never_resolved(letter: bytes, patched: Callable[..., bytes]) -> None:
    head = "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>"
    evil = head + '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    with pytest.raises(DocumentCorrupt, match="document type"):
        parsed(patched(letter, "word/document.xml", head, evil))


def test_another_kind_of_zip_is_unsupported() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(DocumentUnsupported, match="archive"):
        parsed(out.getvalue())


def test_a_missing_main_part_is_corrupt(letter: bytes) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(letter)) as source, zipfile.ZipFile(out, "w") as target:
        for info in source.infolist():
            if info.filename != "word/styles.xml" and info.filename != "word/document.xml":
                target.writestr(info.filename, source.read(info))
    with pytest.raises((DocumentCorrupt, DocumentUnsupported)):
        parsed(out.getvalue())


def test_the_strict_variant_of_the_standard_is_read(letter: bytes, patched: Callable[..., bytes]) -> None:
    usual = "http://schemas.openxmlformats.org/"
    strict = patched(letter, "word/document.xml", f"{usual}wordprocessingml/2006/main", f"{STRICT}wordprocessingml/main")
    assert parsed(strict).text == "一封信 a letter"
