"""What kind of thing is asked for, in two languages, and whether a text tells one."""

from __future__ import annotations

import pytest

from indexes.query.kinds import asks_whether, kind_asked, tells


@pytest.mark.parametrize(("question", "kind"), [
    ("How long are backups kept", "time"), ("备份保留多少天", "time"), ("how soon does it reply", "time"),
    ("What does it cost per year?", "money"), ("一年要多少钱", "money"), ("Which port does it listen on?", "port"),
    ("开在哪个端口", "port"), ("What is the e-mail address of", "link"), ("邮箱是什么", "link"), ("哪一年成立的", "date"),
    ("In which year was it founded?", "date"), ("How many people work there", "number"), ("有几个节点", "number"),
    ("百分之几的请求失败", "share"), ("which extension do I dial", "phone"), ("分机号", "phone"),
    ("What colour is the door", "colour"), ("几点开门", "hours"), ("What are the dimensions of it", "length"),
    ("支持哪些操作系统", "operating system"), ("要哪个版本", "version"), ("Who runs it", None),
    ("它的根本原因", None),
])
def test_kind_that_a_question_asks_for_is_known(question: str, kind: str | None) -> None:
    assert kind_asked(question) == kind


@pytest.mark.parametrize(("kind", "told", "other"), [
    ("time", "Backups are kept for 42 days.", "Backups are encrypted."), ("time", "数据每三小时备份一次", "数据由密钥加密"),
    ("time", "within thirty-six hours", "when it is found"), ("money", "每月 1200 元", "每月 1200 次"),
    ("money", "It costs 610 euros apiece", "610 apiece"), ("date", "成立于 2003 年", "总部设在无锡"),
    ("link", "mail to a.b@example.org", "mail to the desk"), ("number", "三个节点", "节点很多"),
    ("share", "about 4 percent failed", "about 4 failed"), ("port", "listens on port 8101", "listens"),
    ("colour", "a grey box", "a great box"), ("length", "宽 43 厘米", "宽的那种"),
    ("operating system", "runs on Linux", "runs well"), ("hours", "from 9:30 on", "from March on"), 
    ("postcode", "邮编 214000", "门牌 214 号"), ("temperature", "5 to 40 °C", "5 to 40"),
])
def test_text_tells_a_kind_or_does_not(kind: str, told: str, other: str) -> None:
    assert tells(kind, told) and not tells(kind, other)
    assert tells(None, other), "where no kind is asked for, every text may answer"


@pytest.mark.parametrize("question", ["Does it run on batteries?", "它能不能离线用", "支不支持集群", "可以退货吗？"])
def test_question_for_yes_or_no_is_known(question: str) -> None:
    assert asks_whether(question)


@pytest.mark.parametrize("question", ["What does it run on?", "它怎么离线用", "支持哪些集群", "Doesburg in winter"])
def test_question_for_something_else_is_none_for_yes_or_no(question: str) -> None:
    assert not asks_whether(question)
