"""A letter is read whole: head, the right body, every attachment by its own parser, and what cannot be read is told."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest

from ingest.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge, DocumentUnsupported
from ingest.model.document import Document
from ingest.parse.mail import letter as letters
from ingest.parse.route import parse
from ingest.settings import ParsePart


def read(data: bytes | EmailMessage, name: str = "a.eml") -> Document:
    return parse(bytes(data), name, ParsePart())


def letter(body: str = "Words of the letter.", **head: str) -> EmailMessage:
    made = EmailMessage()
    usual = {"From": "张三 <a@b.cn>", "To": "c@d.cn", "Subject": "通知", "Date": "Mon, 05 Jan 2026 10:00:00 +0800"}
    for key, value in {**usual, **head}.items():
        made[key] = value
    made.set_content(body)
    return made


def told(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in document.blocks if block.layer == "body"]


def test_the_head_is_a_heading_a_block_and_metadata() -> None:
    document = read(letter())
    assert told(document) == [
        ("heading", "通知"),
        ("paragraph", "From: 张三 <a@b.cn>\nTo: c@d.cn\nDate: Mon, 05 Jan 2026 10:00:00 +0800\nSubject: 通知"),
        ("paragraph", "Words of the letter."),
    ]
    assert document.title == "通知"
    assert document.embedded["mail"]["date"] == "2026-01-05T10:00:00+08:00"


@pytest.mark.parametrize("charset", ["gb2312", "gb18030", "big5", "utf-8", "us-ascii", "x-unknown", "iso-8859-1"])
@pytest.mark.parametrize("transfer", ["base64", "8bit", "quoted-printable"])
def test_a_body_is_decoded_rightly_declared_or_not(charset: str, transfer: str) -> None:
    text = "本次系統維護將於今晚進行，請提前保存數據，並通知相關部門的同事。"
    data = text.encode(charset if charset in ("gb18030", "big5", "utf-8") else "gb18030")
    quoted = "".join(f"={byte:02X}" for byte in data).encode()
    coded = {"base64": base64.encodebytes(data), "8bit": data, "quoted-printable": quoted}[transfer]
    head = f"From: a@b\nMessage-ID: <1>\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {transfer}\n\n"
    assert text in read(head.encode() + coded + b"\n").text


def test_of_two_forms_the_plain_one_is_read() -> None:
    made = letter("The same words.")
    made.add_alternative("<p>The same <b>words</b>.</p>", subtype="html")
    assert told(read(made))[2:] == [("paragraph", "The same words.")]


def test_a_plain_form_that_only_points_to_the_other_is_not_read() -> None:
    made = letter("Your reader shows no HTML.")
    made.add_alternative(f"<p>{'The whole news, told at length. ' * 10}</p>", subtype="html")
    assert "The whole news" in read(made).text


def test_a_form_with_a_table_is_read_for_it() -> None:
    made = letter("a b 1 2")
    made.add_alternative("<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>", subtype="html")
    assert ("table", "a | b\n1 | 2") in told(read(made))


def test_attachments_are_parsed_under_their_names() -> None:
    made = letter()
    made.add_attachment("品名,价\n甲,1\n乙,2\n".encode("gbk"), maintype="text", subtype="csv", filename="价目.csv")
    made.add_attachment(b"# Guide\n\nSee [it](x.md).\n", maintype="application", subtype="octet-stream", filename="guide.md")
    document = read(made)
    assert told(document)[3:] == [
        ("heading", "价目.csv"), ("table", "品名 | 价\n甲 | 1\n乙 | 2"), ("heading", "guide.md"), ("heading", "Guide"),
        ("paragraph", "See it."),
    ]
    assert [block.provenance.locator for block in document.blocks][4] == "attachment 价目.csv, lines 1-3"
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2, 2, 3]
    assert [(document.blocks[link.block].text, link.target) for link in document.links] == [("See it.", "x.md")]
    assert [one["name"] for one in document.embedded["attachments"]] == ["价目.csv", "guide.md"]


def test_what_cannot_be_parsed_is_told_with_its_name() -> None:
    made = letter()
    made.add_attachment(b"\x7fELF\0\0\0", maintype="application", subtype="octet-stream", filename="tool.bin")
    made.add_attachment(b"\x89PNG\r\n\x1a\n\0", maintype="image", subtype="png", filename="plan.png")
    made.add_attachment(b"%PDF-1.4 broken", maintype="application", subtype="pdf", filename="cut.pdf")
    omissions = {(one.kind, one.where) for one in read(made).omissions}
    assert omissions == {("attachment", "tool.bin"), ("image", "plan.png"), ("attachment", "cut.pdf")}


def test_attachments_of_the_form_that_is_not_read_are_read_all_the_same() -> None:
    made = letter("The same words.")
    made.add_alternative("<p>The same words.</p>", subtype="html")
    html = [part for part in made.iter_parts() if part.get_content_type() == "text/html"]
    assert isinstance(html[0], EmailMessage)
    html[0].add_related(b"attached words", maintype="application", subtype="octet-stream", filename="note.txt")
    assert "attached words" in read(made).text


def test_letters_inside_letters_are_read_down_to_a_depth() -> None:
    made = letter("Innermost words.", Subject="0")
    for depth in range(1, letters.MOST_DEPTH + 3):
        outer = letter(f"Words at {depth}.", Subject=str(depth))
        outer.add_attachment(made)
        made = outer
    document = read(made)
    assert f"Words at {3}." in document.text
    assert "Innermost" not in document.text
    assert [one.kind for one in document.omissions] == ["attachment"]


def test_attachments_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "MOST_ATTACHMENTS", 3)
    made = letter()
    for n in range(5):
        made.add_attachment(f"file {n}".encode(), maintype="application", subtype="octet-stream", filename=f"{n}.txt")
    document = read(made)
    assert "file 2" in document.text
    assert [one.where for one in document.omissions] == ["3.txt", "4.txt"]


def test_a_letter_of_too_many_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "MOST_PARTS", 3)
    head = b'MIME-Version: 1.0\nFrom: a@b\nContent-Type: multipart/mixed; boundary="B"\n\n'
    data = head + b"--B\nContent-Type: text/plain\n\nx\n" * 5
    with pytest.raises(DocumentTooLarge, match="discard"):
        read(data)


def test_parts_nested_by_the_hundred_are_an_error_of_ours() -> None:
    head = b"MIME-Version: 1.0\nFrom: a@b\n"
    nested = b"".join(b'Content-Type: multipart/mixed; boundary="B%d"\n\n--B%d\n' % (n, n) for n in range(600))
    try:
        read(head + nested + b"Content-Type: text/plain\n\nwords\n")
    except (DocumentCorrupt, DocumentTooLarge):
        pass


def test_an_encrypted_letter_says_so() -> None:
    kind = b'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=B'
    data = b"MIME-Version: 1.0\nFrom: a@b\nContent-Type: " + kind + b"\n\n--B\n\nx\n--B--\n"
    with pytest.raises(DocumentEncrypted, match="decrypted"):
        read(data)


def test_a_mailbox_is_refused_with_the_remedy() -> None:
    one = b"From a@b Mon Jan  5 10:00:00 2026\nFrom: a@b\nMessage-ID: <1>\nSubject: x\n\nbody\n\n"
    assert read(one).title == "x"
    with pytest.raises(DocumentUnsupported, match=r"export each as \.eml"):
        read(one * 2)


def test_parsing_twice_gives_the_same() -> None:
    made = letter()
    made.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="a.csv")
    assert read(made) == read(made)
