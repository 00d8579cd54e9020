"""Chinese speech in the characters that were asked for.

Whisper writes Mandarin in either script as it pleases; the prompt pulls it to one, and OpenCC settles what is left, character
by character: no word of one region becomes that of another.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

PROMPTS = {
    "simplified": "以下是普通话的句子，使用简体中文和标点。",
    "traditional": "以下是普通話的句子，使用繁體中文和標點。",
}
"""Without it the multilingual models write Mandarin in Traditional characters and without punctuation."""


def in_script(text: str, script: str, language: str) -> str:
    """Return Chinese `text` in `script`, any other as it is."""
    return str(_converter(script).convert(text)) if language in ("zh", "yue") else text


@lru_cache(maxsize=2)
def _converter(script: str) -> Any:
    from opencc import OpenCC

    return OpenCC("t2s" if script == "simplified" else "s2t")
