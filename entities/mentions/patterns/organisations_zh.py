"""Organisations in Chinese: a name of its own, and behind it a word for what it is (有限公司, 大学, 管理局 ...).

The end is easy to see. The start is not, since nothing separates a name from the sentence before it, so it is worked out in
steps: characters that no name holds end the reach; a company ends at its legal form unless a branch follows; words that stand
before names (甲方, 委托, 近日) are cut off; single characters that join (为, 在, 和) are cut where a place or another
organisation shows that a name starts or ended there. What is left must hold more than words that any organisation could have
(该公司, 数据中心).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from entities.mentions.patterns.words import letters, longest_first
from entities.mentions.span import Span

_HAN = "\u3400-\u9fff"
_LEGAL = (
    r"(?:股份)?有限责任公司|股份有限公司|有限公司|無限公司|(?:普通合伙|合伙)?企业[（(]有限合伙[）)]|合伙企业|[（(](?:有限|"
    r"普通)合伙[）)]|"
    r"农民专业合作社|股份合作公司"
)
_KIND = (
    r"集团(?:公司|总公司)?|總公司|总公司|公司|大学|大學|学院|學院|中学|小学|幼儿园|职业学校|学校|医院|醫院|卫生院|疾控中心|"
    r"研究院|研究所|科学院|设计院|勘察院|"
    r"实验室|實驗室|银行|銀行|信用社|合作社|交易所|事务所|事務所|派出所|律所|出版社|通讯社|报社|杂志社|电视台|广播电台|协会|"
    r"協會|学会|學會|商会|联合会|联谊会|"
    r"促进会|基金会|理事会|委员会|委員會|联盟|工会|管委会|居委会|村委会|人民政府|政府|办公厅|办公室|法院|检察院|公安局|分局|"
    r"派出机构|博物馆|图书馆|美术馆|档案馆|"
    r"海关|税务局|管理局|监督局|教育局|统计局|气象局|地震局|水文局|财政局|环保局|卫生局|规划局|民政局|司法局|商务局|审计局|"
    r"工程局|能源局|铁路局|邮政局|知识产权局|数据局|保障局|服务局|总局|"
    r"(?:信息化|科学技术|人力资源和社会保障|住房和城乡建设|交通运输|水利|农业农村|商务|文化和旅游|财政|教育|公安|民政|司法|"
    r"自然资源|生态环境|应急管理|审计)[厅廳局]|"
    r"总队|支队|中心|书院|俱乐部|工作室|研究会|智库|卫视|航空|工业园|总署|监狱|电网|电厂|钢厂|药厂"
)
_BRANCH = (
    rf"(?:(?:(?!公司|集团|大学|银行)[{_HAN}]){{2,8}}?"
    r"(?:分公司|分行|支行|分院|分部|分中心|分校|办事处|代表处|营业部|营业厅|事业部))"
)
_END = re.compile(rf"(?P<legal>(?:{_LEGAL}))(?P<branch>{_BRANCH})?|(?P<kind>(?:{_KIND}))(?P<inner>{_BRANCH})?")
_GOES_ON = re.compile(
    r"(?:大学|大學)(?:生|城|排名)|(?:中学|小学)生|银行(?:业|卡|家|间|账|理财)|公司(?:法(?!务)|章程|制|化|债|治理)|学院派|"
    r"集团(?:军|化)|法院(?:判|裁)|中心(?:城区|思想|化|句|点|线|位)|"
    r"政府(?:采购|性|间)|办公室(?:里|内)|航空(?:母舰|运输|业|发动机|器|航天)|委员会(?:制)|学校(?:里)|医院(?:感染)|联盟(?:链)|"
    r"海关(?:编码|总署)"
)
_GOES_ON_AGENCY = frozenset("长院门队属")
"""教育部长 and 最高法院 are something else than 教育部 and 最高法."""
_RUN = re.compile(rf"[{_HAN}0-9A-Za-z（）()·&.,]+")
_DATE = re.compile(r"\d+\s?[年月日号时点岁名个家位届次]")
_STARTS_SO = (
    "经纬", "经理", "经销", "经营", "有色", "有限", "有研", "有机", "有线", "有为", "经济", "经贸", "对外", "在线", "系统",
    "向阳", "向日葵", "从化", "在田", "向荣",
)
_NEAR = ("省", "市", "县", "区", "州", "自治区", "镇")
_SHORTEST_CORE = 2
_LONGEST = 40
_ALIAS = re.compile(
    r"[（(](?:以下|下文|下)?(?:均|统|并|合)?(?:简称|簡稱|称)(?:为)?[：:]?\s*(?:[“\"「‘']([^”\"」’'）)\n]{2,16})[”\"」’'][^）)\n]{0,12}|([^“\"「‘'，,）)\n]{2,12}))[）)]"
)
_SHORT = re.compile(rf"[（(]([{_HAN}]{{2,6}})[）)]")


def organisations_zh(text: str) -> Iterator[Span]:
    """Yield names of organisations written in Chinese, and the short names that a text gives them (以下简称“…”)."""
    for match in _agency().finditer(text):
        if text[match.end() : match.end() + 1] in _GOES_ON_AGENCY:
            continue
        yield Span(match.start(), match.end(), "organization", "pattern:agency", 0.8)
    called: set[str] = set()
    for run in _RUN.finditer(text):
        for start, end, legal in _names(run[0]):
            first, last = run.start() + start, run.start() + end
            yield Span(first, last, "organization", "pattern:legal-form" if legal else "pattern:kind", 0.9 if legal else 0.75)
            called.update(_called(text, first, last))
    for name in called:
        for match in re.finditer(re.escape(name), text):
            yield Span(match.start(), match.end(), "organization", "pattern:called", 0.7)


def _called(text: str, start: int, end: int) -> Iterator[str]:
    """The short name that a text gives a name in brackets behind it: it says so, or takes its characters from it in order."""
    alias = _ALIAS.match(text, end)
    short = _SHORT.match(text, end)
    if alias is not None:
        yield alias[1] or alias[2]
    elif short is not None and not _is_generic(short[1]) and not _place().fullmatch(short[1]):
        rest = iter(text[start:end])
        if all(char in rest for char in short[1]):
            yield short[1]


@cache
def _agency() -> re.Pattern[str]:
    bodies = "|".join(longest_first("bodies"))
    return re.compile("|".join((*longest_first("agencies"), rf"(?<![0-9A-Za-z_./-])(?:{bodies})(?![0-9A-Za-z_/-])")))


def _names(run: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, has a legal form) of the names in a run of characters without punctuation."""
    for first, last in _reaches(run):
        start = first
        ends = _ends(run, first, last)
        for at, (end, core_end, legal) in enumerate(ends):
            following = ends[at + 1] if at + 1 < len(ends) and end - start <= _LONGEST else None
            if not legal and following is not None and not _is_new(run, end, following[1]):
                continue  # the name goes on: 集团 ... 有限公司, 委员会 ... 局
            begin = _start(run, max(start, core_end - 3 * _LONGEST), core_end, legal)
            if begin is not None and end - begin <= _LONGEST:
                yield begin, end, legal
            start = end + 1 if run[end : end + 1] == "和" else end


def _reaches(run: str) -> Iterator[tuple[int, int]]:
    """Parts of a run that a name may fill: between characters that none holds, unless an office's name does."""
    protected = {
        at for match in _joined().finditer(run) for at in range(match.start(), match.end())
    }
    start = 0
    dates = {match.end() - 1 for match in _DATE.finditer(run)}
    for at, char in enumerate(run):
        if at in dates or (char in letters("never_inside") and at not in protected) or char in ".,":
            yield start, at
            start = at + 1
    yield start, len(run)


@cache
def _joined() -> re.Pattern[str]:
    return re.compile("|".join(longest_first("joined_inside")))


def _ends(run: str, first: int, last: int) -> list[tuple[int, int, bool]]:
    """(end of the name, end of what is its own in it, has a legal form), in order."""
    ends = []
    for match in _END.finditer(run, first, last):
        if match["kind"] and _GOES_ON.match(run, match.start()):
            continue
        ends.append((match.end(), match.start(), bool(match["legal"])))
    return ends


def _is_new(run: str, end: int, core_end: int) -> bool:
    """Whether between two ends another name starts: a joining character or a word that stands before names comes first."""
    between = run[end:core_end]
    return bool(between) and (between[0] in letters("joins") or _introducing().match(between) is not None)


@cache
def _before() -> re.Pattern[str]:
    return re.compile("|".join(longest_first("before_organisation")))


@cache
def _verb() -> re.Pattern[str]:
    return re.compile("|".join(longest_first("verbs")))


@cache
def _place() -> re.Pattern[str]:
    return re.compile("|".join(longest_first("places")))


def _start(run: str, first: int, core_end: int, legal: bool) -> int | None:
    """Where the name starts whose own part ends at `core_end`; None where nothing of its own is left."""
    start = _unintroduced(run, first, core_end)
    for match in _before().finditer(run, start, core_end):
        if core_end - match.end() >= _SHORTEST_CORE or _place().match(run, match.end(), core_end):
            start = max(start, match.end())
    for match in _verb().finditer(run, start, core_end):
        own = core_end - match.end() >= _SHORTEST_CORE and _is_generic(run[start : match.start()])
        if match.end() > start and (own or _place().match(run, match.end(), core_end)):
            start = match.end()
    for at in range(start, core_end):
        joins = run[at] in letters("joins") and _place().match(run, at + 1)
        if joins or (run[at] in "为和" and at > start and _ends_something(run[start:at])):
            start = at + 1
    if start > first:
        start = _unintroduced(run, start, core_end)
    opened = max(run.rfind("（", start, core_end), run.rfind("(", start, core_end))
    if opened >= 0 and not re.search(r"[）)]", run[opened:core_end]):
        start = opened + 1
    while start < core_end and run[start] in "）)·&0123456789":
        start += 1
    while start < core_end and run[start] in letters("joins") and _place().match(run, start + 1):
        start += 1
    return start if _is_proper(run[start:core_end], legal) else None


@cache
def _introducing() -> re.Pattern[str]:
    return re.compile("|".join(longest_first("before_organisation", "verbs")))


def _unintroduced(run: str, start: int, core_end: int) -> int:
    """Where the name starts once verbs and single characters that introduce it are taken off its beginning."""
    while True:
        match = _introducing().match(run, start, core_end)
        if match is not None and core_end - match.end() >= _SHORTEST_CORE:
            start = match.end()
        elif _joins(run, start) and core_end - start > _SHORTEST_CORE:
            start += 1
        else:
            return start


def _joins(run: str, at: int) -> bool:
    return run[at : at + 1] in tuple("为系即向对从据经而有") and not run.startswith(_STARTS_SO, at)


def _ends_something(before: str) -> bool:
    """Whether what stands before `为` or `和` is a role or an organisation: then a name starts behind it."""
    return before.endswith(("人", "方", "商", "位", "构", "体", "司", "称", "头", "行", "东", "户")) or any(
        match.end() == len(before) for match in _END.finditer(before)
    )


def _is_proper(core: str, legal: bool) -> bool:
    """Whether a name's own part holds more than words that any organisation could have. Before a legal form anything more is
    enough; elsewhere it is two characters, or a place."""
    if len(core) < _SHORTEST_CORE or _is_generic(core):
        return False
    if legal or _place().match(core):
        return True
    rest = re.sub("|".join(word for word in longest_first("generic", "verbs") if len(word) > 1), "", core)
    own = len(re.sub(rf"[^{_HAN}A-Za-z]", "", rest))
    return own >= _SHORTEST_CORE or any(near in core[1:] for near in _NEAR if len(core) > len(near) + 1)


def _is_generic(text: str) -> bool:
    """Whether a text is nothing but ordinary words."""
    return _generic().fullmatch(text) is not None


@cache
def _generic() -> re.Pattern[str]:
    # Possessive: words that are made of other words must not be tried in every possible way.
    return re.compile(rf"(?:{'|'.join(longest_first('generic', 'verbs'))})*+")
