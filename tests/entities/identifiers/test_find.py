"""Identifiers in text: found however they are written, proven where they can be, and not where something else is meant."""

from __future__ import annotations

import itertools
import re
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.identifiers import SCHEMES, find, normalised

FOUND = [
    # how it is written, scheme, normal form
    ("代码：91310115MA952Y8TXT。", "uscc", "91310115MA952Y8TXT"),
    ("代码：９１３１０１１５ＭＡ９５２Ｙ８ＴＸＴ。", "uscc", "91310115MA952Y8TXT"),
    ("9131 0115 MA95 2Y8T XT", "uscc", "91310115MA952Y8TXT"),
    ("LEI 415400AJLCDBCQK1PS58", "lei", "415400AJLCDBCQK1PS58"),
    ("ISBN 978-7-80675-691-1", "isbn", "9787806756911"),
    ("见 9787806756911 号", "isbn", "9787806756911"),
    ("旧书号 7-329-15061-4 停用", "isbn", "9787329150616"),
    ("https://orcid.org/0000-0002-6374-7668", "orcid", "0000-0002-6374-7668"),
    ("（10.1016/S0169-023X(02)00123-4）。", "doi", "10.1016/s0169-023x(02)00123-4"),
    ("doi:10.1000/ABC；另见下文", "doi", "10.1000/abc"),
    ("mail a.b+c@Mail.Norrvik.SE today", "email-domain", "mail.norrvik.se"),
    ("http://user@WWW.Example.org:8080/x", "domain", "example.org"),
    ("访问help.example.com.cn，或", "domain", "help.example.com.cn"),
    ("uses pkg:PyPI/Orjson@3.10.7.", "purl", "pkg:pypi/orjson@3.10.7"),
    ("cpe:2.3:a:acme:tool:1.0:*:*:*:*:*:*:* 受影响", "cpe", "cpe:2.3:a:acme:tool:1.0:*:*:*:*:*:*:*"),
    ("cpe:/o:acme:os:5.2.", "cpe", "cpe:/o:acme:os:5.2"),
    ("POST /API/v2/users/{userId}/keys/", "api-path", "/API/v2/users/{}/keys"),
    ("GET /v1/users/:id", "api-path", "/v1/users/{}"),
    ("报 ＥＲＲ＿１０４２ 时", "error-code", "ERR_1042"),
    ("exit with 0x80070005", "error-code", "0X80070005"),
    ("错误码 E-3017 表示", "error-code", "E-3017"),
    ("型号：NX-4500E。", "product-code", "NX-4500E"),
    ("the WS-C2960X-24TS-L switch", "product-code", "WS-C2960X-24TS-L"),
    ("since v2.9.0-rc.1", "version", "2.9.0-rc.1"),
    ("版本号：３．０．１７", "version", "3.0.17"),
]


@pytest.mark.parametrize(("text", "scheme", "value"), FOUND)
def test_identifier_is_found_as_it_is_written_and_normalised(text: str, scheme: str, value: str) -> None:
    assert [item.value for item in find(text) if item.scheme == scheme] == [value]


@pytest.mark.parametrize(("text", "scheme", "value"), FOUND)
def test_span_is_what_was_written_and_normalises_to_the_value(text: str, scheme: str, value: str) -> None:
    (item,) = (item for item in find(text) if item.scheme == scheme)
    assert normalised(scheme, text[item.start : item.end]) == value


@pytest.mark.parametrize(
    "text",
    [
        "代码91310115MA952Y8TXU",
        "X91310115MA952Y8TXT",
        "LEI 415400AJLCDBCQK1PS59",
        "token ABCD00AJLCDBCQK1PS58XYZ0",
        "ISBN 978-7-80675-691-2",
        "电话 7329150614",
        "0000-0002-6374-7669",
        "5500-0000-0000-0004",
        "main.py",
        "README.md",
        "os.path.join",
        "a period.Then more",
        "e.g. this, i.e. that",
        "3.50 or 10.31",
        "2025.10.31",
        "31.10.2025",
        "192.168.1.10",
        "第3.2节",
        "section 4.1.2",
        "and/or 24/7 1/2",
        "/srv/data/reports",
        "C:\\Temp\\x",
        "图A-3和表B-2",
        "COVID-19",
        "2025-10-31",
        "10-20",
        "UTF-8",
        "A4",
        "12%",
        "1.5 times",
        "com.example.app",
        "user.name",
        "GB/T 22239-2019",
        "RFC-9110",
    ],
)
def test_what_only_looks_alike_is_none(text: str) -> None:
    assert list(find(text)) == []


def test_identifiers_side_by_side_keep_their_characters_apart() -> None:
    text = "https://doi.org/10.1038/s41586-021-03819-2 and https://api.quillon.dev:8443/v3/projects"
    assert [(item.scheme, text[item.start : item.end]) for item in find(text)] == [
        ("domain", "doi.org"),
        ("doi", "10.1038/s41586-021-03819-2"),
        ("domain", "api.quillon.dev"),
        ("api-path", "/v3/projects"),
    ]


@given(st.lists(st.sampled_from([text for text, _, _ in FOUND] + ["，", " and ", "的", "\n"]), max_size=6).map("".join))
def test_identifiers_are_in_order_disjoint_and_valid(text: str) -> None:
    items = list(find(text))
    assert all(first.end <= second.start for first, second in itertools.pairwise(items))
    assert all(normalised(item.scheme, text[item.start : item.end]) == item.value for item in items)


@given(st.text(max_size=80))
def test_any_text_is_searched(text: str) -> None:
    for item in find(text):
        assert item.scheme in SCHEMES and 0 <= item.start < item.end <= len(text)


def test_long_text_without_identifiers_is_searched_in_one_go() -> None:
    """No expression backtracks over a long run of what it could begin with."""
    for part in ("A1-", "a.", "1.", "/a", "0", "err_", "v1.", "10.1000/(", "cpe:2.3:a:", "http://a."):
        assert isinstance(list(find(part * 5_000)), list)


_PIECES = [
    "ERR_", "ECONNRESET", "SQLSTATE ", "0xABCDEFAB", "错误码 ", "invalid_grant", "型号", "SKU ", "v", "V. ", "版本", "版", "3.2",
    "12", "9", "٣", "A", "B-", "-1", "X1", "@a.com", "https://a.b.cn", "/api/v1", "10.1000/x", "pkg:npm/a", "cpe:/a:b:c",
    " ", ".", "/", "_",
    *(text for text, _, _ in FOUND),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=8))
def test_no_text_with_an_identifier_is_passed_over(pieces: list[str]) -> None:
    module, text = import_module("entities.identifiers.find"), "".join(pieces)
    everywhere = tuple((scheme, re.compile(""), finder) for scheme, _, finder in module._FINDERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FINDERS", everywhere)
        wanted = list(find(text))
    assert list(find(text)) == wanted
