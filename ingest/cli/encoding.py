"""Names of files and arguments are UTF-8, whatever the locale: another one must not make other sources of the same files.

In a locale of another encoding Python reads names of files as that, and a name that is read otherwise is another name. So the
command starts once more in Python's UTF-8 mode, before it has done anything. What people see keeps the encoding of their
terminal.
"""

from __future__ import annotations

import os
import sys


def insist_on_utf8() -> None:
    """Return where names are UTF-8; elsewhere start this command again so that they are."""
    if sys.getfilesystemencoding() == "utf-8" or os.environ.get("PYTHONUTF8") == "1":
        return
    terminal = (sys.stdout.encoding or "").lower()
    if terminal not in ("", "ascii", "ansi_x3.4-1968", "us-ascii"):
        os.environ.setdefault("PYTHONIOENCODING", f"{terminal}:backslashreplace")
    os.environ["PYTHONUTF8"] = "1"
    os.execv(sys.executable, [os.fsencode(sys.executable), *map(_utf8, sys.orig_argv[1:])])  # noqa: S606  # ourselves


def _utf8(argument: str) -> bytes:
    """An argument as UTF-8: as it was given if it is that, because a shell completes names with the bytes on the disk, and
    otherwise what it says in the encoding of the locale."""
    given = os.fsencode(argument)
    try:
        given.decode("utf-8")
    except UnicodeDecodeError:
        return argument.encode("utf-8", "surrogateescape")
    return given
