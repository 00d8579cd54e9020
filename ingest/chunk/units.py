"""How long a text is, in units: one Han, kana or hangul character, or two thirds of a word of any other script.

A unit is roughly what one idea costs in either writing, so one budget serves mixed documents. Sizes are whole numbers of
*thirds* of a unit (a character 3, a word 2): sums are then exact. The ranges of characters are spelled out instead of `\\w`,
so that sizes, and with them ids, do not depend on the Unicode tables of the Python that runs.
"""

from __future__ import annotations

import re

CHARACTERS = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Body of a character class: scripts in which one character is one unit."""

LETTERS = (
    "0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u02ff\u0370-\u10ff\u1200-\u1fff\u2c00-\u2dff\ua640-\uabff"
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
)
"""Body of a character class: what words of the other scripts are made of."""

THIRDS = 3
_RUN = re.compile(f"[{CHARACTERS}]+")
_WORD = re.compile(f"[{LETTERS}]+(?:['’][{LETTERS}]+)*")
_ASCII_WORD = re.compile("[0-9A-Za-z]+(?:'[0-9A-Za-z]+)*")

CHARACTERS_A_THIRD = 8
"""A third of a unit covers at most this many characters: rulers, base64 and scripts without spaces weigh something too."""


def measure(text: str) -> int:
    """Return the size of `text` in thirds of a unit.

    Cutting a text between words gives parts whose sizes sum to that of the whole, or a little more.
    """
    if text.isascii():
        counted = 2 * len(_ASCII_WORD.findall(text))
    else:
        counted = 3 * sum(map(len, _RUN.findall(text))) + 2 * len(_WORD.findall(text))
    return max(counted, -(-len(text) // CHARACTERS_A_THIRD))


def units(text: str) -> int:
    """Return the size of `text` in units, rounded up."""
    return in_units(measure(text))


def in_units(thirds: int) -> int:
    """Return a size in thirds as whole units, rounded up."""
    return -(-thirds // THIRDS)
