"""Headings that ask: the section under one is an answer, found by its question."""

from __future__ import annotations

import re

from ingest.chunk.subject import without_numbering

_EN = re.compile(r"(?:how|what|why|when|where|who|which|can|could|do|does|did|is|are|should|will|may)\b.{3,}", re.IGNORECASE)
_ZH = re.compile(
    r"(?:如何|怎样|怎么|为什么|为何|什么是|何时|哪些|哪个|是否|能否|可否|多久|多少|谁).{2,}|.{2,}(?:怎么办|吗|呢|是什么|有哪些|多少钱|多久|怎么(?:做|处理|设置|办))$"
)


def asks(heading: str) -> bool:
    """Whether a heading is a question: it ends in a question mark, or in Chinese says so by its words."""
    bare = without_numbering(heading)
    if bare[-1:] in "?？":
        return bool(_EN.match(bare) or not bare.isascii())
    return _ZH.fullmatch(bare) is not None
