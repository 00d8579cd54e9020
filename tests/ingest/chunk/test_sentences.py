from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.sentences import sentences


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(["今天开会。", "明天出发！", "后天呢？"], id="three marks"),
        pytest.param(["他说：“走吧！”", "然后离开了。"], id="closing quote"),
        pytest.param(["（见第三章。）", "以下同。"], id="closing bracket"),
        pytest.param(["“好。”，他说。"], id="a comma behind the quote"),
        pytest.param(["第一项；", "第二项；", "第三项。"], id="semicolons"),
        pytest.param(["真的吗？！", "是的……", "好。"], id="runs of marks"),
        pytest.param(["版本 v2.1 已发布。", "比例为 3.14%，见 https://a.b/c?d=1.5。", "完"], id="decimals and addresses"),
        pytest.param(["使用 Python.", "然后运行。"], id="Latin full stop before Han"),
        pytest.param(["3.安装说明。", "4.升级说明。"], id="numbers before Han"),
        pytest.param(["请看 README! ", "完成。"], id="mixed"),
        pytest.param(["“好吧。”他说。", "我同意。"], id="who said it, behind the quotation"),
        pytest.param(["他说：“……。”", "然后离开。"], id="a quotation that says nothing"),
        pytest.param(["他问：“去吗？”", "我说：“去！”", "于是出发。"], id="one quotation after the other"),
        pytest.param(["「はい。」と言った。", "それだけだ。"], id="Japanese quotation"),
        pytest.param(["请联系Dr.李。", "他研究A.I.技术。"], id="abbreviations before Han"),
        pytest.param(["本文证明定理．", "由引理１．２可得．", "证毕．"], id="full-width full stops"),
        pytest.param(["他已离职。[2]", "新人未到。¹", "完。"], id="numbers of notes"),
    ],
)
def test_chinese_sentences_end_at_their_marks(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(["One. ", "Two! ", "Three?"], id="three marks"),
        pytest.param(["Dr. Smith met Mrs. Jones vs. Mr. Lee. ", "They left."], id="titles"),
        pytest.param(["It costs $3.50 in v2.1. ", "It did cost 4."], id="decimals"),
        pytest.param(["See Fig. 3 and No. 5. ", "I said no. ", "Then I left."], id="numbered"),
        pytest.param(["J. R. Smith wrote it. ", "Ask him."], id="initials"),
        pytest.param(["He lives in the U.S. Army base. ", "He likes the U.S. ", "The end."], id="dotted"),
        pytest.param(["Use tools, e.g. Bash, i.e. a shell. ", "Good."], id="e.g."),
        pytest.param(["Apple Inc. announced it. ", "I work at Apple Inc. ", "The firm is big."], id="firms"),
        pytest.param(['"Really?" he asked. ', '"Yes." ', "He smiled."], id="quotes"),
        pytest.param(["1. Open the lid. ", "2. Close it in 2019. ", "Done."], id="numbered steps"),
        pytest.param(["Visit https://x.y/z?a=b. ", "Run file.py. ", "Done."], id="addresses and files"),
        pytest.param(["Wait... what? ", "Well... ", "Yes."], id="ellipses"),
        pytest.param(["He lives on Main St. ", "The street is long. ", "St. Petersburg is big."], id="streets and saints"),
        pytest.param(["This is known.[3] ", "That is not.[note 1] ", "Done."], id="numbers of notes"),
        pytest.param(["no capitals here. ", "still two sentences, e.g. this one."], id="no capitals at all"),
    ],
)
def test_english_sentences_end_where_a_reader_stops(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


def test_sentences_of_other_scripts_end_at_their_marks() -> None:
    assert sentences("كيف حالك؟ جيد. نعم.") == ["كيف حالك؟ ", "جيد. ", "نعم."]
    assert sentences("यह एक वाक्य है। यह दूसरा है।") == ["यह एक वाक्य है। ", "यह दूसरा है।"]


@given(st.text() | st.text("。！？；…”’）.!?\"') aA1中,， \n", max_size=60))
def test_sentences_joined_are_the_text(text: str) -> None:
    found = sentences(text)
    assert "".join(found) == text
    assert all(found)


def test_many_marks_are_read_once() -> None:
    assert sentences("." * 200_000) == ["." * 200_000]


@pytest.mark.parametrize("marked", [
    "He met Dr. Smith.| It was late.", "See v2.1.| It works.", "It costs 3.14 dollars.| Really?| Yes!",
    "Wait... what?| I am here.", "Use e.g. a proxy.| Then restart.", "The U.S. market grew.| Sales rose.",
    'He said "Stop."| Then he left.',
    "1. Open the lid.| 2. Press start.",
    "Acme Inc. sells it.| Norrvik buys.", "See Fig. 2 for details.| The rest follows.",
    "No. 5 is alive.| It moves.", "It ended in 2019.| The next began.",
    "Visit https://a.b/c?d=1.| It is free.",
    '"Are you sure?" he asked.| "Yes."', "Mr. and Mrs. Lee came.| They left.", "He works at MIT.| She works at IBM.",
    "数据已备份。|请检查日志。", "他说：“不行。”|然后离开了。", "真的吗？|真的！|好。", "使用 Python 3.11。|然后重启 v2.1 服务。",
    "价格为 3.14 元。|含税。", "等等……|再看看。", "（第一条。）|第二条。", "系统返回 ERR_1042.| Please retry.| 然后重试。",
    "我用 Node.js 开发。|它很快。", "版本 2.0.1 已发布！|请升级。",
])  # fmt: skip
def test_sentences_end_where_a_reader_says(marked: str) -> None:
    assert "|".join(sentences(marked.replace("|", ""))).replace(" |", "| ") == marked
