"""Patterns that somebody else wrote, tried for a while and no longer: `(a+)+$` would make every question wait that meets it.

Python's own engine cannot be stopped. `regex`, which reads the same patterns, can, so it matches those of the files in
`search.rules`; what comes with the product stays with `re`. But it writes out what is repeated before it matches anything:
`(?:a{60000}){60000}` would take all memory there is, so what is larger than `LARGEST` is not compiled.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

SECONDS = 0.25
"""For one pattern and one text. A pattern that is well made needs some microseconds."""
LARGEST = 50_000
"""Characters of a pattern with its repeats written out, at most some 260 bytes each in `regex`, so 13 MB. The largest that comes
with the product has a thousand, and one that lists thousands of names has its own length."""

_FUZZY = re.compile(r"(?<!\\)(?:\\\\)*\{(?![\d,])")
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,\d*)?\}|.", re.DOTALL)
"""An escape, a class, a count (its least number counts: only so often is something written out), or any other character."""


def size(pattern: str) -> int:
    """Return how many characters a pattern has when everything in it is written out as often as it is repeated at least."""
    groups = [0]
    last = 0
    for part in _PART.finditer(pattern):
        if part[0] == "(":
            groups.append(0)
        elif part[0] == ")" and len(groups) > 1:
            last = groups.pop() + 1
            groups[-1] += last
        elif part[1]:
            groups[-1] += last * (int(part[1]) - 1) if int(part[1]) else 0
            last *= max(1, int(part[1]))
        else:
            last = len(part[0])
            groups[-1] += last
    return sum(groups)


class Bounded:
    """A compiled pattern with those methods of `re.Pattern` that rules need. Each raises TimeoutError."""

    def __init__(self, pattern: str) -> None:
        """Raises re.error where it is none."""
        import regex  # type: ignore[import-untyped]

        if _FUZZY.search(pattern):
            raise re.error(r"a brace that does not count is written \{, for `regex` reads {e} as: with errors")
        if size(pattern) > LARGEST:
            raise re.error(
                f"with its repeats written out it has {size(pattern)} characters, and may have {LARGEST}; lower the numbers in "
                "braces, or write several rules"
            )
        try:
            self._pattern: Any = regex.compile(pattern)
        except (regex.error, RecursionError) as error:
            raise re.error(str(error)) from error

    def search(self, text: str) -> re.Match[str] | None:
        found: re.Match[str] | None = self._pattern.search(text, timeout=SECONDS)
        return found

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        until = time.monotonic() + SECONDS
        for found in self._pattern.finditer(text, timeout=SECONDS):  # of `regex`, a timeout is one for each match
            if time.monotonic() > until:
                raise TimeoutError
            yield found

    def sub(self, by: str, text: str) -> str:
        changed: str = self._pattern.sub(by, text, timeout=SECONDS)
        return changed
