"""A question in the words of the other language, Chinese or English, for BM25: what each may be there (`lexicon.py`).

    背景噪声多大  ->  background; (noise | din)          How heavy is it?  ->  (沉重 | 笨重 | 重型 ...)

Words that both share (numbers, codes, Latin names) stay what they are. Chinese is cut into the longest words that the lexicon
has; English phrases of up to three words are looked up before their words. Of what a word may be only what rows say counts: the
collection has made its choice among the twenty words for `connection`. A word weighs as many terms as it is in its own language,
whatever stands for it, and one that the lexicon lacks is asked for all the same: it is held against every row, so that what
cannot be translated does not look met.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from indexes.bm25.terms import normal, of_run, query_terms, unasked
from indexes.query.plan.lexicon import Lexicon
from ingest.protocols import Asked

_RUN = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W_](?:[\w./\-]*\w)?")
_LONGEST_PHRASE = 3
_LIKELIEST = 8
"""Translations of a word that rows are asked for; twice as many find the same."""
_PARTICLES = frozenset("的了在是给和与把被有对为从到向于能可要会怎请问哪几多少什么谁何吗呢吧这那其之也都就又不没及或并等个们")


def is_chinese(text: str) -> bool:
    """Whether a question is read as Chinese: it has Chinese in it."""
    return _RUN.search(text) is not None


Said = Callable[[Collection[str]], Collection[str]]
"""Returns those of some terms that rows hold."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question. `ways`: what it may be in the other language, each as its terms, with how likely that is; `weight`:
    how many terms it is in its own; `itself`: what it is as it stands, if a row of the other language may have that."""

    ways: Mapping[tuple[str, ...], float]
    weight: float
    itself: tuple[str, ...] = ()


def translated(text: str, lexicon: Lexicon, said: Said) -> list[Asked]:
    """Return what a text asks for in the other language, each word as one thing; nothing where none of its words is known.
    `said`: of what a word may be, what no row says counts for nothing."""
    shared = _RUN.sub(" ", normal(text))
    if is_chinese(text):
        words = [*_from_chinese(text, lexicon), *(_Word({}, 1.0, (term,)) for term in query_terms(shared))]
    else:
        words = list(_from_english(shared, lexicon))
    held = said({term for word in words for way in word.ways for term in way})
    return [_asked(word, held) for word in words] if held else []


def _asked(word: _Word, held: Collection[str]) -> Asked:
    likely = {way: weight for way, weight in word.ways.items() if all(term in held for term in way)}
    best = sorted(likely.items(), key=lambda item: (-item[1], item[0]))[:_LIKELIEST]
    whole = sum(weight for _, weight in best)
    shares = {way: weight / whole for way, weight in best}
    if word.itself:
        shares[word.itself] = 1.0
    return Asked(tuple(shares), tuple(shares.values()), word.weight)


def _from_chinese(text: str, lexicon: Lexicon) -> Iterator[_Word]:
    for run in _RUN.findall(unasked(text)):
        for word in cut(run, lexicon):
            if word not in _PARTICLES:
                yield _Word({(term,): share for term, share in lexicon.english(word).items()}, len(of_run(word)))


def cut(run: str, lexicon: Lexicon) -> Iterator[str]:
    """A run of Chinese in words, from the left, each as long as can be."""
    at = 0
    while at < len(run):
        ends = range(min(len(run), at + lexicon.longest), at + 1, -1)
        end = next((end for end in ends if run[at:end] in lexicon), at + 1)
        yield run[at:end]
        at = end


def _from_english(text: str, lexicon: Lexicon) -> Iterator[_Word]:
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
        itself = tuple(own) if length == 1 else ()
        if shares or itself:
            ways: dict[tuple[str, ...], float] = defaultdict(float)
            for word, share in shares.items():
                ways[tuple(_pairs(word))] += share
            yield _Word(ways, float(length), itself)


def _pairs(word: str) -> list[str]:
    """What a row has that has a Chinese word."""
    return [term for term in of_run(word) if len(term) == 2] or [word]
