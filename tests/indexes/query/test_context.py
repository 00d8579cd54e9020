"""Sections within a budget: cut around what was found, at borders that a reader would choose."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexes.query.context import around, contexts, estimated, fitting

ZH = "网关对每个请求重试三次。证书每九十天更换一次！逾期未换者拒绝服务。密钥由平台组保管。"
EN = "Requests are retried three times. Certificates are renewed every ninety days. Keys are kept by the platform team."
CODE = "Before it.\n\n```sh\nrun one. then\nrun two. then\n```\n\nAfter it. And more."
TABLE = "| name | value |\n|---|---|\n| a. b | 1 |\n| c. d | 2 |\n| e. f | 3 |\n"


def test_tokens_are_about_those_of_a_model() -> None:
    assert (estimated(""), estimated("证书"), estimated("gateway "), estimated("证书 ok")) == (0, 2, 2, 3)


def test_tokens_of_so_many_texts_are_remembered_and_no_more() -> None:
    most = estimated.cache_info().maxsize
    assert most is not None
    for number in range(most + 10):
        estimated(f"{ZH}{number}")
    assert estimated.cache_info().currsize == most
    assert estimated(ZH) == estimated.__wrapped__(ZH)


def test_a_section_that_fits_is_given_whole() -> None:
    assert around(ZH, "证书每九十天更换一次！", 1000) == ZH


def test_a_longer_one_is_cut_between_sentences_around_the_text() -> None:
    assert around(ZH, "证书每九十天更换一次！", 24) == "证书每九十天更换一次！逾期未换者拒绝服务。"
    assert around(EN, "Certificates are renewed every ninety days.", 21).strip().endswith("every ninety days.")


def test_the_text_itself_is_never_cut() -> None:
    assert around(ZH, "证书每九十天更换一次！", 3) == "证书每九十天更换一次！"
    assert around(ZH, "另一段文字。", 3) == "另一段文字。"


def test_no_cut_lies_in_a_code_fence_or_in_a_line_of_a_table() -> None:
    for tokens in range(1, estimated(CODE)):
        given_ = around(CODE, "After it.", tokens)
        assert given_.count("```") in (0, 2), given_
    for tokens in range(1, estimated(TABLE)):
        lines = around(TABLE, "| c. d | 2 |", tokens).splitlines()
        assert all(line in TABLE.splitlines() for line in lines), lines


def test_what_is_repeated_before_a_text_is_passed_over() -> None:
    text = "上一句重复在此。逾期未换者拒绝服务。"
    assert around(ZH, text, 20).startswith("逾期未换者拒绝服务。")


def test_texts_come_before_sections_and_the_first_always_fits() -> None:
    assert fitting(["证" * 10, "书" * 10, "钥" * 10], 25) == 2
    assert fitting(["证" * 10, "书"], 3) == 1
    assert fitting([], 3) == 0
    first, second = ZH[:12], ZH[12:23]
    assert contexts([(first, ZH), (second, ZH)], 23 + estimated(ZH)) == [ZH, ""]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 12)), min_size=1, max_size=6), st.integers(1, 200))
def test_texts_and_sections_together_keep_to_the_budget(pieces: list[tuple[int, int]], tokens: int) -> None:
    section = ZH + EN
    found = [(section[start : start + length], section) for start, length in pieces]
    found = found[: fitting([text for text, _ in found], tokens)]
    texts = sum(estimated(text) for text, _ in found)
    assert texts + sum(map(estimated, contexts(found, tokens))) <= max(tokens, texts)


PARTS = st.sampled_from(["句子。", "A sentence. ", "\n", "| a | b |\n", "```\n", "x" * 30, "文" * 9])


@given(st.lists(PARTS, max_size=20), st.data())
def test_a_context_is_a_piece_of_its_section_that_holds_the_text(parts: list[str], data: st.DataObject) -> None:
    section = "".join(parts)
    start = data.draw(st.integers(0, len(section)))
    text = section[start : data.draw(st.integers(start, len(section)))]
    tokens = data.draw(st.integers(0, 60))
    found = around(section, text, tokens)
    assert found in section
    assert estimated(found) <= max(tokens, estimated(text))
