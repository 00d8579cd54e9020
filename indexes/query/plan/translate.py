"""A question in the words of the other language, Chinese or English, for BM25: what each may be there (`lexicon.py`).

    背景噪声多大  ->  background; (noise | din)          How heavy is it?  ->  (沉重 | 笨重 | 重型 ...)

Words that both share (numbers, codes, Latin names) stay what they are. Chinese is cut into the longest words that the lexicon
has; English phrases of up to three words are looked up before their words. A word weighs as many terms as it is in its own
language, whatever stands for it, and one that the lexicon lacks is asked for all the same: it is held against every row, so that
what cannot be translated does not look met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexes.bm25.terms import normal, of_run, query_terms, unasked
from indexes.query.plan.lexicon import Lexicon
from ingest.protocols import Asked

_RUN = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W_](?:[\w./\-]*\w)?")
_LONGEST_PHRASE = 3
_PARTICLES = frozenset("的了在是给和与把被有对为从到向于能可要会怎请问哪几多少什么谁何吗呢吧这那其之也都就又不没及或并等个们")


def is_chinese(text: str) -> bool:
    """Whether a question is read as Chinese: it has Chinese in it."""
    return _RUN.search(text) is not None


def translated(text: str, lexicon: Lexicon) -> list[Asked]:
    """Return what a text asks for in the other language, each word as one thing; nothing where none of its words is known."""
    shared = _RUN.sub(" ", normal(text))
    if is_chinese(text):
        found = list(_from_chinese(text, lexicon))
        return [*found, *(Asked(((term,),)) for term in query_terms(shared))] if any(each.ways for each in found) else []
    found = list(_from_english(shared, lexicon))
    return found if any(len(each.ways) > 1 for each in found) else []


def _from_chinese(text: str, lexicon: Lexicon) -> Iterator[Asked]:
    for run in _RUN.findall(unasked(text)):
        for word in _cut(run, lexicon):
            if word not in _PARTICLES:
                shares = lexicon.english(word)
                yield Asked(tuple((term,) for term in shares), tuple(shares.values()), len(of_run(word)))


def _cut(run: str, lexicon: Lexicon) -> Iterator[str]:
    """A run of Chinese in words, from the left, each as long as can be."""
    at = 0
    while at < len(run):
        ends = range(min(len(run), at + lexicon.longest), at + 1, -1)
        end = next((end for end in ends if run[at:end] in lexicon), at + 1)
        yield run[at:end]
        at = end


def _from_english(text: str, lexicon: Lexicon) -> Iterator[Asked]:
    words = _WORD.findall(text)
    asking = frozenset(query_terms(text))
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
            phrase = " ".join(words[at : at + length]).lower()
            own = [term for term in query_terms(phrase) if term in asking]
            shares = lexicon.chinese(phrase) if own else {}
            if shares or length == 1:
                at += length
                break
        ways = {tuple(_pairs(word)): share for word, share in shares.items()} | {(term,): 1.0 for term in own if length == 1}
        if ways:
            yield Asked(tuple(ways), tuple(ways.values()), float(length))


def _pairs(word: str) -> list[str]:
    """What a row has that has a Chinese word."""
    return [term for term in of_run(word) if len(term) == 2] or [word]
