"""What kind of thing a question asks for (a time, a price, a number ...), and whether a text tells one at all.

Where a price is asked for and nothing that is said of a thing is one, it is not told. Questions for a name, a reason or anything
else ask for no kind: every text may answer these. What is asked by yes or no, the question says itself, and so does a text that
answers. The words are data (`kinds.toml`).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_WORDS = Path(__file__).with_name("kinds.toml")


def kind_asked(question: str) -> str | None:
    """Return the kind that a question asks for, None where it asks for none of those that are known."""
    return next((name for name, (asked, _) in _kinds().items() if asked.search(question)), None)


def asks_whether(question: str) -> bool:
    """Whether a question is answered by yes or no."""
    return _whether().search(question) is not None


def tells(kind: str | None, text: str) -> bool:
    """Whether a text tells something of a kind."""
    return kind is None or _kinds()[kind][1].search(text) is not None


@cache
def _kinds() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    return {each["name"]: (re.compile(each["asked"], re.I), re.compile(each["told"], re.I)) for each in _read()["kind"]}


@cache
def _whether() -> re.Pattern[str]:
    return re.compile(_read()["whether"], re.I)


def _read() -> dict[str, Any]:
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))
