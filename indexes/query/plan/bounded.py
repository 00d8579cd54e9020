"""Patterns that somebody else wrote, tried for a while and no longer: `(a+)+$` would make every question wait that meets it.

Python's own engine cannot be stopped. `regex`, which reads the same patterns, can, so it matches those of the files in
`search.rules`; what comes with the product stays with `re`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

SECONDS = 0.25
"""For one pattern and one text. A pattern that is well made needs some microseconds."""

_FUZZY = re.compile(r"(?<!\\)(?:\\\\)*\{(?![\d,])")


class Bounded:
    """A compiled pattern with those methods of `re.Pattern` that rules need. Each raises TimeoutError."""

    def __init__(self, pattern: str) -> None:
        """Raises re.error where it is none."""
        import regex  # type: ignore[import-untyped]

        if _FUZZY.search(pattern):
            raise re.error(r"a brace that does not count is written \{, for `regex` reads {e} as: with errors")
        try:
            self._pattern: Any = regex.compile(pattern)
        except regex.error as error:
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
