"""What a section is about, told from the document alone, so that no chunk loses it.

A *topic* is what the first sentence of a section defines ("X 是指 ...", "X is a ..."); it is carried down to all sections below,
until one of them defines something else. The subject of a section is its topic (else the title and the heading above it) and
its heading; where the heading is a word any manual uses ("Installation", "概述"), it is what the section around it is about. The
rules would rather say nothing than guess: a bare "X 是 ..." counts only where title or heading also name X.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ingest.chunk.sections import Placed, Section
from ingest.chunk.words import phrases, words

_LONGEST = 60
_QUOTED = "\"'“”‘’「」『』《》*_`"

_ZH_DEFINES = re.compile(
    r"(?:所谓的?)?(?P<what>[^\s，。；：、！？,;:!?（()）][^，。；：、！？,;:!?（()）\n]{1,30}?)\s*(?:[（(][^（()）\n]{1,60}[）)])?\s*"
    r"(?:(?P<sure>是指|指的是|系指|是一[种个款套项类家门组份台部张]|(?:定义|简称)为)|(?P<bare>是(?!否|不)))"
)
_ZH_NO_SUBJECT = re.compile(
    r"[这那它他她该此本其我你您某每各]|以下|以上|上述|下列|如果|若|当|但|因|所以|由于|对于|关于|根据|按照|为了|可能|不|只|都|也|还|就|而|或|请|问|答|目前|现在|其中|同时"
)
_EN_DEFINES = re.compile(
    r"(?:(?:The|An?) )?(?P<what>[^\W_][\w.+#/&'’-]*(?: [\w.+#/&'’-]+){0,4})(?: \([^()\n]{1,60}\))?"
    r" (?:(?P<sure>(?:is|are) an? |refers? to |stands? for |denotes? |(?:is|are) defined as )"
    r"|(?P<bare>(?:is|are) (?:the|one of) ))"
)
_EN_VERBS = re.compile(" (?:is |are |refer|stand|denote)")
_EN_NO_SUBJECT = words("""
    this that these those it its there here he she they we you i what which who when where why how if each every one some any
    no not all both such another other following above below question answer q note
""")
_EN_PHRASE = words("""
    of in on at for with from to by that which who is are was were and or can will must should may has have
""")

_NUMBERING = re.compile(
    r"^(?:第\s*[0-9一二三四五六七八九十百零〇]+\s*[章节篇部分条款]+|[（(]?[一二三四五六七八九十]{1,3}[)）、.．]|[（(]?\d{1,3}[)）、]|\d{1,3}(?:[.．]\d{1,3})*[.．]?(?=\s|[^\W\d_a-zA-Z])"
    r"|(?:chapter|section|part|appendix|step)\s+[\divxlc]{1,6}\b|附录\s*[A-Z一二三四五六七八九十]?)[\s:：.．、-]*",
    re.IGNORECASE,
)
_GENERIC = words("""
    概述 概要 简介 介绍 前言 引言 背景 目的 目标 范围 适用范围 定义 术语 总则 附则 说明 使用说明
    安装 安装步骤 安装说明 配置 部署 升级 卸载 使用 使用方法 用法 快速开始 快速入门 入门
    功能 特性 主要功能 功能特点 优势 架构 原理 参数 规格 技术参数 接口 示例 例子 价格 费用 计费 限制
    注意 注意事项 要求 系统要求 前提条件 步骤 流程 故障排查 故障排除 错误码 常见问题 问答
    参考 参考资料 参考文献 附录 目录 更新 更新日志 变更记录 版本历史 总结 小结 结论 结语 摘要
    联系我们 联系方式 其他 其它 备注 正文
""") | phrases("""
    overview, introduction, intro, about, background, purpose, goals, scope, definitions, terminology, summary, abstract,
    conclusion, conclusions, installation, install, installing, setup, configuration, configuring, deployment, upgrade, upgrading,
    uninstall, usage, how to use, getting started, quick start, quickstart, features, key features, benefits, architecture,
    how it works, parameters, options, specifications, specification, api, interface, examples, example, price, prices, pricing,
    cost, costs, fees, limits, limitations, notes, note, warning, requirements, system requirements, prerequisites, steps,
    procedure, troubleshooting, errors, error codes, faq, faqs, frequently asked questions, questions, references, reference,
    see also, external links, further reading, appendix, contents, table of contents, changelog, changes, release notes, history,
    contact, contact us, license, licence, other, miscellaneous
""")
"""Headings that name a kind of section, not what it is about."""


class Subject(NamedTuple):
    """`text`: what the section is about. `topic`: the thing defined in it or above it, "" where nothing is."""

    text: str
    topic: str
    heading: str = ""
    """That of the section, where it says more than what kind of section it is."""


NOTHING = Subject("", "")


def subject_of(section: Section, title: str, around: Subject) -> Subject:
    """Return what `section` is about. `around` is the subject of the section that holds it (NOTHING for the root)."""
    topic = _defined(section, (title, *section.path))
    if topic:
        return Subject(topic, topic)
    heading = without_numbering(section.path[-1]) if section.path else ""
    if heading and heading.strip(" :：?？").casefold() not in _GENERIC:
        heading = _bounded(heading)
        named = around.topic or _joined(_bounded(without_numbering(title)), around.heading)
        return Subject(_joined(named, heading), around.topic, heading)
    if around.text:
        return around
    return Subject(_bounded(without_numbering(title)) or _bounded(heading) or _first_words(section), "")


def _joined(topic: str, heading: str) -> str:
    """Both, or the longer one where it says the other."""
    if not heading:
        return topic
    if topic.casefold() in heading.casefold():
        return heading
    return topic if heading.casefold() in topic.casefold() else f"{topic} · {heading}"


def without_numbering(heading: str) -> str:
    """Return a heading without the number in front of it (`第三章 `, `1.2 `, `Chapter 4: `), unless no words would be left."""
    heading = heading.strip()
    named = _NUMBERING.sub("", heading, count=1).strip()
    return named if named[:1].isalpha() else heading


def definitions(section: Section, title: str) -> list[tuple[int, str]]:
    """Return what the paragraphs of a section define in their first sentences: place in the text, and topic."""
    named = (title, *section.path)
    found = [(placed.start, _defines(placed, named)) for placed in section.blocks if placed.block.kind == "paragraph"]
    return [(start, topic) for start, topic in found if topic]


def _defined(section: Section, named: tuple[str, ...]) -> str:
    """What the first sentence of the section's first paragraph defines, or ""."""
    for placed in section.blocks:
        if placed.block.kind != "heading":
            return _defines(placed, named) if placed.block.kind == "paragraph" else ""
    return ""


def _defines(paragraph: Placed, named: tuple[str, ...]) -> str:
    head = paragraph.block.text[:200].lstrip().lstrip(_QUOTED)
    # Most paragraphs define nothing, which their words tell sooner than the expressions.
    if ("是" in head or "指" in head or "为" in head) and (topic := _match(_ZH_DEFINES, head, _zh_names, named)):
        return topic
    return _match(_EN_DEFINES, head, _en_names, named) if _EN_VERBS.search(head) else ""


def _match(pattern: re.Pattern[str], head: str, names: Callable[[str], bool], named: tuple[str, ...]) -> str:
    found = pattern.match(head)
    if not found:
        return ""
    what = found["what"].strip(_QUOTED + " ")
    if not what or not names(what):
        return ""
    if found["bare"] and not any(what.casefold() in name.casefold() for name in named):
        return ""
    return _bounded(what)


def _zh_names(what: str) -> bool:
    return not _ZH_NO_SUBJECT.match(what)


def _en_names(what: str) -> bool:
    said = what.casefold().split()
    return said[0] not in _EN_NO_SUBJECT and _EN_PHRASE.isdisjoint(said)


def _first_words(section: Section) -> str:
    """For a document with neither title nor headings: how it begins."""
    for placed in section.blocks:
        return _bounded(" ".join(placed.block.text[:200].split()))
    for below in section.subsections:
        return _first_words(below)
    return ""


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
