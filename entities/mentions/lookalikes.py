"""Names one slip away: what speech recognition and scanning make of a name that is known. For review only, never a link.

Speech brings homophones: 王芳 comes back as 王方, 栖衡 as 七衡. A Chinese name of three characters or more is compared by its
syllables without tones, with the sounds that speakers of many regions do not tell apart taken as one (zh and z, n and l, -ing
and -in). Scans bring characters of like shape: 0 for O, 1 for l, rn for m, 未 for 末. A name is compared by what its
characters may be taken for. Both are folds of single characters (`entities.folding`), so the gazetteer's automaton finds them
with exact spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any

from entities.folding import NAME, Fold
from entities.mentions.gazetteer import Gazetteer
from entities.mentions.span import Span

_HOMOPHONE, _CONFUSABLE = 0.5, 0.5
_SHORTEST_HAN, _SHORTEST_LATIN = 3, 5
_HAN = re.compile(r"[\u3400-\u9fff]")

_SHAPES = (
    "0oöóòôõ", "1lí|ıi!", "5s$", "8b", "2z", "6g", "9q", "未末", "己已巳", "土士", "日曰", "天夭", "人入八", "大太犬",
    "干千于", "午牛", "刀力", "目且", "拔拨", "侯候", "戊戌戍", "晴睛", "微徽", "衡衔", "栖柄", "桓恒", "淮准", "洁浩",
    "沐沭", "治冶", "令今", "爪瓜", "毫亳", "荼茶", "孑子", "鸟乌", "免兔", "密蜜", "洒酒", "折拆", "竟竞", "即既", "输榆",
    "辩辨辫", "壁璧", "抱拘", "坏环", "场扬", "杨扬", "汤杨", "汪江", "沈沉", "束柬", "部都", "郎朗", "限根", "限恨", "崇祟",
    "暑署", "宫官", "古吉", "贝见", "仓仑", "历厉", "厂广", "云去", "开井", "尤龙", "木本", "王玉", "主王", "科料", "技枝",
    "持特", "徒徙", "络洛", "瀚翰", "岚风", "溪澳", "砚现", "脉咏", "睿容", "铭名", "锐说", "凯剀", "鑫金", "拓柘", "盛威",
    "成戍", "网冈", "图囹", "国囯", "元无", "兀元", "讯汛", "谊宜", "航舫",
)
"""Characters that a scan takes for one another. The first of each stands for all."""


class Lookalikes:
    """Finds what sounds or looks like one of `names` (name as written, entity id) and is not written so."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._names = tuple(names)
        self._exact = frozenset(NAME(name).text for name, _ in self._names)
        heard = tuple(each for each in self._names if has_sounds() and len(_HAN.findall(each[0])) >= _SHORTEST_HAN)
        han = tuple(each for each in self._names if len(_HAN.findall(each[0])) >= _SHORTEST_HAN)
        latin = tuple(each for each in self._names if len(each[0]) >= _SHORTEST_LATIN)
        self._searches = (
            ("homophone", _HOMOPHONE, Gazetteer(heard, _SOUND, _SHORTEST_HAN)),
            ("confusable", _CONFUSABLE, Gazetteer(dict.fromkeys((*han, *latin)), _SHAPE, _SHORTEST_HAN)),
        )

    def find(self, text: str) -> list[Span]:
        """Return candidates with the entities that may be meant; their type is for the caller to fill in."""
        return [
            Span(hit.start, hit.end, "", method, confidence, hit.entity_ids)
            for method, confidence, search in self._searches for hit in search.find(text)
            if NAME(text[hit.start : hit.end]).text not in self._exact
        ]


def _sound(char: str) -> str:
    folded = NAME(char).text
    return "".join(chr(0xE000 + _syllable(each)) if _HAN.match(each) else each for each in folded)


_NUMBERS: dict[str, int] = {}


def _syllable(char: str) -> int:
    """A number for what a character sounds like: equal for those that sound alike."""
    said = _pinyin()(char, style=_plain(), errors="ignore")
    sound = _merged(said[0]) if said else char
    return _NUMBERS.setdefault(sound, len(_NUMBERS))


def _merged(syllable: str) -> str:
    """Sounds that many speakers do not tell apart: zh z, ch c, sh s, n l, and the final nasals."""
    sound = re.sub(r"^([zcs])h", r"\1", syllable)
    sound = re.sub(r"^n(?=[aeiouv])", "l", sound)
    return re.sub(r"([aei])ng$", r"\1n", sound)


@cache
def has_sounds() -> bool:
    """Whether pypinyin is installed (the extra `review`); without it nothing is found by its sound."""
    return find_spec("pypinyin") is not None


@cache
def _pinyin() -> Any:
    from pypinyin import lazy_pinyin

    return lazy_pinyin


@cache
def _plain() -> Any:
    from pypinyin import Style

    return Style.NORMAL


def _shape(char: str) -> str:
    return "".join(_shapes().get(each, each) for each in NAME(char).text)


@cache
def _shapes() -> dict[str, str]:
    """Character -> the one that stands for its shapes; `m` and `w` fall apart as scans let them."""
    stands = {"m": "rn", "w": "vv", "d": "cl"}
    for group in _SHAPES:
        first = stands.get(group[0], group[0])
        for char in group:
            stands.setdefault(char, first)
    return stands


_SOUND, _SHAPE = Fold(_sound), Fold(_shape)
