"""Which blocks of the main element are not the article: what sites put above, below and between its paragraphs.

The main element is a rough cut: it has share buttons, tags, teasers, a consent notice and the copyright with the article in one
`<div>`, often without a telling name. Here each block is judged in its place, by what the locator found, by how much of it is
links, by its length, and by the few words that such parts are made of in English and Chinese. A block that is judged not to
belong is furniture: kept, outside the text. Tables, code, questions and answers and running sentences stay, whatever the locator
said of them, and so does all of a page that is an index of links, or a manual.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ingest.model.document import Block
from ingest.parse.draft import Draft

SOLID_LETTERS = 60
"""A block of so many letters (Han characters count three) with few links is prose."""
MOSTLY_LINKS = 0.6
SHORT_LETTERS = 240
LEAST_ARTICLE = 250
"""Letters of prose that make an article; on a page with less, a short line may be all there is to say."""
MOST_LINK_LETTERS = 0.5
"""Of a page: with more, it is an index, and its links are what it is for."""

_HAN = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7a3]")
_SENTENCE = re.compile(r"\w[.。!！?？…]['\"”’）)]?\s*$")
_MARK = re.compile(r"^\s*(?:- |\d+\. )", re.MULTILINE)
_RUNNING = frozenset({"paragraph", "list", "caption"})
_STAYS = frozenset({"table", "code", "formula", "faq", "footnote", "quote"})

_RIGHTS = re.compile(
    r"©|\(c\)\s*(?:19|20)\d\d|\bcopyright\b|all rights reserved|版权所有|版權所有|著作权所有|[^\w]ICP[备证]|公网安备|"
    r"网站标识码|(?:主办|承办|技术支持)(?:单位)?[：:]|网站管理员|\bwebmaster\b|\bpowered by\b|"
    r"未经.{0,10}(?:许可|授权|同意).{0,8}(?:转载|使用|复制)",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\b(?:us(?:e|es|ing)|use of|accept(?:ing|s)?|store|set|place)\s+(?:\w+\s+){0,3}cookies?\b|"
    r"\bcookies?\b.{0,60}\b(?:accept|agree|consent|polic(?:y|ies)|settings|preferences|notice|improve|experience)\b|"
    r"(?:使用|同意|接受).{0,8}cookie|cookie.{0,20}(?:政策|设置|改善|同意|接受|体验)",
    re.IGNORECASE | re.DOTALL,
)
_BYLINE = re.compile(
    r"\W*(?:(?:信息|文章)?来源|作者|发布(?:时间|日期|者)?|时间|日期|编辑|责编|浏览|阅读|点击|更新|文号|索引号|"
    r"by\s|published|posted|updated|last (?:updated|modified)|written by|(?:19|20)\d\d\s?[-/.年]\s?\d{1,2})\s*[:：]?",
    re.IGNORECASE,
)
_LABELS = (
    "advertise?ments?", "sponsored(?: content)?", "promoted", "read (?:more|next|also)", "more (?:from|on|stories|news|about)",
    "related(?: (?:articles?|stories|posts?|news|content|links?|topics?))?", "you (?:may|might) also (?:like|be interested in)",
    "recommended(?: for you)?", "most (?:read|popular|viewed|commented|shared)", "trending(?: now)?",
    "popular(?: (?:posts|stories|articles))?", "latest(?: (?:news|stories|posts))?", "top stories", "don't miss",
    "editors?'? picks?", "also on", "(?:from )?around the web", "recent(?: posts| comments| articles)?", "tags?", "filed under",
    "topics?", "posted in", "categor(?:y|ies)", "share(?: this| on| via)?", "follow us", "subscribe", "sign up", "newsletter",
    "get (?:our|the) .{0,20}newsletter", "about the author", "(?:next|previous) article",
    "广告", "廣告", "推广", "赞助", "延伸阅读", "相关(?:阅读|新闻|文章|推荐|报道|链接|内容|专题|话题|资讯)",
    "相關(?:閱讀|新聞|文章|報導|連結)", "推荐(?:阅读|文章|新闻)?", "猜你喜欢", "热门(?:文章|推荐|新闻|标签|评论)?",
    "熱門(?:文章|新聞)?", "最新(?:文章|新闻|评论|资讯)", "更多(?:文章|新闻|精彩|内容|相关)?", "点击排行", "阅读排行", "排行榜",
    "精彩推荐", "编辑推荐", "大家都在看", "为您推荐", "标签", "關鍵字", "关键词", "分享(?:到|至)?", "责任编辑", "扫一扫",
    "关注我们", "上一篇", "下一篇", "上一条", "下一条",
)  # fmt: skip
_LABEL = re.compile(rf"\s*(?:{'|'.join(_LABELS)})\s*(?:[:：>»|(（\d]|$|\b)", re.IGNORECASE)
_ACTIONS = re.compile(
    r"\b(?:facebook|twitter|linkedin|pinterest|whatsapp|telegram|reddit|tumblr|weibo|wechat|rss|e-?mail|print|share|tweet|save|bookmark|"
    r"comments?|reply|permalink|copy link|back to top|skip to (?:main )?content|edit this page|was this (?:page )?helpful|report|"
    r"previous|next|log ?in|sign ?in|register|subscribe|follow)\b|"
    r"微信|微博|朋友圈|qq空间|豆瓣|人人网|打印|打印本页|关闭(?:窗口|本页)?|收藏|字号|字体|返回顶部|点击页首|回到顶部|评论|回复|举报|点赞|"
    r"编辑此页|对您有帮助吗|上一篇|下一篇|上一页|下一页|登录|注册|订阅|简体版|繁體版|阅读次数|浏览次数|浏览量",
    re.IGNORECASE,
)
_TALKS = (
    "(?:readers?'?s?\\s+)?comments?", "responses?", "replies", "discussion", "leave a (?:comment|reply)",
    "join the (?:discussion|conversation)", "(?:add|post|write) (?:a |your )?comment", "what do you think",
    "(?:网友|热门|精彩|最新|全部|发表)?评论", "網友評論", "我要评论", "留言", "我来说两句", "跟帖",
)
_TALK = re.compile(
    rf"\s*(?:\d[\d,.]*\s*)?(?:{'|'.join(_TALKS)})(?:\s*区)?\s*[:：(（\[]?\s*\d*[)）\]]?\s*(?:条|comments?)?\s*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Look:
    """What is to be known of one block."""

    at: int
    block: Block
    letters: int
    links: float
    """The share of its letters that are links."""
    found: bool

    @property
    def solid(self) -> bool:
        if self.block.kind in _STAYS:
            return self.links < MOSTLY_LINKS
        return self.block.kind != "heading" and self.letters >= SOLID_LETTERS and self.links < MOSTLY_LINKS


def sift(draft: Draft, found: frozenset[str]) -> list[Block]:
    """Make furniture of the blocks that are not the article, and return those that stood at its head (who wrote it, when).

    `found` are the beginnings of what the locator takes for content, squeezed; empty where it was not asked or found too little,
    and then only what is plain from its words is taken out.
    """
    looks = _looks(draft, found)
    if not looks or _is_index(looks):
        return []
    solid = [look.at for look in looks if look.solid and (look.found or not found)]
    if not solid:
        return []
    if sum(look.letters for look in looks if look.solid and look.block.kind not in _STAYS) < LEAST_ARTICLE:
        return []
    first, last = solid[0], solid[-1]
    subject = sum("cookie" in look.block.text.lower() for look in looks) > 2
    out = {look.at for look in looks if _says_so(look, first, last, asks=not subject)}
    head: set[int] = set()
    if found:
        head = {look.at for look in looks if look.at < first and _above(look)}
        out |= head
        out |= {look.at for look in looks if first < look.at < last and _between(look)}
        out |= {look.at for look in looks if look.at > last and _below(look)}
        out |= _teasers(looks)
    last = max((at for at in solid if at not in out), default=last)
    out |= _talk(looks, last)
    out |= _bare_headings(looks, out, last)
    said = [draft.blocks[at] for at in sorted(head) if draft.blocks[at].kind == "paragraph"]
    for at in out:
        draft.blocks[at] = replace(draft.blocks[at], layer="furniture")
    return said


def letters_in(text: str) -> int:
    """How much a text says: letters and digits, a Han character as three."""
    return sum(map(str.isalnum, text)) + 2 * len(_HAN.findall(text))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _looks(draft: Draft, found: frozenset[str]) -> list[_Look]:
    linked: dict[int, int] = {}
    for link in draft.links:
        if not link.target.startswith("#"):
            linked[link.block] = linked.get(link.block, 0) + letters_in(link.text)
    looks = []
    for at, block in enumerate(draft.blocks):
        if block.layer == "body":
            letters = letters_in(block.text)
            share = min(1.0, linked.get(at, 0) / letters) if letters else 0.0
            looks.append(_Look(at, block, letters, share, _is_found(block, found)))
    return looks


def _is_found(block: Block, found: frozenset[str]) -> bool:
    if not found:
        return False
    lines = block.text.split("\n") if block.kind in ("list", "table", "faq") else [block.text]
    return any(squeezed(_MARK.sub("", line).replace(" | ", ""))[:30] in found for line in lines[:8])


def _is_index(looks: Sequence[_Look]) -> bool:
    """Whether a page is for its links."""
    total = sum(look.letters for look in looks)
    return sum(look.letters * look.links for look in looks) > MOST_LINK_LETTERS * total


def _says_so(look: _Look, first: int, last: int, *, asks: bool) -> bool:
    """What its own words give away, wherever it stands. `asks`: cookies are mentioned to ask for consent, not as the subject."""
    text, block = look.block.text, look.block
    outside = look.at <= first or look.at >= last
    if block.kind in ("table", "code", "formula", "faq", "heading") or look.letters > 3 * SHORT_LETTERS:
        return False
    if outside and asks and _CONSENT.search(text):
        return True
    if outside and look.at > first and _RIGHTS.search(text) and look.letters <= 2 * SHORT_LETTERS:
        return True
    if look.letters > SHORT_LETTERS:
        return False
    if (label := _LABEL.match(text)) and (look.links >= 0.5 or len(text) - label.end() < 4):
        return True
    actions = len(_ACTIONS.findall(text))
    words = max(1, len(re.findall(r"\w+", text)) if not _HAN.search(text) else look.letters // 6)
    return actions >= 1 and (actions >= 0.34 * words or (look.links >= MOSTLY_LINKS and actions >= 2))


def _above(look: _Look) -> bool:
    """Above the first paragraph: menus, crumbs, who wrote it and when. Headings are judged by what is under them."""
    if look.block.kind in ("table", "code", "formula", "faq"):
        return look.links >= MOSTLY_LINKS
    if _BYLINE.match(look.block.text) and look.letters <= SHORT_LETTERS and not _SENTENCE.search(look.block.text):
        return look.block.kind != "heading"
    if look.letters >= SOLID_LETTERS / 2 and look.links < 0.8 and _SENTENCE.search(look.block.text):
        return False
    told = look.letters >= (SOLID_LETTERS / 2 if look.found else 2 * SOLID_LETTERS)
    return look.block.kind != "heading" and not (told and look.links < (MOSTLY_LINKS if look.found else 0.3))


def _between(look: _Look) -> bool:
    """Between paragraphs only what is nearly all links is foreign."""
    return not look.found and look.block.kind in _RUNNING and look.links >= 0.8 and 12 <= look.letters <= SHORT_LETTERS


def _below(look: _Look) -> bool:
    """Below the last paragraph that was found, only what tells something stays."""
    if look.block.kind in ("table", "code", "formula", "faq"):
        return look.links >= MOSTLY_LINKS
    if look.block.kind == "heading":
        return False
    if look.letters >= 2 * SOLID_LETTERS or look.block.kind == "list":
        return look.links >= (0.3 if look.block.kind == "list" else MOSTLY_LINKS)
    return look.links >= 0.3 or (not look.found and look.letters < SHORT_LETTERS / 2 and not _SENTENCE.search(look.block.text))


def _teasers(looks: Sequence[_Look]) -> set[int]:
    """From the first of two headings on that are links, where those of the article above are none: other articles."""
    headings = [look for look in looks if look.block.kind == "heading" and look.block.level > 1]
    for look, after in pairwise(headings):
        if look.links < 0.8:
            continue
        above = sum(one.letters for one in looks if one.at < look.at and one.solid)
        own = [one for one in headings if one.at < look.at]
        if after.links >= 0.8 and above >= LEAST_ARTICLE and all(one.links < 0.5 for one in own[1:]):
            return {one.at for one in looks if one.at >= look.at}
        return set()
    return set()


def _talk(looks: Sequence[_Look], last: int) -> set[int]:
    """What readers wrote below the article, from the heading that says so on."""
    solid = sum(look.letters for look in looks if look.at <= last and look.solid)
    for number, look in enumerate(looks):
        if look.letters < 120 and _TALK.match(look.block.text) and look.block.kind in ("heading", "paragraph"):
            above = sum(one.letters for one in looks[:number] if one.solid)
            if above >= 3 * SOLID_LETTERS and above >= 0.1 * solid:
                return {one.at for one in looks[number:]}
    return set()


def _bare_headings(looks: Sequence[_Look], out: set[int], last: int) -> set[int]:
    """Headings of which everything below was taken out, and those after the end."""
    bare: set[int] = set()
    for number, look in enumerate(looks):
        if look.block.kind != "heading" or look.at in out or (look.block.level == 1 and look.at < last):
            continue
        emptied = look.at > last
        for one in looks[number + 1 :]:
            if one.block.kind == "heading" and one.block.level <= look.block.level:
                break
            if one.at in out:
                emptied = True
            elif one.block.kind != "heading":
                emptied = False
                break
        if emptied:
            bare.add(look.at)
    return bare
