"""Made web pages with known articles: ten layouts that sites really have, in English and in Chinese, each in two forms.

The article of a page is what a reader came for: title, paragraphs, headings, a list, a table, a quotation. Around it stand
navigation, advertisements, a cookie notice, comments, related links, a sidebar, a footer. Every second page is `bare`: classes
and ids say nothing, and what HTML has elements for (nav, aside, footer, article) is plain blocks. Words are drawn (see
`benchmarks.corpus`), so no page quotes anybody. They are made pages: easier than the web in their markup, which is whole, and
harder in that comments and teasers are of the same words as the article.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.corpus import Writer

_SEED = 11
_TELLING = re.compile(r"<(/?)(?:nav|aside|footer|header|article|main|section)\b")
_NAMED = re.compile(r'\b(class|id)="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Article:
    """What is on a page: its title, and its body as (kind, texts)."""

    title: str
    parts: Sequence[tuple[str, Sequence[str]]]

    @property
    def text(self) -> str:
        return "\n".join([self.title, *(text for _, texts in self.parts for text in texts)])


@dataclass(frozen=True, slots=True)
class Page:
    """A page on disk and the article in it."""

    file: Path
    layout: str
    language: str
    bare: bool
    article: str


class _Maker:
    """Draws articles and what stands around them, in one language."""

    def __init__(self, chinese: bool, seed: int) -> None:
        self.chinese = chinese
        self.random = random.Random(seed)  # noqa: S311  # no secret
        self._writer = Writer(seed)

    def sentences(self, least: int, most: int) -> str:
        joined = self._writer.paragraph(self.chinese)
        mark = "。" if self.chinese else ". "
        parts = [part.strip(" .") for part in joined.split(mark) if part.strip(" .")]
        wanted = self.random.randint(least, most)
        return mark.join(parts[:wanted]).strip() + mark.strip()

    def words(self, count: int) -> str:
        text = self.sentences(1, 1).rstrip("。.")
        return text[: count * 2] if self.chinese else " ".join(text.split()[:count])

    def article(self, sections: int) -> Article:
        parts: list[tuple[str, Sequence[str]]] = [("p", [self.sentences(2, 4)])]
        for section in range(sections):
            parts.append(("h2", [self.words(4)]))
            parts += [("p", [self.sentences(2, 6)]) for _ in range(self.random.randint(1, 3))]
            if section == 0:
                parts.append(("ul", [self.words(6) for _ in range(self.random.randint(3, 5))]))
            elif section == 1:
                parts.append(("table", [self.words(2) for _ in range(9)]))
            elif section == 2:
                parts.append(("blockquote", [self.sentences(1, 2)]))
        return Article(self.words(7), parts)

    def links(self, count: int, length: int = 2) -> str:
        return "".join(f'<li><a href="/{n}">{escape(self.words(length))}</a></li>' for n in range(count))

    def said(self, english: str, chinese: str) -> str:
        return chinese if self.chinese else english


def pages(folder: Path, each: int) -> list[Page]:
    """Write `each` pages of every layout and language, the same for every call, and return them."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number, (layout, build) in enumerate(LAYOUTS.items()):
        for chinese in (False, True):
            for turn in range(each):
                maker = _Maker(chinese, _SEED + number * 1000 + turn * 2 + chinese)
                article = maker.article(maker.random.randint(1, 4))
                file = folder / f"{layout.replace(' ', '-')}-{'zh' if chinese else 'en'}-{turn}.html"
                page = build(maker, article)
                bare = turn % 2 == 1
                encoding = "gb18030" if chinese and layout == "portal" else "utf-8"
                file.write_bytes((_bare(page) if bare else page).encode(encoding))
                made.append(Page(file, layout, "Chinese" if chinese else "English", bare, article.text))
    return made


def _bare(page: str) -> str:
    """Return the page with names that tell nothing."""
    page = _TELLING.sub(r"<\1div", page)
    return _NAMED.sub(lambda match: f'{match[1]}="c{len(match[2])}{ord(match[2][-1])}"', page)


def _body(article: Article, between: Sequence[str] = (), *, paragraph: str = "p") -> str:
    """The article's parts as HTML; something of `between` stands after every third."""
    out = []
    for number, (kind, texts) in enumerate(article.parts):
        out.append(_part(kind, texts, paragraph))
        if between and number % 3 == 2:
            out.append(between[number // 3 % len(between)])
    return "\n".join(out)


def _part(kind: str, texts: Sequence[str], paragraph: str) -> str:
    told = [escape(text) for text in texts]
    if kind == "ul":
        return "<ul>" + "".join(f"<li>{text}</li>" for text in told) + "</ul>"
    if kind == "table":
        rows = [told[n : n + 3] for n in range(0, len(told), 3)]
        return "<table>" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows) + "</table>"
    if kind == "p":
        return f"<{paragraph}>{told[0]}</{paragraph.partition(' ')[0]}>"
    return f"<{kind}>{told[0]}</{kind}>"


def _page(maker: _Maker, article: Article, *inside: str, head: str = '<meta charset="utf-8">') -> str:
    site = maker.said("Acme", "远景")
    return (
        f'<!DOCTYPE html><html lang="{maker.said("en", "zh-CN")}"><head>{head}<title>{escape(article.title)} - {site}</title>'
        f"<style>body{{margin:0}}</style><script>var t = 'tracking';</script></head><body>{''.join(inside)}</body></html>"
    )


def _block(name: str, *inside: str) -> str:
    return f'<div class="{name}">{"".join(inside)}</div>'


def _heading(article: Article, level: int = 1) -> str:
    return f"<h{level}>{escape(article.title)}</h{level}>"


def _cookies(maker: _Maker) -> str:
    told = maker.said(
        "We use cookies to improve your experience. By continuing to browse you agree to our use of cookies and privacy policy.",
        "本网站使用 Cookie 以改善您的浏览体验。继续浏览即表示您同意我们使用 Cookie 以及隐私政策。",
    )
    return _block("cookie-notice", f"<p>{told}</p><button>{maker.said('Accept all', '全部接受')}</button>")


def _footer(maker: _Maker) -> str:
    told = maker.said("All rights reserved. Terms of use. Contact us. Careers.", "版权所有 未经许可不得转载 联系我们 招聘信息")
    return f"<footer><ul>{maker.links(8)}</ul><p>© 2026 {told}</p></footer>"


def _advert(maker: _Maker) -> str:
    told = maker.said("Advertisement. Save 30% on your first order today!", "广告 首单立减三十元，立即抢购！")
    return _block("ad-slot advertisement", f'<a href="https://ads.example/x">{told}</a>')


def _teaser(maker: _Maker) -> str:
    told = maker.said("Read more:", "延伸阅读：")
    return _block("teaser related", f'<a href="/more">{told} {escape(maker.words(8))}</a>')


def _related(maker: _Maker) -> str:
    return _block("related-posts", f"<h3>{maker.said('Related articles', '相关阅读')}</h3><ul>{maker.links(6, 6)}</ul>")


def _comments(maker: _Maker, count: int) -> str:
    reply = f'<a href="#r">{maker.said("Reply", "回复")}</a>'
    each = "".join(
        f'<li class="comment">{_block("comment-author", f"user{n}")}<p>{escape(maker.sentences(1, 3))}</p>{reply}</li>'
        for n in range(count)
    )
    return f'<section class="comments-area"><h3>{maker.said("Comments", "评论")} ({count})</h3><ol>{each}</ol></section>'


def _sidebar(maker: _Maker) -> str:
    read, letter = maker.said("Most read", "热门文章"), maker.said("Get our weekly letter.", "每周精选，直达邮箱。")
    return f'<aside class="sidebar"><h4>{read}</h4><ul>{maker.links(8, 6)}</ul><p>{letter}</p></aside>'


def _menu(maker: _Maker, count: int) -> str:
    return f'<nav class="menu"><ul>{maker.links(count)}</ul></nav>'


def _semantic(m: _Maker, a: Article) -> str:
    story = f"<main><article>{_heading(a)}{_body(a)}</article></main>"
    return _page(m, a, f"<header>{_menu(m, 8)}</header>", story, _sidebar(m), _footer(m), _cookies(m))


def _blog(m: _Maker, a: Article) -> str:
    meta = _block("entry-meta", m.said("Posted by admin on 3 May 2026", "管理员 发表于 2026年5月3日"))
    share = _block("share-buttons", f'<a href="#">Facebook</a> <a href="#">{m.said("Email", "微信")}</a>')
    entry = _block("post hentry", _heading(a), meta, _block("entry-content", _body(a)), share)
    return _page(m, a, _menu(m, 6), _block("content", entry, _comments(m, 6)), _sidebar(m), _footer(m))


def _news(m: _Maker, a: Article) -> str:
    home, news = m.said("Home", "首页"), m.said("News", "新闻")
    crumbs = _block("breadcrumb", f'<a href="/">{home}</a> &gt; <a href="/n">{news}</a>')
    story = _block("article-body", _body(a, [_advert(m), _teaser(m)]))
    return _page(m, a, _cookies(m), _menu(m, 12), _block("story", crumbs, _heading(a), story, _related(m)), _footer(m))


def _portal(m: _Maker, a: Article) -> str:
    """The Chinese ones are GB18030 and say GB2312, as portals do."""
    head = f'<meta http-equiv="Content-Type" content="text/html; charset={m.said("utf-8", "gb2312")}">'
    story = _block("main", _heading(a), _block("artibody", _body(a, paragraph="div")))
    hot = _block("hot", f"<ul>{m.links(15, 6)}</ul>")
    return _page(m, a, _block("nav", m.links(14)), _advert(m), story, hot, _footer(m), head=head)


def _tables(m: _Maker, a: Article) -> str:
    menu = "<br>".join(f'<a href="/{n}">{escape(m.words(2))}</a>' for n in range(10))
    story = f"<font size=5><b>{escape(a.title)}</b></font><br>{_body(a)}"
    foot = m.said("Last updated 3 May 2026. Webmaster.", "最后更新 2026年5月3日 网站管理员")
    rows = [f"<td colspan=2>{_advert(m)}</td>", f"<td width=150>{menu}</td><td>{story}</td>", f"<td colspan=2>{foot}</td>"]
    return _page(m, a, "<table width=900>", *(f"<tr>{row}</tr>" for row in rows), "</table>")


def _docs(m: _Maker, a: Article) -> str:
    toc = _block("table-of-contents", f"<p>{m.said('On this page', '本页目录')}</p><ul>{m.links(5)}</ul>")
    foot = m.said("Was this page helpful? Edit this page on the repository.", "此页面对您有帮助吗？编辑此页")
    return _page(m, a, _menu(m, 25), _block("md-content", _heading(a), _body(a), _block("feedback", foot)), toc, _footer(m))


def _forum(m: _Maker, a: Article) -> str:
    first = _block("topic-body", _heading(a), _block("post-content", _body(a)))
    return _page(m, a, _menu(m, 7), first, _comments(m, 12), _footer(m))


def _nested(m: _Maker, a: Article) -> str:
    parts = "".join(_block(f"css-{n}x", _block("css-w", f"<div>{_part(*part, 'p')}</div>")) for n, part in enumerate(a.parts))
    story = _block("root", f"<div><div><h1><span>{escape(a.title)}</span></h1>{parts}</div></div>")
    more = _block("css-r", f"<ul>{m.links(10, 6)}</ul>")
    return _page(m, a, _block("css-nav", f"<ul>{m.links(9)}</ul>"), story, more, _cookies(m))


def _breaks(m: _Maker, a: Article) -> str:
    story = "<br><br>\n".join(escape(texts[0]) if kind == "p" else _part(kind, texts, "p") for kind, texts in a.parts)
    return _page(m, a, _menu(m, 8), _heading(a), _block("content", story), _related(m), _footer(m))


def _notice(m: _Maker, a: Article) -> str:
    previous, following = m.said("Previous", "上一篇"), m.said("Next", "下一篇")
    pager = _block("pager", f'<a href="/p">{previous}</a><a href="/n">{following}</a>')
    return _page(m, a, _menu(m, 30), _block("notice", _heading(a, 2), _body(a)), pager, _footer(m))


LAYOUTS: dict[str, Callable[[_Maker, Article], str]] = {
    "semantic": _semantic, "blog with comments": _blog, "news with adverts": _news, "portal": _portal, "layout tables": _tables,
    "documentation": _docs, "forum": _forum, "nested blocks": _nested, "line breaks": _breaks, "notice": _notice,
}
