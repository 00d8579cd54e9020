"""What the name of a font tells of its letters: bold, slanted, of one width."""

from __future__ import annotations

import re

_BOLD = re.compile(r"bold|heavy|black|semibold|demi|-medi\b|medi$|simhei|heiti|黑体", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obliq|slanted|-it\b|cmti|cmsl", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consolas|menlo|typewriter|cmtt|sourcecode|fira ?code|inconsolata|nimbusmon", re.IGNORECASE)


def names_bold(font: str) -> bool:
    return bool(_BOLD.search(font))


def names_italic(font: str) -> bool:
    return bool(_ITALIC.search(font))


def names_mono(font: str) -> bool:
    return bool(_MONO.search(font))
