"""Organisations in English and other Latin scripts: capitalised words with a legal form behind them (Inc., GmbH, S.A.), or with a
noun for what they are (University of ..., ... Foundation)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from entities.mentions.patterns.words import words
from entities.mentions.span import Span

_UPPER = "A-ZÀ-ÖØ-Þ"
_S = "[ \u00a0]"
# Atomic, and with one way only to read a word: a long list of capitalised words must not be read in every possible way.
_WORD = rf"(?>St\.|[{_UPPER}][\wÀ-ÿ'’+]*(?:[-&][\wÀ-ÿ'’+]+)*|[{_UPPER}]\.(?={_S}?[{_UPPER}]))"
_JOIN = rf"(?:{_S}(?:of(?:{_S}the)?|and|for|de|du|des|der|von|van|di|do|da|del|la|le|y|e|et|und|&){_S}|,?{_S})"
_PLACE = rf"(?:\s?[(（][{_UPPER}][\w .-]{{1,30}}[)）])"
_LEGAL = (
    r"(?:Inc(?:orporated|\b\.?)|Corp(?:oration|\b\.?)|(?i:Co\s?\.?\s?[,，]?\s?(?:Ltd\b\.?|Limited))|Co\.,?\s?(?:LLC|KG)|Company|"
    r"(?:Pty|Pte|Pvt)\b\.?,?\s?(?:Ltd\b\.?|Limited)|Private Limited|Ltd\b\.?(?:\s?Şti\.)?|Limited|L\.?L\.?C\b\.?|"
    r"P?L\.?L\.?P\b\.?|L\.P\.|(?:P\.?L\.?C|plc)\b\.?|GmbH(?:\s&\sCo\.\s(?:KGaA|KG))?|gGmbH|mbH|AG\b(?:\s&\sCo\.\sKG)?|KGaA|KG\b|"
    r"e\.V\.|SE\b|AB\b|ASA?\b|A/S|ApS|Oyj?\b|B\.?V\b\.?|N\.?V\b\.?|S\.?A\.?S\b\.?|S\.A\.(?:\sde\sC\.V\.)?|SA\b|SARL|"
    r"S\.à\s?r\.l\.|S\.?L\.?U?\.(?!\w)|S\.?p\.?A\b\.?|S\.?r\.?l\b\.?|K\.?K\b\.?|Sdn\b\.?\s?Bhd\b\.?|Bhd\b\.?|a\.s\.|s\.r\.o\.|"
    r"[Ss]p\.\sz\so\.o\.|Ltda\b\.?|d\.o\.o\.|Kft\b\.?|Zrt\b\.?|P?JSC\b|OOO\b|ULC\b|Trust|Holdings)"
)
_BEFORE, _AFTER = r"(?<![\w.À-ÿ])", r"(?![\wÀ-ÿ])"
_FIRM = re.compile(
    rf"{_BEFORE}({_WORD}(?:{_JOIN}{_WORD}|{_PLACE}){{0,10}}?{_PLACE}?,?{_S}?(?<=[ \u00a0,)）]){_LEGAL}"
    rf"(?:,?{_S}?(?<=[ \u00a0,.]){_LEGAL}){{0,2}}){_AFTER}",
    re.ASCII,
)
_NOUN = (
    r"(?:University|Institute|College|School|Academy|Hospital|Clinic|Infirmary|Bank|Ministry|Agency|Authority|Council|Committee|"
    r"Commission|Foundation|Association|Society|Laborator(?:y|ies)|Labs|Consortium|Alliance|Federation|Union|Bureau|Department|"
    r"Observatory|Museum|Library|Press|Working Group|Task Force|Chamber of Commerce|Railways?|Airlines|Airways|Industries|"
    r"Technologies|Motors|Pharmaceuticals|Insurance|Parliament|Senate|Court|Police|Group|Partners|Ventures|Capital|Consulting|"
    r"Cent(?:er|re))"
)
_OF = (
    r"(?:University|Bank|Ministry|Institute|Department|Agency|Chamber|Board|College|School|Council|Bureau|Academy|Office|Society|"
    r"Association|Federation|Museum|Court|House)"
)
_NAMED = re.compile(
    rf"{_BEFORE}((?:{_WORD}{_S}){{1,8}}{_NOUN}(?:{_S}(?:of|for){_S}(?:the{_S})?{_WORD}(?:{_S}{_WORD}){{0,5}}"
    rf"(?:{_S}(?:of|and){_S}{_WORD}(?:{_S}{_WORD}){{0,5}})?)?){_AFTER}", re.ASCII
)
_ANOTHER = rf"(?!(?:{_WORD}{_S}){{1,5}}(?:{_NOUN}|{_LEGAL}){_AFTER})"
_HEADED = re.compile(
    rf"{_BEFORE}((?:{_WORD}{_S}){{0,4}}{_OF}{_S}(?:of|for){_S}(?:the{_S})?{_WORD}"
    rf"(?:(?:{_S}|,{_S}(?={_WORD},?{_S}and{_S})|,?{_S}and{_S}{_ANOTHER}|{_S}&{_S}|{_S}of{_S}){_WORD}){{0,8}}){_AFTER}", re.ASCII
)
_ALIAS = re.compile(r",?\s\((?:(?:the|together|hereinafter|referred to as|or)[\s,]*)*[“\"']([A-Z][\w .&-]{1,30})[”\"']\)")
_INITIALS = re.compile(r"\s\((?:the\s)?([A-Z][A-Za-z&]{1,7})\)")
_ENDS_SENTENCE = re.compile(r"\b(?:Ltd|LLC|LLP|PLC|plc|AG|AB|SE|Limited)\.$")
"""Forms that are written without a full stop as often: at the end of a text it is the sentence's."""

def organisations_en(text: str) -> Iterator[Span]:
    """Yield names of organisations, and the short names that a text gives them (`(the "Supplier")` is none: it is a role)."""
    for pattern, method, confidence in ((_FIRM, "legal-form", 0.9), (_HEADED, "kind", 0.75), (_NAMED, "kind", 0.7)):
        for match in pattern.finditer(text):
            start = _start(text, match.start(1), match.end(1))
            if start is None or "\n" in match[1]:
                continue
            end = match.end(1) - (1 if _ENDS_SENTENCE.search(match[1]) and re.match(r"\s*$", text[match.end(1) :]) else 0)
            yield Span(start, end, "organization", f"pattern:{method}", confidence)
            alias = _ALIAS.match(text, end) or _INITIALS.match(text, end)
            if alias is not None and _shares(alias[1], text[start:end]):
                for again in re.finditer(rf"(?<!\w){re.escape(alias[1])}(?!\w)", text):
                    yield Span(again.start(), again.end(), "organization", "pattern:called", 0.65)


def _start(text: str, start: int, end: int) -> int | None:
    """Without the words of the sentence before the name; None where no word of its own is left."""
    while True:
        word = re.match(r"[\w'’.]+", text[start:end])
        if word is None or word[0].rstrip(".") not in words("before_english_name"):
            break
        start += word.end()
        while start < end and text[start] in " ,-&":
            start += 1
        joined = re.match(r"(?:of the|of|and|for|the)\s", text[start:end])
        start += joined.end() if joined else 0
    own = re.findall(rf"[{_UPPER}][\wÀ-ÿ'’-]*", text[start:end])
    named = [word for word in own[:-1] if word not in words("generic_english")]
    return start if named or (" of " in text[start:end] and own[-1:] and own[-1] not in words("generic_english")) else None


def _shares(alias: str, name: str) -> bool:
    """Whether a short name is taken from the long one: its first word, or its initials."""
    if alias.split()[0] in name.split():
        return True
    words_of = re.findall(r"[A-Za-z]+", name)
    initials = ("".join(word[0] for word in words_of), "".join(word[0] for word in words_of if word[0].isupper()))
    return alias.lower() in (all_of.lower() for all_of in initials)
