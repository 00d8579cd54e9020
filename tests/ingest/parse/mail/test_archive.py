"""A page that was saved with its pictures in one file is parsed like the page."""

from __future__ import annotations

import quopri

import pytest

from ingest.errors import DocumentError
from ingest.parse.route import parse
from ingest.settings import ParsePart

PAGE = (
    '<html><head><meta charset="{declared}"><title>运维手册</title></head>'
    "<body><h1>运维手册</h1><p>每周检查一次备份是否可以恢复。</p></body></html>"
)


def saved(encoding: str = "utf-8", declared: str = "utf-8") -> bytes:
    page = quopri.encodestring(PAGE.format(declared=declared).encode(encoding))
    return (
        b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://wiki.example/ops\r\nSubject: x\r\nMIME-Version: 1.0"
        b'\r\nContent-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="B"\r\n\r\n'
        b"--B\r\nContent-Type: text/html"
        b"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" + page
        + b"\r\n--B\r\nContent-Type: image/png\r\n\r\nx\r\n--B--\r\n"
    )


@pytest.mark.parametrize(("encoding", "declared"), [("utf-8", "utf-8"), ("gb18030", "gb2312"), ("gb18030", "utf-8")])
@pytest.mark.parametrize("name", ["ops.mhtml", "ops.doc", "ops.html"])
def test_the_page_inside_is_the_document(encoding: str, declared: str, name: str) -> None:
    document = parse(saved(encoding, declared), name, ParsePart())
    assert document.media_type == "multipart/related"
    assert document.title == "运维手册"
    assert document.text == "运维手册\n\n每周检查一次备份是否可以恢复。"
    assert document.embedded["saved_from"] == "https://wiki.example/ops"


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.7, 0.9])
def test_a_cut_archive_is_an_error_of_ours_or_what_is_left(cut: float) -> None:
    data = saved()
    try:
        parse(data[: int(len(data) * cut)], "a.mhtml", ParsePart())
    except DocumentError:
        pass
