"""Whether a question begins with a name that nobody wrote."""

from __future__ import annotations

import pytest

from indexes.query.features import _is_strange


@pytest.mark.parametrize(("question", "strange"), [
    ("赤霞数据的联系人是谁", True), ("去赤霞数据拜访要到哪一层", True), ("在赤霞数据发现泄密，多久要报告", True),
    ("云栈能源做什么", True),
    ("雲棧能源做什麼", True), ("青鸟网关的联系人是谁", False), ("請問青鳥網關多重", False), ("谁负责赤霞数据", False),
    ("银", False), ("", False), ("的了吗", False), ("Ginkgo 仪器的联系人", False), ("who runs it", False),
    *((question, False) for question in (
        "我们公司的年假有几天", "请告诉我报销流程", "帮我查一下年假", "新员工有几天年假", "每年几次体检", "怎样才能报销",
        "如果忘记密码", "报销流程", "報銷流程", "这个产品多重", "入职多久有年假", "订一台网关要多久", "做贵阳切换到南宁要几步",
        "先交钱还是先发货",
    )),
])
def test_a_chinese_question_is_strange_that_begins_with_a_name_that_stands_nowhere(question: str, strange: bool) -> None:
    collection = frozenset({"青鸟", "鸟网", "网关", "在", "有"})
    assert _is_strange(question, collection.intersection) == strange


def test_without_the_lexicon_nothing_is_strange(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexes.query.features.lexicon", lambda: None)
    assert not _is_strange("赤霞数据的联系人是谁", frozenset({"在"}).intersection)


def test_nothing_is_strange_to_a_collection_without_chinese() -> None:
    assert not _is_strange("赤霞数据的联系人是谁", frozenset({"ginkgo", "contact"}).intersection)


@pytest.mark.parametrize("question", ["who runs the gateway", "Ginkgo 仪器的联系人", ""])
def test_the_lexicon_is_not_read_for_questions_that_do_not_begin_in_chinese(
    monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    monkeypatch.setattr("indexes.query.features.lexicon", lambda: pytest.fail("read"))
    assert not _is_strange(question, frozenset({"在"}).intersection)
