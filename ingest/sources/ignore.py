"""What is not a source although it lies in a folder of sources.

Three kinds: hidden names and the leftovers of editors and systems (always); patterns of settings and of `.ingestignore` files
in gitignore syntax, each for its folder and below, the deepest file that says something wins, as in git.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ingest.errors import SettingsInvalid

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

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

    __slots__ = ("_above", "_prefix", "_spec")

    def __init__(self, spec: GitIgnoreSpec, prefix: str = "", above: Ignoring | None = None) -> None:
        self._spec = spec
        self._prefix = prefix
        self._above = above

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether `path` (relative to the root, as `spelled`) is ignored. Its parents must not be."""
        at: Ignoring | None = self
        while at is not None:
            local = path[len(at._prefix) :]
            said = at._spec.check_file(local + "/" if is_folder else local).include
            if said is not None:
                return said
            at = at._above
        return False


def of_settings(patterns: tuple[str, ...]) -> Ignoring | None:
    """Return the patterns of settings, None where there are none. Raises SettingsInvalid."""
    if not patterns:
        return None
    try:
        return Ignoring(_spec(patterns))
    except ValueError as error:
        raise SettingsInvalid(f"sources.ignore has a pattern that cannot be read: {error}") from error


def with_file(above: Ignoring | None, prefix: str, data: bytes) -> Ignoring:
    """Return `above` with an `.ingestignore` of the folder `prefix` (empty, or ending in a slash). Raises ValueError."""
    text = data.decode("utf-8-sig", "surrogateescape")
    return Ignoring(_spec(text.splitlines()), prefix, above)


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        # The engine is named: "best" depends on what else is installed. Paths are NFC, so patterns must be.
        return GitIgnoreSpec.from_lines([unicodedata.normalize("NFC", line) for line in lines], backend="simple")
    except re.error as error:
        raise ValueError(str(error)) from error
