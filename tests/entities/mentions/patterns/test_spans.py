"""All patterns over a text as written: spans are exact whatever its width, and any text is taken."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entities.mentions.patterns.spans import behind, named_on, patterns


def test_full_width_forms_are_found_where_they_stand() -> None:
    text = "满足ＧＢ／Ｔ　２２２３９－２０１９，用ＭｙＳＱＬ　８．０。"
    assert {(span.type, text[span.start : span.end]) for span in patterns(text)} == {
        ("standard", "ＧＢ／Ｔ　２２２３９－２０１９"),
        ("product", "ＭｙＳＱＬ"),
        ("version", "８．０"),
    }


def test_whole_number_behind_a_known_product_is_its_version() -> None:
    for text, version in (
        ("Larkfield Lens 4 runs", "4"),
        ("远帆OS 5.2 启动", "5.2"),
        ("云脉网关2.0", "2.0"),
        ("Lens 2024 edition", ""),
        ("Lens 15% off", ""),
    ):
        end = text.index(" ") if text.startswith("远") else 14 if text.startswith("Larkfield") else 4
        assert "".join(text[span.start : span.end] for span in behind(text, [(0, end)])) == version


def test_name_goes_on_over_words_that_firms_are_named_by() -> None:
    assert named_on("星瀚环保科技有限", 2) == 6 and named_on("星瀚的科技", 2) == 2 and named_on("星瀚", 2) == 2


@given(st.text(alphabet=st.sampled_from("云公司有限大学的 AInc.Ltd(（)）１v2./-:\n中和为在系统平台GBT"), max_size=60))
def test_any_text_has_exact_spans(text: str) -> None:
    for span in patterns(text):
        assert 0 <= span.start < span.end <= len(text) and 0 < span.confidence <= 1


def test_long_run_of_beginnings_is_searched_in_one_go() -> None:
    for part in ("公司", "A ", "Aa of ", "大学和", "V1.", "（", "Aa-", "GB/T ", "有限"):
        assert isinstance(patterns(part * 2_000), list)
