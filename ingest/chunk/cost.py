"""What text costs of a child's budget: its size in units, or where they run out first, the tokens it takes of the embedder's
window.

A budget of 300 units is about 280 tokens of Chinese but 700 of English and more of a table of numbers, and what a model with a
window of 512 makes of 700 tokens is a mean of two readings. So a word, and every mark between words, is charged what it takes
of the window where that is more than its share of a unit. The charge depends on the text and the settings alone, never on a
tokenizer: the same document is cut alike whichever model embeds it, and an edit far away changes nothing.

Tokens a word, a character of a script without spaces, a mark: fitted to multilingual-e5-small (XLM-R's pieces) on 2,110
children of 285 documents; nine of ten estimates are within 25 %. What is over the window all the same is reported.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ingest.chunk.units import CHARACTERS_A_THIRD, CJK_PUNCTUATION, CLASSES, DROPPED, THIRDS

_WORD, _CHARACTER, _MARK = 1.5, 0.85, 0.28
"""Tokens of each."""

_WORD_THIRDS, _CHARACTER_THIRDS = 2, 3
PARTS = 100
"""Charges are whole hundredths of a third."""

_NO_MARKS = bytes(
    byte for byte in range(256)
    if (byte < 0x80 and (chr(byte).isspace() or chr(byte).isalnum() or chr(byte) == "'"))
    or (byte >= 0x80 and byte not in (0xC2, 0xE2, 0xEE, 0xEF))
)
"""Everything but the leading bytes of what is neither letter nor space: ASCII's, and those of U+0080, U+2000 and the full-width
forms."""

_FEW = 3
_LETTER = ord("a")
_NO_ACCENTS = bytes(byte for byte in range(256) if not 0xC3 <= byte <= 0xE1)
_ALIGNED = bytes(ord("c") if 0x80 <= byte < 0xC0 else classed for byte, classed in enumerate(CLASSES))
"""As CLASSES, for texts of which nothing is dropped, so that places stay what they are: what continues a character is `c`."""
_APOSTROPHE = re.compile("(?<=[0-9A-Za-z])['’](?=[0-9A-Za-z])")
_MARKS = bytes(ord(" ") if byte in _NO_MARKS else ord("m") for byte in range(256))


class Scale(NamedTuple):
    """Charges in hundredths of a third of a unit."""

    word: int
    character: int
    mark: int

    @staticmethod
    def of(child_max: int, child_tokens: int) -> Scale:
        """Return the charges under which `child_max` units and `child_tokens` tokens run out together. 0 tokens: no limit."""
        token = child_max * THIRDS * PARTS / child_tokens if child_tokens else 0.0
        word, character = round(_WORD * token), round(_CHARACTER * token)
        # Where neither words nor characters are charged more than their units, tokens are no matter, and marks are free.
        bound = word > _WORD_THIRDS * PARTS
        return Scale(
            max(word, _WORD_THIRDS * PARTS), max(character, _CHARACTER_THIRDS * PARTS), round(_MARK * token) if bound else 0
        )

    def cost(self, text: str) -> int:
        """Return what `text` costs, in thirds of a unit: at least its size. Costs of parts sum to that of the whole, or a
        little more."""
        least = -(-len(text) // CHARACTERS_A_THIRD)
        if text.isascii():
            data = text.encode("ascii")
            classes = data.translate(CLASSES, DROPPED)
            charge = self.word * (classes.count(b" a") + classes.startswith(b"a"))
        else:
            data = text.replace("’", "'").encode("utf-8", "surrogatepass")
            classes = data.translate(CLASSES, DROPPED)
            words = classes.count(b" a") + classes.count(b"ha") + classes.startswith(b"a")
            charge = self.word * words + self.character * (classes.count(b"h") - data.count(CJK_PUNCTUATION))
        if self.mark:
            charge += self.mark * len(data.translate(None, _NO_MARKS))
        return max(-(-charge // PARTS), least)

    def costs(self, text: str, spans: list[tuple[int, int]]) -> list[int]:
        """Return what the parts of `text` cost, which follow one another. Classes are told once for all of them: a sentence is
        too short for that to be cheap. Where letters have accents, each part is told by itself."""
        text = _APOSTROPHE.sub("x", text) if "'" in text or "’" in text else text
        data = text.encode("utf-8", "surrogatepass")
        if len(spans) < _FEW or data.translate(None, _NO_ACCENTS):
            return [self.cost(text[start:end]) for start, end in spans]
        ascii_only = len(data) == len(text)
        classes, marks = data.translate(_ALIGNED), data.translate(_MARKS)
        made = []
        last = at = 0
        for start, end in spans:
            if ascii_only:
                begin, stop = start, end
            else:
                begin = at + len(text[last:start].encode("utf-8", "surrogatepass"))
                stop = begin + len(text[start:end].encode("utf-8", "surrogatepass"))
            words = classes.count(b" a", begin, stop) + (classes[begin] == _LETTER)
            charge = self.word * words + self.mark * marks.count(b"m", begin, stop)
            if not ascii_only:
                words = classes.count(b"ca", begin, stop)
                han = classes.count(b"h", begin, stop) - data.count(CJK_PUNCTUATION, begin, stop)
                charge += self.word * words + self.character * han
            made.append(max(-(-charge // PARTS), -(-(end - start) // CHARACTERS_A_THIRD)))
            last, at = end, stop
        return made


PLAIN = Scale.of(1, 0)
"""Charges units only."""
