"""Language by share of characters; lines joined as each script is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.model.language import join_lines, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("本手册说明如何安装网关。", "zh"),
        ("使用 Docker Compose 部署 Orion 网关，然后打开 Settings 页面", "zh"),
        ("本產品支援繁體中文編碼。", "zh"),
        ("How to install the gateway.", "en"),
        ("The vendor 深圳恒星 ships gateways to all regions of the world, as agreed in the contract.", "en"),
        ("これは日本語の文書です。", None),
        ("안녕하세요 세계", None),
        ("Привет, мир", None),
        ("Le système a été redémarré à été dès", None),
        ("1234 5678", None),
        ("", None),
    ],
)
def test_language_is_told_by_its_characters(text: str, language: str | None) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        ("换行\n继续", "换行继续"),
        ("说：“好”，\n然后", "说：“好”，然后"),
        ("他说“好”\n然后走了", "他说“好”然后走了"),
        ("wrapped\nline", "wrapped line"),
        ("使用\nDocker", "使用 Docker"),
        ("a  \n   b", "a b"),
        ("one\n\n\ntwo", "one two"),
        ("no break", "no break"),
    ],
)
def test_lines_join_as_their_script_is_written(lines: str, joined: str) -> None:
    assert join_lines(lines) == joined


@given(st.text(max_size=200))
def test_joining_leaves_no_break_and_loses_no_letter(text: str) -> None:
    joined = join_lines(text)
    assert "\n" not in joined
    assert [c for c in joined if not c.isspace()] == [c for c in text if not c.isspace()]


def test_a_million_spaces_do_not_stall() -> None:
    assert join_lines("a" + " " * 1_000_000 + "b\nc").endswith("b c")
    assert join_lines("汉" + "\u3000" * 1_000_000 + "汉\nx").endswith("汉 x")
