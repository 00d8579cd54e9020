"""Of pages of every kind the article stays, and what sites put around it is furniture: kept, but outside the text."""

from __future__ import annotations

import pytest

from ingest.model.document import Document
from ingest.parse.html.sift import letters_in
from ingest.parse.route import parse
from ingest.settings import ParsePart

EN = [
    "The measuring station on the western pier was taken down in spring because its foundation had been washed out by storms.",
    "A second station, which the harbour office had kept ready since the last rebuilding, went into service three weeks ago.",
    "It reports the height of the water every ten minutes, and it keeps what it has measured for a month when the line is down.",
    "Fishermen had asked for it: without the figures they could not tell in the morning whether the outer basin would be open.",
]
ZH = [
    "根据全市统一安排，档案馆自下月起实行新的查阅办法，凭有效证件即可在一楼大厅办理，不再需要单位介绍信，也不收取任何费用。",
    "查阅民生类档案的市民，可以通过网上预约系统提前提交申请，工作人员将在两个工作日内答复，并告知所需携带的材料和办理时间。",
    "对于行动不便的老年人和残疾人，档案馆提供上门送达服务，由街道服务中心汇总需求后统一安排，每周三集中办理一次。",
    "新的办法实施以后，原有的纸质登记簿停止使用，全部改为电子登记，登记信息保存十年，只用于统计，不向任何第三方提供。",
]


def paragraphs(texts: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def read(body: str, title: str = "The new station", head: str = "") -> Document:
    return parse(f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode(), "a.html", ParsePart())


def furniture(document: Document) -> str:
    return "\n".join(block.text for block in document.blocks if block.layer == "furniture")


LINKS = "".join(f"<li><a href='/{n}'>Another story of this week, number {n}</a></li>" for n in range(6))
LINKS_ZH = "".join(f"<li><a href='/{n}'>本周其他新闻标题之{n}</a></li>" for n in range(6))

TALK = "".join(f"<div><b>user{n}</b><p>I was there, too, and saw it all. {EN[n]}</p></div>" for n in range(3))
TEASERS = "".join(f"<div><h3><a href='/{n}'>The other matter {n}</a></h3><p>{EN[n]}</p></div>" for n in range(3))

AROUND = {
    "breadcrumbs": ("<div><a href='/'>Home</a> &gt; <a href='/n'>Harbour news</a></div>", "", "Harbour news"),
    "byline": ("<div>By A. Person, 3 May 2026, 07:15</div>", "", "A. Person"),
    "share buttons": ("", "<div><a href='#'>Facebook</a> <a href='#'>Twitter</a> <a href='#'>Print</a></div>", "Facebook"),
    "related list": ("", f"<div><h3>Related stories</h3><ul>{LINKS}</ul></div>", "Another story"),
    "list of links without a name": ("", f"<div><div>Weekend</div><ul>{LINKS}</ul></div>", "Another story"),
    "consent": ("", "<div><p>We use cookies to improve this site. By reading on you accept our policy.</p></div>", "cookies"),
    "rights": ("", "<div>© 2026 Harbour Times. All rights reserved.</div>", "Harbour Times"),
    "tags": ("", "<div>Tags: <a href='/t'>harbour</a>, <a href='/u'>weather</a></div>", "weather"),
    "comments": ("", f"<div><h3>3 Comments</h3>{TALK}</div>", "I was there"),
    "teasers": ("", TEASERS, "other matter"),
    "login": ("", "<div>Log in or register to follow this author</div>", "Log in"),
}  # fmt: skip


@pytest.mark.parametrize("kind", AROUND)
def test_what_is_around_an_article_is_furniture(kind: str) -> None:
    above, below, word = AROUND[kind]
    document = read(f"<div><div><h1>The new station</h1>{above}{paragraphs(EN)}{below}</div></div>")
    assert document.text == "\n\n".join(["The new station", *EN])
    assert word in furniture(document)


AROUND_ZH = {
    "您的位置": ("<div>您的位置：<a href='/'>首页</a> &gt; <a href='/z'>政务公开</a></div>", "", "政务公开"),
    "字号": ("<div>来源：市档案馆　发布时间：2026-05-03　【字体：<a href='#'>大</a> <a href='#'>中</a>】</div>", "", "市档案馆"),
    "打印": ("", "<div>【<a href='#'>打印本页</a>】【<a href='#'>关闭窗口</a>】</div>", "打印"),
    "上一篇": ("", "<div>上一篇：<a href='/p'>关于清明节的通知</a></div><div>下一篇：<a href='/n'>用水通知</a></div>", "清明节"),
    "相关阅读": ("", f"<div><h3>相关阅读</h3><ul>{LINKS_ZH}</ul></div>", "本周其他"),
    "版权": ("", "<div>版权所有：某市档案馆　主办单位：某市人民政府　备案号：某ICP备12345678号</div>", "备案号"),
    "评论": ("", f"<div><div>网友评论(2)</div><div><b>甲</b><p>办得好。{ZH[0]}</p></div><p>{ZH[1]}</p></div>", "办得好"),
}  # fmt: skip


@pytest.mark.parametrize("kind", AROUND_ZH)
def test_what_is_around_a_chinese_article_is_furniture(kind: str) -> None:
    above, below, word = AROUND_ZH[kind]
    document = read(f"<div><div><h1>查阅办法</h1>{above}{paragraphs(ZH)}{below}</div></div>", "查阅办法 - 某市档案馆")
    assert document.text == "\n\n".join(["查阅办法", *ZH])
    assert word in furniture(document)


def test_a_page_laid_out_with_tables_has_an_article() -> None:
    menu = "<br>".join(f"<a href='/{n}'>栏目{n}</a>" for n in range(12))
    story = f"<font size=5><b>查阅办法</b></font><br><br>{'<br><br>'.join(ZH)}"
    rows = f"<tr><td colspan=2><a href='/'>某市档案馆</a></td></tr><tr><td width=150>{menu}</td><td>{story}</td></tr>"
    document = read(f"<table width=980>{rows}<tr><td colspan=2>版权所有 某市档案馆</td></tr></table>", "查阅办法")
    assert document.text == "\n\n".join(["查阅办法", *ZH])
    assert document.blocks[[block.text for block in document.blocks].index("查阅办法")].kind == "heading"


def test_a_wechat_article_is_whole() -> None:
    body = "".join(f"<section style='margin:8px'><section><span>{text}</span></section></section>" for text in ZH)
    page = (
        "<div id='img-content'><h1 class='rich_media_title' id='activity-name'>查阅办法</h1>"
        "<div id='meta_content'><span>原创</span> <a id='js_name'>某市档案</a> <em id='publish_time'>2026-05-03 09:00</em></div>"
        f"<div class='rich_media_content' id='js_content'>{body}</div></div>"
        "<div id='js_pc_qr_code'><p>微信扫一扫<br>关注该公众号</p></div>"
    )
    text = read(page, "查阅办法").text
    assert all(one in text for one in ["查阅办法", *ZH])
    assert "扫一扫" not in text


MANUAL = (
    f"<h1>Station manual</h1><p>{EN[0]}</p><h2>Install</h2><pre><code>apt install station</code></pre>"
    f"<p>{EN[1]}</p><table><tr><th>Key</th><th>Means</th></tr><tr><td>rate</td><td>minutes</td></tr></table>"
    f"<h2>Options</h2><dl><dt>--dry</dt><dd>Measure nothing.</dd></dl><p>{EN[2]}</p><ul><li>ten minutes</li><li>a month</li></ul>"
    "<div class='admonition note'><p class='admonition-title'>Note</p><p>Back up first.</p></div>"
    "<h2>See also</h2><p>The <a href='b.html'>second station</a> has its own manual, which tells how to read it.</p>"
)
SHELLS = {
    "mkdocs": "<nav class='md-nav'><ul>{links}</ul></nav><main class='md-main'>"
    "<article class='md-content__inner md-typeset'>{body}</article></main>"
    "<footer class='md-footer'>Made with Material for MkDocs</footer>",
    "docusaurus": "<nav class='navbar'>{links}</nav><main><div class='row'><div class='col'><article>"
    "<div class='theme-doc-markdown markdown'>{body}</div></article></div></div></main>",
    "sphinx": "<div class='document'><div class='documentwrapper'><div class='body' role='main'>"
    "<section id='m'>{body}</section></div></div>"
    "<div class='sphinxsidebar'><ul>{links}</ul></div></div><div class='footer'>© Copyright 2026.</div>",
    "plain": "<div>{body}</div>",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_manual_stays_whole(shell: str) -> None:
    document = read(SHELLS[shell].format(body=MANUAL, links=LINKS), "Station manual")
    kinds = [(block.kind, block.text) for block in document.blocks if block.layer == "body"]
    assert [text for kind, text in kinds if kind == "heading"][:4] == ["Station manual", "Install", "Options", "See also"]
    assert {"code", "table", "faq", "list"} <= {kind for kind, _ in kinds}
    assert "Back up first." in document.text
    assert "second station" in document.text
    assert "Another story" not in document.text


def test_what_is_short_or_a_link_stays_in_a_manual() -> None:
    reference = "<p><a href='x'>Station</a> is made by <a href='y'>build</a>.</p>" + "<pre>fn a()</pre><p>Since 2.0</p>" * 5
    listed = "<h2>Implementations</h2><ul><li><a href='c'>Clone</a><li><a href='d'>Debug</a></ul>"
    document = read(f"<main><h1>Station</h1>{reference}<p>{EN[0]}</p><p>{EN[1]}</p><p>{EN[2]}</p>{listed}</main>", "Station")
    assert "Station is made by build." in document.text
    assert document.text.count("Since 2.0") == 5
    assert "- Clone\n- Debug" in document.text


def test_an_index_of_links_stays_whole() -> None:
    document = read(f"<div><h1>All stories</h1><p>{EN[0]}</p><ul>{LINKS * 8}</ul></div>", "All stories")
    assert document.text.count("Another story") == 48


def test_a_short_page_stays_whole() -> None:
    document = read("<h1>Closed</h1><p>The office is closed today.</p><p>Ring 112.</p><p>By the harbour master</p>", "Closed")
    assert document.text == "Closed\n\nThe office is closed today.\n\nRing 112.\n\nBy the harbour master"


def test_who_wrote_it_and_when_is_kept_as_metadata() -> None:
    above = AROUND["byline"][0]
    assert read(f"<h1>The new station</h1>{above}{paragraphs(EN)}").embedded["byline"] == "By A. Person, 3 May 2026, 07:15"


def test_an_article_about_comments_and_cookies_is_an_article() -> None:
    about = [f"{text} Sites that use cookies must say so, and comments are read by us." for text in EN]
    document = read(f"<h1>Cookies and comments</h1>{paragraphs(about)}", "Cookies and comments")
    assert document.text == "\n\n".join(["Cookies and comments", *about])


def test_a_han_character_says_as_much_as_three_letters() -> None:
    assert (letters_in("ab 1"), letters_in("汉字"), letters_in("—")) == (3, 6, 0)
