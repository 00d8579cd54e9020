"""What a line's own number says of its place in a document: 第三章, 二、, （一）, 1.2.3, Part IV, Appendix B.

`numbered` recognises the number at the start of a line and gives it a *family*; families are ranked from the outside in
(`RANKS`), which is how headings without a declared level are put in order. Used where a format has headings but does not say
so: PDF, and Word files whose author made headings by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.model.language import HAN

RANKS = (
    "part", "chapter", "section", "article", "han", "han_bracket", "decimal1", "decimal2", "decimal3", "decimal4", "decimal5",
)
"""Families, outermost first. `han` is 一、 and `han_bracket` is （一）; `decimalN` has N numbers."""

_HAN_NUMBER = "[一二三四五六七八九十百千零〇两\\d]+"
_WORD_NUMBER = r"(?:\d{1,3}|[IVXLC]{1,7}|[A-Z])"
_HAN_UNITS = {"编": "part", "篇": "part", "卷": "part", "部分": "part", "章": "chapter", "节": "section", "条": "article"}
_WORDS = {
    "part": "part", "chapter": "chapter", "appendix": "chapter", "annex": "chapter", "section": "section", "article": "article",
}

_HAN_UNIT = re.compile(rf"第\s*({_HAN_NUMBER})\s*(编|篇|卷|部\s?分|章|节|条)(?![约件款例目])[\s、:：.]*")
_HAN_APPENDIX = re.compile(rf"(附录|附件)\s*([A-Z\d]{{1,2}}|{_HAN_NUMBER})?(?=[\s:：、.]|$|[{HAN}])[\s:：、.]*")
_HAN_LIST = re.compile(r"([一二三四五六七八九十]{1,3})\s*、\s*")
_HAN_BRACKET = re.compile(r"[（(]([一二三四五六七八九十]{1,3})[）)]\s*、?")
_WORD = re.compile(rf"(part|chapter|appendix|annex|section|article)\s+({_WORD_NUMBER})\b[\s.:：–—-]*", re.IGNORECASE)
_DECIMAL = re.compile(
    rf"(\d{{1,3}}(?:[.．]\d{{1,3}}){{1,4}})[.．、]?(?=\s|[{HAN}（《“]|$)\s*"
    rf"|(\d{{1,2}})(?:[.．、]\s*(?=\D|$)|\s+(?=[A-Z{HAN}]))"
)
_ROMAN = re.compile(r"([IVX]{1,5})\.\s+(?=[A-Z])")
_LETTER_DECIMAL = re.compile(r"([A-Z](?:\.\d{1,3}){1,4})\.?\s+")


@dataclass(frozen=True, slots=True)
class Numbered:
    """`family` of `RANKS`, the `number` as written, and where the words after it start."""

    family: str
    number: str
    end: int


def numbered(text: str) -> Numbered | None:
    """Return what number `text` starts with, or None. Says nothing of whether the line is a heading."""
    if match := _HAN_UNIT.match(text):
        return Numbered(_HAN_UNITS[match[2].replace(" ", "")], match[1], match.end())
    if match := _HAN_APPENDIX.match(text):
        return Numbered("chapter", match[1] + (match[2] or ""), match.end())
    if match := _HAN_LIST.match(text):
        return Numbered("han", match[1], match.end())
    if match := _HAN_BRACKET.match(text):
        return Numbered("han_bracket", match[1], match.end())
    if match := _WORD.match(text):
        return Numbered(_WORDS[match[1].lower()], match[2], match.end())
    if match := _DECIMAL.match(text):
        number = match[1] or match[2]
        return Numbered(f"decimal{len(re.split('[.．]', number))}", number, match.end())
    if match := _LETTER_DECIMAL.match(text):
        return Numbered(f"decimal{match[1].count('.') + 1}", match[1], match.end())
    if match := _ROMAN.match(text):
        return Numbered("section", match[1], match.end())
    return None
