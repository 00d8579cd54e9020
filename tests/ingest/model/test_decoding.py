"""Text files say which encoding they are in only by what they read like."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.model.decoding import decode

SIMPLIFIED = "第一章 概述。本产品支持多种编码，“引号”与全角符号：（１）、【二】。价格为￥１００元。\n问：如何升级固件？\n"
TRADITIONAL = "第一章 概述。本產品支援繁體中文編碼。請參閱「設定」章節。\n"
JAPANESE = "第一章 概要。本製品は日本語の文字コードに対応しています。ｶﾅ半角も含む。\n"
WESTERN = "Le système a redémarré — « à chaud ». Größe: 20 °C, it’s “fine”.\n"


@pytest.mark.parametrize(
    ("text", "saved_as", "told"),
    [
        (SIMPLIFIED, "gbk", "gb18030"),
        (SIMPLIFIED + "𠀀𠮷㐀", "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (JAPANESE, "shift_jis", "shift_jis"),
        (JAPANESE, "euc_jp", "euc_jp"),
        ("①②③ これはベンダー拡張です。", "cp932", "shift_jis"),
        (WESTERN, "cp1252", "cp1252"),
        (SIMPLIFIED, "utf-8", "utf-8"),
        (SIMPLIFIED, "utf-8-sig", "utf-8"),
        (SIMPLIFIED, "utf-16", "utf-16-le"),
        (SIMPLIFIED, "utf-16-le", "utf-16-le"),
        (TRADITIONAL, "utf-16-be", "utf-16-be"),
        ("# Plain ASCII heading\n", "utf-16-le", "utf-16-le"),
        ("设备列表　库存", "utf-16-le", "utf-16-le"),
    ],
)
def test_every_encoding_is_told_by_its_text(text: str, saved_as: str, told: str) -> None:
    found = decode(text.encode(saved_as))
    assert (found.text, found.encoding, found.replaced) == (text, told, 0)


@pytest.mark.parametrize(
    "name", ["中文", "说明", "报告", "库存", "会议纪要", "赵铁柱", "第三季度销售总结", "订单号 A100 已发货", "合同编号：2024-001"]
)
def test_short_gbk_is_read(name: str) -> None:
    assert decode(name.encode("gbk")).text == name


@pytest.mark.parametrize("word", ["café", "naïve résumé", "Müller & Söhne", "© 2024 Acme", "à", "20 °C", "garçon"])
def test_short_western_text_is_read(word: str) -> None:
    assert decode(word.encode("cp1252")).text == word


@pytest.mark.parametrize("lie", ["utf-8", "utf-16", "big5", "windows-1251", "no-such-encoding", "utf-7", "base64", ""])
def test_a_wrong_declaration_does_not_win(lie: str) -> None:
    assert decode(SIMPLIFIED.encode("gbk"), declared=lie).text == SIMPLIFIED


@pytest.mark.parametrize(("text", "encoding"), [("Привет, мир! Как дела?", "windows-1251"), ("안녕하세요 세계", "euc-kr")])
def test_a_declaration_that_reads_as_words_is_believed(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), declared=encoding).text == text


def test_utf_7_is_never_believed() -> None:
    assert decode(b"+ADw-script+AD4-", declared="utf-7").text == "+ADw-script+AD4-"


def test_one_bad_byte_costs_one_character() -> None:
    data = (SIMPLIFIED * 3).encode() + b"\xff" + SIMPLIFIED.encode()
    found = decode(data)
    assert (found.encoding, found.replaced) == ("utf-8", 1)
    assert found.text == SIMPLIFIED * 3 + "\ufffd" + SIMPLIFIED


def test_a_cut_gbk_file_keeps_what_is_there() -> None:
    found = decode((SIMPLIFIED * 2).encode("gbk") + "说".encode("gbk")[:1])
    assert found.encoding == "gb18030"
    assert found.text == SIMPLIFIED * 2 + "\ufffd"


def test_a_stray_null_leaves_text_text() -> None:
    assert decode(b"# T\0itle\n\nBody\n").text == "# T\0itle\n\nBody\n"


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)),
        b"\x7fELF\x02\x01\x01" + bytes(64),
        bytes(range(128, 256)) * 8,
        bytes(100),
    ],
)
def test_binary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"binary|cannot be told"):
        decode(data)


def test_line_endings_and_empty_input_are_kept() -> None:
    assert decode(b"") == decode(codecs.BOM_UTF8)
    assert decode("甲\r乙\r\n丙\n".encode()).text == "甲\r乙\r\n丙\n"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=300))
def test_utf_8_always_comes_back(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode()).text == text


@given(st.binary(max_size=400))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    try:
        decode(data)
    except ValueError:
        pass
