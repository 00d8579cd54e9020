"""From text to the terms that BM25 counts: the same rules for what is indexed and what is asked.

    text -> normal form -> runs of unspaced scripts -> characters and pairs
                        -> words and identifiers    -> stems, whole forms, parts

Han text becomes single characters and overlapping pairs (nDCG@10 on XQuAD zh .966, against .961 for jieba at a tenth of the
speed). Kana, hangul, Thai, Lao, Khmer and Burmese become pairs. Other scripts are words: case-folded, Latin ones without
accents and English-stemmed, English stop words dropped. What looks like an identifier (`GPT-4o`, `ERR_1042`,
`/api/v2/users`, `foo.bar()`, `userName`) is kept whole, hyphens and underscores removed so that spellings meet, and split.

The normal form (NFKC, traditional characters simplified one by one) exists here only: no stored text is ever changed.
A term never contains white space or NUL. When the same text could give other terms, `format.TERMS` changes.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from operator import add

LONGEST = 64
"""Characters of a term. Longer words are cut, longer identifiers only split: they are encoded data, not names."""
MOST_QUERY_TERMS = 1024
"""Distinct terms of a query; the rest of a longer text is not looked up (Lucene's limit of clauses)."""


def terms(text: str) -> list[str]:
    """Return the terms of a text, each as often as it occurs, in dictionary order.

    Their order in the text means nothing to BM25; a fixed one lets rank_bm25, which adds up idf values in the order in which it
    meets terms, agree with the index to the last bit.
    """
    return sorted(tokens(text))


def tokens(text: str) -> list[str]:
    """Return the terms of a text, each as often as it occurs, in no particular order."""
    return _flat(split(text))


def split(text: str) -> tuple[list[str], list[str]]:
    """Return the runs of unspaced scripts in a text, each of which stands for the terms `of_run`, and its other terms."""
    return _split(text, _INDEXED)


def of_run(run: str) -> list[str]:
    """The characters that are terms alone, and the pairs, of a run."""
    alone = run if len(run) == 1 or not _NOT_HAN.search(run) else _NOT_HAN.sub("", run)
    return [*alone, *map(add, run, run[1:])]


def is_term_alone(char: str) -> bool:
    """Whether a character is a term by itself wherever it stands; kana and the like are only where they are a whole run."""
    return _NOT_HAN.match(char) is None


def query_terms(text: str) -> list[str]:
    """Return the distinct terms that a query looks for, in dictionary order.

    Words that only ask (什么, 多少, who, how many) are left out: they are rare in documents, so their idf is high and they
    pull in whatever also asks (+.002 to +.006 nDCG@10 on XQuAD and CMRC2018). A query made of nothing else keeps them.
    """
    found = _flat(_split(unasked(text), _ASKED)) or tokens(text)
    return sorted(list(dict.fromkeys(found))[:MOST_QUERY_TERMS])


def whole_words(text: str) -> list[tuple[str, str]]:
    """Return the words and identifiers of a text as they are written (in normal form), each with the term that stands for all
    of it. Stop words, and words too long to be a term in one piece, are left out."""
    words = ((word, _INDEXED[word]) for word in _split_words(normal(text)) if len(word) <= LONGEST)
    return [(word, found[0]) for word, found in words if found]


def unasked(text: str) -> str:
    """Return a text in normal form without the Chinese words that only ask, and without `may` where it is a verb."""
    return _MAY.sub(r"\1", _ASKING.sub(" ", normal(text)))


# --- normal form ---

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_UNSPACED = _HAN + (
    "\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uac00-\ud7a3"  # kana, hangul
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
)
_SEPARATORS = "，、。：；！？（）【】《》「」『』“”…—～％　"
"""Punctuation of Chinese text. Always ends a word, though NFKC would turn some of it into `:` or `...`."""
_APART = dict.fromkeys(map(ord, _SEPARATORS), " ") | {ord(char): f" {char}" for char in "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
"""Applied before NFKC, which would also read 6½ as 61/2."""

_plain: set[str] = set(_SEPARATORS)
"""Characters known to be their own normal form in any company; grows as texts are read (at most as large as Unicode)."""


def normal(text: str) -> str:
    """Return a text in NFKC and simplified characters. Most consist of characters that neither changes, and are as they are."""
    if text.isascii():
        return text
    if _plain.issuperset(text):
        return text
    unknown = set(text) - _plain
    changing = {char for char in unknown if _changes(char)}
    _plain.update(unknown - changing)
    return unicodedata.normalize("NFKC", text.translate(_APART)).translate(_simplified()) if changing else text


def _changes(char: str) -> bool:
    """Whether normalising may touch the character or, for marks and conjoining jamo, its neighbour."""
    return (
        ord(char) in _simplified()
        or "\u1100" <= char <= "\u11ff"
        or unicodedata.category(char)[0] == "M"
        or not unicodedata.is_normalized("NFKC", char)
    )


@cache
def _simplified() -> dict[int, str]:
    """Traditional character -> simplified. One by one, not by phrase: a pair must not depend on what stands around it."""
    import opencc

    ranges = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))
    chars = [chr(code) for first, end in ranges for code in range(first, end)]
    simplified = opencc.OpenCC("t2s").convert("\n".join(chars)).split("\n")
    return {ord(char): other for char, other in zip(chars, simplified, strict=True) if char != other}


# --- runs and words ---

_RUN = re.compile(f"[{_UNSPACED}]+")
_NOT_HAN = re.compile(f"(?![{_HAN}])[{_UNSPACED}]")
_LETTER = f"[^\\W_{_UNSPACED}]"
_JOINT = r"(?:://|::|->|_+|[-./:@&'’‐]|(?<=\d),(?=\d\d\d(?!\d)))"


def _word(letter: str) -> str:
    return f"{letter}+(?:\\+\\+(?!\\w)|#(?!\\w)|(?:{_JOINT}{letter}+)*)"


_WORD = re.compile(_word(_LETTER))
_ASCII_WORD = re.compile(_word("[A-Za-z0-9]"), re.ASCII)
"""The same of a text in ASCII: without classes of Unicode it is found in two thirds of the time."""


def _split(text: str, words: _Words) -> tuple[list[str], list[str]]:
    text = normal(text)
    runs = [] if text.isascii() else _RUN.findall(text)
    found: list[str] = []
    for word in _split_words(text):
        found += words[word]
    return runs, found


def _split_words(text: str) -> list[str]:
    """The words and identifiers of a text in normal form."""
    return _word_pattern(text).findall(text)


def _flat(split: tuple[list[str], list[str]]) -> list[str]:
    runs, found = split
    for run in runs:
        found += of_run(run)
    return found


def _word_pattern(text: str) -> re.Pattern[str]:
    """Marks belong to the word (Devanagari vowels), but `\\w` leaves them out, and the pattern that knows them is slow."""
    if text.isascii():
        return _ASCII_WORD
    return _marked_word() if _marks().search(text) else _WORD


@cache
def _marks() -> re.Pattern[str]:
    outside = re.compile(f"[{_UNSPACED}]")
    marks = [chr(code) for code in range(0x300, 0xFE30) if unicodedata.category(chr(code))[0] == "M"]
    return re.compile("[" + "".join(mark for mark in marks if not outside.match(mark)) + "]")


@cache
def _marked_word() -> re.Pattern[str]:
    letter = f"(?:{_LETTER}|{_marks().pattern})"
    return re.compile(f"{_LETTER}{letter}*(?:{_JOINT}{letter}+)*")


# --- one word or identifier ---

_STOP = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of", "on",
    "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
))
"""Lucene's English list. Written in capitals (`IT`, `OR`) they are names and kept."""
_ASKING_WORDS = frozenset((
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "do", "does", "did", "has", "have", "had", "can",
    "could", "would", "should", "were", "been", "being", "you", "your", "i", "me", "my", "we", "our", "please",
))
_ASKING = re.compile(
    "请问|什么样?|哪(?![咤怕])[些个里位种年一]?|谁|怎么样?|怎样|如何|为何|(?<!任)何[时处地人]|多少|多久|多远|多长时间"
    "|几(?=[个次位种])|是否|[吗呢](?=\\s*[?？!！。]|\\s*$)"
)

_MAY = re.compile(
    r"(?<![^\s(])(?!(?:[^\W\d]*\d\w*|in|of|by|to|on|from|mid|late|early|each|every|this|last|next|since|until|before|after) )"
    r"([a-z']+ )may"
    r"(?= (?:i|we|you|he|she|it|they|one|the|an?|this|that|these|those|be|not|have|only)\b)"
)
"""`may` in front of a subject or another verb, and not behind what goes before a month; `May` is one."""

_PARTS = re.compile(r"[^-_./:@>+#']+")
_NUMBERED = re.compile(r"\d+(?:\.\d+)+")
_PLURAL_YEARS = re.compile(r"\d{2,}s")
_HUMPS = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_LETTERS_THEN_DIGITS = re.compile(r"[a-z]{2,}\d")
_VERSION = re.compile(r"v\d")
_SOFT_JOINTS = re.compile(r"(?<!\d)[-_]+|[-_]+(?!\d)")
"""Hyphens and underscores, but not between two digits: 2024-07-01 and 10-20 are not other spellings of numbers."""
_THOUSANDS = re.compile(r"(?<=\d),(?=\d\d\d)")


class _Words(dict[str, tuple[str, ...]]):
    """Word as written -> its terms, worked out once. Texts repeat their words, and to take one apart costs five microseconds."""

    most = 100_000

    def __init__(self, stop: frozenset[str]) -> None:
        super().__init__()
        self._stop = stop

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = tuple(term[:LONGEST] for term in dict.fromkeys(self._terms(word)) if term)
        if len(word) <= LONGEST:
            if len(self) >= self.most:
                self.clear()
            self[word] = found
        return found

    def _terms(self, written: str) -> list[str]:
        word = written.replace("’", "'").replace("‐", "-")
        word = word[:-2] if word.endswith(("'s", "'S")) else word
        word = _THOUSANDS.sub("", word).replace("'", "")
        if len(_PARTS.findall(word)) <= 1:
            return self._simple(word)
        lower = word.casefold()
        if _NUMBERED.fullmatch(lower):  # 2.1.3 answers to 2.1 as well
            return [lower, ".".join(lower.split(".")[:2])]
        return [*_whole(lower), *(term for part in _PARTS.findall(word) for term in self._simple(part))]

    def _simple(self, word: str) -> list[str]:
        """A word without joints, or one with a trailing `++` or `#`."""
        lower = word.casefold()
        if lower in self._stop and not (len(word) > 1 and word.isupper()):
            return []
        found = [_stem(lower)]
        if _HUMPS.search(word):
            found += [_stem(hump.casefold()) for hump in _HUMP.findall(word) if len(hump) > 1]
        elif _PLURAL_YEARS.fullmatch(lower):
            found = [lower[:-1]]
        elif _VERSION.match(lower):
            found.append(lower[1:])
        elif _LETTERS_THEN_DIGITS.match(lower):
            found += [_stem(part) for part in _HUMP.findall(lower)]
        return found


def _whole(lower: str) -> list[str]:
    """An identifier in one piece: `ERR_1042`, `err-1042` and `Err1042` are err1042; v2.1 is 2.1 too."""
    whole = _SOFT_JOINTS.sub("", lower)
    if len(whole) > LONGEST:
        return []
    return [_stem(whole), whole[1:]] if _VERSION.match(whole) else [_stem(whole)]


def _stem(lower: str) -> str:
    """A case-folded word without accents if it is Latin, stemmed if it is then plain letters."""
    if not lower.isascii():
        apart = unicodedata.normalize("NFD", lower)
        if not unicodedata.name(apart[0], "").startswith("LATIN"):
            return unicodedata.normalize("NFC", lower)
        lower = "".join(char for char in apart if not unicodedata.combining(char))
    if not (lower.isascii() and lower.isalpha()) or len(lower) > LONGEST:
        return lower
    from Stemmer import Stemmer  # type: ignore[import-not-found]

    # A stemmer works on a word that it keeps, so threads must not share one; to make one costs less than to stem the word. Its
    # cache (of 10,000 words unless it is told otherwise) would be a second one behind `_Words`.
    stem: str = Stemmer("english", 0).stemWord(lower)
    return stem


_INDEXED = _Words(_STOP)
_ASKED = _Words(_STOP | _ASKING_WORDS)
