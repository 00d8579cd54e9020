"""What is not a source although it lies in a folder of sources.

Three kinds: hidden names and the leftovers of editors and systems (always); patterns of settings and of `.ingestignore` files
in gitignore syntax, each for its folder and below, the deepest file that says something wins, as in git.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TypeAlias

from ingest.errors import SettingsInvalid

Pattern: TypeAlias = "tuple[bool, re.Pattern[str]]"

IGNORE_FILE = ".ingestignore"

_LEFTOVERS = (".tmp", ".temp", ".swp", ".swo", ".part", ".crdownload", "~")
_SYSTEM = frozenset(("thumbs.db", "desktop.ini", "icon\r"))


def is_leftover(name: str) -> bool:
    """Whether a name is hidden, an editor's temporary file or lock, or something that an operating system left behind."""
    if name[0] == "." or name.startswith(("~$", "#")):
        return name[0] != "#" or name.endswith("#")
    lowered = name.lower()
    return lowered.endswith(_LEFTOVERS) or lowered in _SYSTEM


class Ignoring:
    """The patterns in force in one folder: those of its own file, then of the folders above, then of settings."""

    __slots__ = ("_above", "_patterns", "_prefix")

    def __init__(self, patterns: list[Pattern], prefix: str = "", above: Ignoring | None = None) -> None:
        self._patterns = patterns
        self._prefix = prefix
        self._above = above

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether `path` (relative to the root, as `spelled`) is ignored. Its parents must not be."""
        at: Ignoring | None = self
        while at is not None:
            local = path[len(at._prefix) :]
            for said, regex in at._patterns:
                if _matches(regex, local, is_folder):
                    return said
            at = at._above
        return False


def _matches(regex: re.Pattern[str], path: str, is_folder: bool) -> bool:
    """Whether a pattern names this very entry.

    The one group of pathspec's expressions is the slash after the folder that matched. The folders above were asked before, so
    a match that ends at one of them says nothing here: else `!drafts` would bring back files in it that another pattern ignores.
    """
    found = regex.search(path)
    if found is not None and not any(found.groups()):
        return True
    # Searched for, not matched: the expression of `*/` is a lone slash, which is to be the last one.
    return is_folder and any(any(one.groups()) and one.end() == len(path) + 1 for one in regex.finditer(path + "/"))


def of_settings(patterns: tuple[str, ...]) -> Ignoring | None:
    """Return the patterns of settings, None where there are none. Raises SettingsInvalid."""
    if not patterns:
        return None
    try:
        return Ignoring(_compiled(patterns))
    except ValueError as error:
        raise SettingsInvalid(f"sources.ignore has a pattern that cannot be read: {error}") from error


def with_file(above: Ignoring | None, prefix: str, data: bytes) -> Ignoring:
    """Return `above` with an `.ingestignore` of the folder `prefix` (empty, or ending in a slash). Raises ValueError."""
    text = data.decode("utf-8-sig", "surrogateescape")
    return Ignoring(_compiled(text.splitlines()), prefix, above)


def _compiled(lines: Iterable[str]) -> list[Pattern]:
    """(whether it ignores or brings back, its expression) of each pattern, the last one first: it is the one that counts."""
    from pathspec import GitIgnoreSpec

    try:
        # The engine is named: "best" depends on what else is installed. Paths are NFC, so patterns must be.
        spec = GitIgnoreSpec.from_lines([unicodedata.normalize("NFC", line) for line in lines], backend="simple")
    except re.error as error:
        raise ValueError(str(error)) from error
    patterns = reversed(list(spec.patterns))
    return [(one.include, one.regex) for one in patterns if one.include is not None and one.regex is not None]
