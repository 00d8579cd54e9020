"""How a file's name is spelled in paths, identities and citations.

In: a name as the file system has it (any bytes). Out: NFC text without separators, control characters or broken bytes; what
cannot stay is written as `%` and two hex digits. File systems that compare names differently (macOS stores NFD) then give the
same path, and every path can be printed, stored and sent.
"""

from __future__ import annotations

import os
import re
import unicodedata

SIDECAR_SUFFIX = ".meta.yaml"
MOST_SIDECAR_BYTES = 1024 * 1024

_ODD = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def spelled(name: str) -> str:
    """Return one component of a path as it enters identities. `name` comes from `os.scandir` or the command line."""
    if name.isascii() and not _ODD.search(name):
        return name
    return _ODD.sub(_escaped, unicodedata.normalize("NFC", name))


def is_odd(name: str) -> bool:
    """Whether `spelled` has to escape something: worth telling whoever can rename the file."""
    return bool(_ODD.search(name))


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(found[0]))
