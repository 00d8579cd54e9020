"""Text files say which encoding they are in only by what they read like."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.model.decoding import decode, decode_as

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


# -- sentences of twenty characters and more, in every encoding that can write them --------------------------------------

SENTENCES = {
    "zh-Hans": [
        "根据全市统一安排，档案馆自下月起实行新的查阅办法，凭有效证件即可在一楼大厅办理，不再需要单位介绍信。",
        "如果数据库连接超时，请先检查网络是否畅通，再确认服务端口没有被防火墙拦截，最后重启应用。",
        "昨天下午突然下起了大雨，孩子们只好留在教室里，听老师讲了一个关于海边灯塔的故事。",
        "本合同一式两份，双方各执一份，自签字盖章之日起生效，有效期为三年，期满前六十日内可书面续签。",
        "升级固件前请备份全部配置，升级过程中不要切断电源，完成后设备会自动重新启动。",
    ],
    "zh-Hant": [
        "根據全市統一安排，檔案館自下月起實行新的查閱辦法，憑有效證件即可在一樓大廳辦理，不再需要單位介紹信。",
        "如果資料庫連線逾時，請先檢查網路是否暢通，再確認服務埠沒有被防火牆攔截，最後重新啟動應用程式。",
        "昨天下午突然下起了大雨，孩子們只好留在教室裡，聽老師講了一個關於海邊燈塔的故事。",
        "本契約一式兩份，雙方各執一份，自簽字蓋章之日起生效，有效期為三年，期滿前六十日內可書面續簽。",
    ],
    "ja": [
        "データベースの設定を変更した場合は、必ずサービスを再起動してから動作を確認してください。",
        "昨日は一日中雨が降っていたので、家で古い本を読みながら静かに過ごしました。",
        "契約書の第三条に定める期間を過ぎた場合には、所定の違約金が発生することがあります。",
        "新しい駅の近くに大きな図書館ができたそうなので、来週の日曜日に友達と行ってみます。",
    ],
    "ko": [
        "데이터베이스 설정을 변경한 경우에는 반드시 서비스를 다시 시작한 뒤에 동작을 확인해 주십시오.",
        "어제는 하루 종일 비가 내려서 집에서 오래된 책을 읽으며 조용히 시간을 보냈습니다.",
        "계약서 제삼조에서 정한 기간이 지난 경우에는 정해진 위약금이 발생할 수 있습니다.",
    ],
    "en": [
        "The measuring station on the western pier was taken down in spring after two storms.",
        "Back up all settings first; the device restarts by itself when the update is done.",
    ],
    "de-fr-es": [
        "Größenänderungen müssen für alle Übersetzungen geprüft und anschließend bestätigt werden.",
        "L'été dernier, nous avons été obligés de fermer le musée à cause de la très forte chaleur.",
        "El año pasado la niña corrió más rápido que los demás, según contó después su señora madre.",
    ],
}
ENCODINGS = {
    "zh-Hans": ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gbk", "gb18030"],
    "zh-Hant": ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "big5", "gb18030"],
    "ja": ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "shift_jis", "cp932", "euc_jp", "iso2022_jp"],
    "ko": ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "euc_kr", "cp949"],
    "en": ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"],
    "de-fr-es": ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"],
}
WRITTEN = [(language, encoding) for language, encodings in ENCODINGS.items() for encoding in encodings]


@st.composite
def passages(draw: st.DrawFn, language: str) -> str:
    """At least twenty characters, from one sentence or several, beginning and ending anywhere."""
    text = "\n".join(draw(st.lists(st.sampled_from(SENTENCES[language]), min_size=1, max_size=3)))
    start = draw(st.integers(0, len(text) - 20))
    return text[start : draw(st.integers(start + 20, len(text)))]


@pytest.mark.parametrize(("language", "encoding"), WRITTEN)
@given(data=st.data())
def test_twenty_characters_are_read_in_any_encoding(language: str, encoding: str, data: st.DataObject) -> None:
    text = data.draw(passages(language))
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("text", ["cause de la très forte chaleur.\nGröß", "ößere Mengen werden geprüft"])
def test_a_word_that_is_cut_between_letters_with_accents_is_read(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize(("language", "encoding"), WRITTEN)
@pytest.mark.parametrize("declared", ["utf-8", "gb2312", "big5", "shift_jis", "iso-8859-1", "no-such-thing"])
def test_a_declaration_right_or_wrong_changes_nothing(language: str, encoding: str, declared: str) -> None:
    for text in SENTENCES[language]:
        assert decode(text.encode(encoding), declared).text == text


@pytest.mark.parametrize(("language", "encoding"), WRITTEN)
def test_what_comes_rightly_declared_is_read_however_short(language: str, encoding: str) -> None:
    for text in SENTENCES[language]:
        assert decode_as(text[:4].encode(encoding), encoding).text == text[:4]


@given(st.binary(max_size=60), st.sampled_from([None, "utf-8", "gb2312", "us-ascii", "zip", "utf-7", "x"]))
def test_decoding_as_declared_never_raises(data: bytes, declared: str | None) -> None:
    assert isinstance(decode_as(data, declared).text, str)


def test_damaged_places_are_counted() -> None:
    found = decode(SIMPLIFIED.encode("utf-16")[:-1])
    assert (found.replaced, found.text.count("\ufffd")) == (1, 1)
