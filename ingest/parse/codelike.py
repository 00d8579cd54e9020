"""Whether a line set in a typewriter font is code. The font alone is not enough: memos and addresses are typewritten too."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[={}();<>\[\]$\\|#]|::|->|://|/\w+/|(?:^|\s)--?\w|:\s*$")
_WORDS = re.compile(
    r"\s*(?:import|from|for|if|else|while|def|class|return|select|insert|update|const|let|var|function|public|private|sudo|pip|git|curl|docker)\b",
    re.IGNORECASE,
)


def looks_like_code(text: str) -> bool:
    """Whether a text has the signs of code, a command or a configuration."""
    return bool(_SIGNS.search(text) or _WORDS.match(text))
