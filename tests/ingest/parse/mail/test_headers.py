"""The head of a letter is text, whatever its mailer made of it."""

from __future__ import annotations

import email
from email.header import Header

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.mail.headers import addresses, decoded, file_name, header, moment


def part(head: bytes | str) -> email.message.Message:
    return email.message_from_bytes((head.encode() if isinstance(head, str) else head) + b"\n\n")


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("关于召开年度会议的通知", "gb2312"), ("關於召開年度會議的通知", "big5"), ("年次会議のお知らせ", "iso-2022-jp"),
        ("年次会議のお知らせ", "shift_jis"), ("연례 회의 안내", "euc-kr"),
        ("Größenänderung für März", "iso-8859-1"), ("会议 & café", "utf-8"),
    ],
)
def test_encoded_words_are_decoded(text: str, charset: str) -> None:
    assert decoded(Header(text, charset).encode()) == text


def test_a_character_cut_between_two_words_is_whole() -> None:
    data = "通知".encode()
    import base64

    words = " ".join(f"=?utf-8?B?{base64.b64encode(piece).decode()}?=" for piece in (data[:4], data[4:]))
    assert decoded(words) == "通知"


def test_words_of_gbk_that_call_themselves_gb2312_are_read() -> None:
    import base64

    data = base64.b64encode("朱镕基讲话".encode("gbk")).decode()
    assert decoded(f"=?gb2312?B?{data}?=") == "朱镕基讲话"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("=?utf-8?Q?a=5Fb_c?=", "a_b c"),
        ("Re: =?utf-8?B?5oql5ZGK?= (final)", "Re: 报告 (final)"),
        ("=?utf-8?B?5oql5ZGK", "=?utf-8?B?5oql5ZGK"),
        ("=?utf-8?B?5oql5ZG?=", "报"),
        ("=?no-such-charset?Q?abc?=", "abc"),
        ("=?utf-7?Q?+AGE-?=", "+AGE-"),
        ("plain\n  folded", "plain folded"),
    ],
)
def test_broken_words_stay_what_can_be_read_of_them(raw: str, text: str) -> None:
    assert decoded(raw).rstrip("\ufffd") == text


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5"])
def test_raw_bytes_in_a_header_are_read(encoding: str) -> None:
    message = part(b"Subject: " + "產品價格調整的通知".encode(encoding))
    assert header(message, "subject") == "產品價格調整的通知"


def test_addresses_have_names() -> None:
    message = part("To: =?utf-8?B?5byg5LiJ?= <a@b.cn>, c@d.cn,\n \"Doe, Jane\" <j@x.com>")
    assert addresses(message, "To") == ["张三 <a@b.cn>", "c@d.cn", "Doe, Jane <j@x.com>"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Mon, 05 Jan 2026 10:00:00 +0800", "2026-01-05T10:00:00+08:00"), ("yesterday", "yesterday"),
        ("Mon, 99 Foo 1", "Mon, 99 Foo 1"),
    ],
)
def test_a_date_is_iso_where_it_is_one(said: str, told: str) -> None:
    assert moment(part(f"Date: {said}")) == told


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('Content-Disposition: attachment; filename="a b.pdf"', "a b.pdf"),
        ("Content-Disposition: attachment; filename*=utf-8''%E6%8A%A5%E5%91%8A.pdf", "报告.pdf"),
        ("Content-Disposition: attachment; filename*=gb2312''%B1%A8%B8%E6.pdf", "报告.pdf"),
        ("Content-Disposition: attachment;\n filename*0*=utf-8''%E6%8A;\n filename*1*=%A5.pdf", "报.pdf"),
        ('Content-Type: x/y; name="=?gbk?B?sai45i5wZGY=?="', "报告.pdf"),
        ('Content-Disposition: attachment; filename="C:\\\\dir\\\\../x.txt"', "x.txt"),
        ("Content-Disposition: attachment", ""),
    ],
)
def test_file_names_are_names(head: str, name: str) -> None:
    assert file_name(part(head)) == name


@given(st.binary(max_size=80))
def test_nothing_in_a_head_raises(data: bytes) -> None:
    keys = (b"Subject: ", b"From: ", b"Date: ", b"Content-Type: a/b; name*=")
    message = email.message_from_bytes(b"\n".join(key + data for key in keys))
    header(message, "Subject")
    addresses(message, "From")
    moment(message)
    file_name(message)
