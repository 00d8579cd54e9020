"""Characters of a PDF made into text: what fonts and typesetters do to words is undone here, and nothing else.

Ligatures and the radicals that Chinese fonts put in the place of characters are presentation; full-width forms and the like
are not, and stay as written (search folds them in its own field).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ingest.model.language import CJK, join_lines
from ingest.parse.pdf.page import Item

_PRESENTATION = re.compile("[\ufb00-\ufb06\u2e80-\u2fdf]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff\ufffe\uffff\ue000-\uf8ff]")
_SPACES = re.compile(r"[\s\u00a0\u2000-\u200a\u202f\u3000]+")
_HYPHENS = "-\u00ad\u2010\u0002"
_SPLIT_WORD = re.compile(f"([^\\W\\d_]{{2,}})[{_HYPHENS}]$")
_HAN_GAP = re.compile(f"(?<=[{CJK}]) (?=[{CJK}])")
_CJK_END = re.compile(f"[{CJK}]$")
_WIDE_END = re.compile("[，。、；：！？）】》」』〉]$")
_CJK_START = re.compile(f"[{CJK}]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_CUT_ADDRESS = re.compile(r"\b(?:[a-z]{3,8}://|www\.)(?:[!-~]*[/?&=_%#-])?$", re.IGNORECASE)
_REST_OF_ADDRESS = re.compile(r"[!-~]*?[\d/?&=_%#.-][A-Za-z0-9]")
"""What may follow: `a/1`, not a plain word, with which the sentence goes on."""

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_CAPTION = re.compile(
    r"(?:图|表|图表|插图|清单|附表|附图)\s*[\dA-Z一二三四五六七八九十]|(?i:figure|fig\.|table|listing|exhibit|algorithm|scheme|plate)\s*"
    r"(?:[A-Z]?\d|[A-Z]\b|[IVX]+\b)"
)
_BULLET_FONTS = str.maketrans(
    {"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓", "\uf06c": "●", "\uf06e": "■", "\uf075": "◆"}
)
"""Private characters under which Word's symbol fonts hide the usual bullets."""


def cleaned(text: str) -> str:
    """Return an item's text: one line, no control characters, ligatures and radicals as letters and characters."""
    text = text.translate(_BULLET_FONTS).replace("\u0002", "-")
    text = _CONTROL.sub("", _SPACES.sub(" ", text))
    if _PRESENTATION.search(text):
        text = _PRESENTATION.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return text.strip()


def is_caption(text: str) -> bool:
    """Whether a text starts like the caption of a table or figure and is no longer than one."""
    return bool(_CAPTION.match(text)) and len(text) < 400


def side_by_side(items: Sequence[Item]) -> str:
    """Join the items of a line, given from left to right, in the order in which their script is read. A space where the page
    shows one, none between two Han characters."""
    if any(_RIGHT_TO_LEFT.search(item.text) for item in items):
        return _from_right(items)
    text = items[0].text
    for before, item in pairwise(items):
        gap = item.x0 - before.x1
        both_cjk = bool(_CJK_END.search(before.text)) and bool(_CJK_START.match(item.text))
        spaced = gap > 0.6 * item.size if both_cjk else (before.space_after and gap > -0.5) or gap > 0.16 * item.size
        text += (" " if spaced else "") + item.text
    # Justified Chinese comes with a blank between characters; a single one is never meant, several columns of a form are.
    if len(_HAN_GAP.findall(text)) > 0.3 * len(text):
        text = _HAN_GAP.sub("", text)
    return text


def _from_right(items: Sequence[Item]) -> str:
    """Join the items of a line of Arabic or Hebrew: from the right, but runs of other scripts and numbers from the left."""
    runs: list[list[Item]] = []
    before = True
    for item in reversed(items):
        rightward = not _RIGHT_TO_LEFT.search(item.text)
        if rightward and runs and before:
            runs[-1].insert(0, item)
        else:
            runs.append([item])
        before = rightward
    return " ".join(item.text for run in runs for item in run)


class Words:
    """The words of a document, to tell a word cut at the end of a line from one with a hyphen of its own."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._seen = {word.lower() for text in texts for word in _WORD.findall(text)}

    def joined(self, lines: Sequence[str]) -> str:
        """Join the lines of a paragraph into one."""
        out = lines[0]
        for line in lines[1:]:
            cut = _SPLIT_WORD.search(out)
            rest = _WORD.match(line)
            if _CUT_ADDRESS.search(out) and (out.endswith("://") or _REST_OF_ADDRESS.match(line)):
                out += line
            elif cut and rest and line[0].islower():
                whole, hyphened = cut[1] + rest[0], f"{cut[1]}-{rest[0]}"
                keep = hyphened.lower() in self._seen and whole.lower() not in self._seen
                out = (out[:-1] + "-" if keep else out[:-1]) + line
            elif out[-1:] == "\u00ad":
                out = out[:-1] + line
            else:
                # Full-width punctuation brings its own space.
                out = out + line if _WIDE_END.search(out) else join_lines(f"{out}\n{line}")
        return out
