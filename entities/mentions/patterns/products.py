"""Products: a name with its version, a name that says what kind of product it is, and programs that everybody knows.

`2.0` behind a name is its version, and only a product has one, so the two are found together; the version is a span of its own.
What else stands before such numbers (Section 4.2, Table 3.1, May 2024) is told apart by its word. Chinese products end in what
they are (…平台, …系统, …大模型), as ordinary words do too: what is left without the ordinary words must be a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from entities.identifiers.codes import NUMBER
from entities.mentions.patterns.words import longest_first, words
from entities.mentions.span import Span

_HAN = "\u3400-\u9fff"
_TOKEN = r"(?:[A-Z][A-Za-z0-9+#]*(?:[.-][A-Za-z][A-Za-z0-9]*)*|[a-z]{1,2}[A-Z][A-Za-z]+)"
_UNIT = (
    r"(?!\s?(?:%|％|percent|times|x\b|kg|km|cm|mm|m\b|GB|MB|TB|KB|ms|s\b|seconds?|minutes?|hours?|days?|weeks?|months?|years?|"
    r"million|billion|points?|litres?|liters?|"
    r"degrees|度|元|倍|米|秒|分|小时|天|万|亿|个|人|名|台|章|节|条|页|℃|°|USD|EUR|GHz|MHz|[a-z]?Hz|V\b|A\b|W\b))"
)
_AFTER = rf"(?![0-9A-Za-z_/]|\.\d|[-–]\d){_UNIT}"
_VERSIONED = re.compile(
    rf"(?<![\w.@/-])({_TOKEN}(?:[ ]{_TOKEN}){{0,3}})[  \u3000]((?:[vV]\.?\s?)?{NUMBER}|[vV]\d{{1,4}}){_AFTER}"
)
_IN_BRACKETS = re.compile(
    rf"(?<![\w.@/-])({_TOKEN}(?:[ ]{_TOKEN}){{0,3}})\s?[（(]\s?(?:[Vv]ersion\s|[Vv]er\.?\s|版本[号：: ]*)?([vV]?{NUMBER})\s?[）)]"
)
_KIND = (
    r"大模型|操作系统|数据库管理系统|数据库|管理系统|平台|系统|防火墙|网关|浏览器|中间件|引擎|助手|服务器|交换机|路由器|"
    r"知识库|湖仓|数据湖|数仓|总线|云盘|输入法|编辑器|播放器|开发套件"
)
_SURE = (
    r"大模型|操作系统|数据库管理系统|数据库|管理系统|防火墙|网关|浏览器|中间件|输入法|湖仓|数据湖|数仓|云盘|开发套件|"
    r"交换机|路由器"
)
"""Kinds that are products whatever stands before them."""
_CHINESE = re.compile(rf"[{_HAN}A-Za-z0-9]{{1,14}}?(?:{_KIND})(?![{_HAN}]?(?:化|性|商|级|论|学))")
_CHINESE_VERSION = re.compile(rf"\s?[（(]?\s?((?:[vV]\.?\s?)(?:{NUMBER}|\d{{1,4}})|{NUMBER}){_AFTER}")
_QUOTED = re.compile(rf"[“「『《\"]([{_HAN}A-Za-z0-9 ]{{2,16}}?(?:{_KIND}))(?=(?:用户手册|操作手册|说明书|白皮书|使用指南|"
    rf"部署指南|管理员指南)?[”」』》\"])")
_CAMEL = re.compile(r"(?<![0-9A-Za-z_.@/`$#:<-])(?!Mc[A-Z]|Mac[A-Z]|De[A-Z]|Le[A-Z]|La[A-Z]|"
    r"Fitz[A-Z])[A-Z][a-z]{2,}(?:[A-Z][a-z]{2,}){1,2}(?![0-9A-Za-z_(`:]|[./@-]\w)")
_FOLLOWS = re.compile(rf"(?:[（(]|\s)?(?:[vV]\.?\s?)?(\d{{1,4}}(?:\.\d{{1,5}}){{0,3}}[a-z]?(?:-[a-z]+\.?\d*)?){_AFTER}")


def products(text: str) -> Iterator[Span]:
    """Yield products and the versions behind their names."""
    yield from _versioned(text)
    yield from _known(text)
    yield from _chinese(text)
    yield from _camel(text)


def versions_behind(text: str, ends: Iterator[int] | list[int]) -> Iterator[Span]:
    """Yield the versions that stand directly behind names of products which end at `ends`: there a whole number is one, too."""
    for end in ends:
        match = _FOLLOWS.match(text, end)
        if match is not None and (match.start(1) > end or _is_wide(text[end - 1])):
            start = match.start(1) - (1 if text[match.start(1) - 1] in "vV" else 0)
            if not re.fullmatch(r"(?:19|20)\d\d", match[1]) or text[end - 1] == "r":
                yield _version(start, match.end(1))


def _version(start: int, end: int) -> Span:
    return Span(start, end, "version", "pattern:version-behind-name", 0.85)


def _versioned(text: str) -> Iterator[Span]:
    for pattern in (_VERSIONED, _IN_BRACKETS):
        for match in pattern.finditer(text):
            start = match.start(1)
            name = match[1].split(" ")
            while name and name[0] in words("no_product"):
                start += len(name.pop(0)) + 1
            if not name or name[-1] in words("no_product") or _is_date(match[2]) or len(" ".join(name)) < 2:
                continue
            yield Span(start, match.end(1), "product", "pattern:versioned", 0.8)
            yield _version(match.start(2), match.end(2))


def _camel(text: str) -> Iterator[Span]:
    """Words of capitalised parts (`StarLake`), as products are named; code (`os.HashMap(`) and words in backticks are none."""
    for match in _CAMEL.finditer(text):
        yield Span(match.start(), match.end(), "product", "pattern:camel-case", 0.45)


def _is_date(number: str) -> bool:
    return bool(re.fullmatch(r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d|(?:\d{1,3}\.){3}\d{1,3}", number))


def _known(text: str) -> Iterator[Span]:
    for match in _software().finditer(text):
        yield Span(match.start(), match.end(), "product", "pattern:known-software", 0.7)
        yield from versions_behind(text, [match.end()])


@cache
def _software() -> re.Pattern[str]:
    """Names of common programs; those that are also words or names of firms (`Oracle`, `React`) want what stands in the list."""
    return re.compile(rf"(?<![0-9A-Za-z_.@/-])(?:{'|'.join(map(re.escape, longest_first('software')))})(?![0-9A-Za-z_]|"
        rf"-[A-Z0-9])")


def _chinese(text: str) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        if _is_proper(match[1]):
            yield Span(match.start(1), match.end(1), "product", "pattern:quoted", 0.8)
            yield from _number(text, match.end(1))
    for match in _CHINESE.finditer(text):
        end = match.end()
        further = re.compile(rf"(?:{_KIND})").match(text, end)
        end = further.end() if further else end
        start = _start(text, match.start(), end)
        if start is None:
            continue
        numbers = list(_number(text, end))
        yield Span(start, end, "product", "pattern:kind", 0.75 if numbers else 0.6)
        yield from numbers


def _number(text: str, end: int) -> Iterator[Span]:
    match = _CHINESE_VERSION.match(text, end)
    if match is not None:
        yield _version(match.start(1), match.end(1))


def _start(text: str, first: int, end: int) -> int | None:
    """Where a Chinese product's name starts; None where only ordinary words are left."""
    start = first
    kind = re.search(rf"(?:{_KIND})+$", text[first:end])
    core_end = first + kind.start() if kind else end
    for match in _before().finditer(text, first, core_end):
        start = max(start, match.end())
    if start >= core_end or not _is_proper(text[start:end]):
        return None
    return start if _named().fullmatch(text, start, end) or _CHINESE_VERSION.match(text, end) else None


@cache
def _named() -> re.Pattern[str]:
    """A name of two to four characters, ordinary words, and what it is; 系统 and the like want a word for what they are for."""
    ordinary = "|".join(longest_first("generic_product"))
    purposes = "|".join(longest_first("purposes"))
    return re.compile(
        rf"(?!{ordinary})(?:[{_HAN}]{{2,4}}?|[A-Za-z][A-Za-z0-9]{{1,11}}?)(?:{ordinary})*?(?:(?:{purposes})(?:{_KIND})+|(?:{_SURE})(?:{_KIND})*)"
    )


@cache
def _before() -> re.Pattern[str]:
    return re.compile("|".join(longest_first("before_product", "verbs")))


@cache
def _generic() -> re.Pattern[str]:
    return re.compile("|".join(longest_first("generic_product", "verbs")))


def _is_proper(name: str) -> bool:
    """Whether more than ordinary words is left of a name, two characters at least."""
    if name in words("software"):
        return True
    rest = _generic().sub("", name)
    return len(re.sub(rf"[^{_HAN}A-Za-z]", "", rest)) >= 2 and not re.fullmatch(r"[0-9A-Z]{1,3}", rest)


def _is_wide(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"
