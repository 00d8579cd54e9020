"""Domains in a text: behind `@`, behind a scheme, and bare where nothing else could be meant.

File names, members of objects and sentences without a space after their full stop look like hosts, because `py`, `md`, `sh`,
`id` and `is` are top-level domains. A bare host therefore wants a domain that people use, and one that is also a suffix of
files or a word wants more: `www.`, or two dots.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files

_LABEL = r"[0-9A-Za-z](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z])?"
_LETTERS = r"0-9A-Za-z\u00c0-\u024f\u3400-\u9fff"
_WIDE = rf"[{_LETTERS}](?:[{_LETTERS}-]{{0,61}}[{_LETTERS}])?"
_MAIL = re.compile(
    rf"(?<![0-9A-Za-z._%+/:-])[0-9A-Za-z][0-9A-Za-z._%+-]{{0,63}}@((?:{_LABEL}\.)+[A-Za-z][A-Za-z-]{{0,61}}[A-Za-z])"
)
_URL = re.compile(
    r"(?<![0-9A-Za-z])(?:https?|ftps?|wss?|sftp|git|ssh|ldaps?)://(?:[\w.%+-]+(?::[^@/\s]*)?@)?"
    rf"((?:{_WIDE}\.)+[A-Za-z][A-Za-z0-9-]{{0,61}}[A-Za-z0-9])",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![0-9A-Za-z_@./\\$-])((?:{_LABEL}\.)+([A-Za-z]{{2,12}}))(?![0-9A-Za-z_(=\[]|[.@-][0-9A-Za-z])")

_SUFFIXES = tomllib.loads(files("entities.identifiers").joinpath("suffixes.toml").read_text(encoding="utf-8"))
_USED, _AMBIGUOUS = frozenset(_SUFFIXES["used"].split()), frozenset(_SUFFIXES["ambiguous"].split())
_REVERSED = frozenset(("com", "org", "net", "io", "cn", "java", "javax", "os", "sys", "self", "this"))
"""First labels of package and member names: `com.example.app`, `os.path.in`."""


def of_mail(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the domains of mail addresses."""
    for match in _MAIL.finditer(text):
        yield match.start(1), match.end(1), match[1]


def of_pages(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the hosts of URLs, and bare ones."""
    for match in _URL.finditer(text):
        yield match.start(1), match.end(1), match[1]
    for match in _BARE.finditer(text):
        if _is_bare(match[1]):
            yield match.start(1), match.end(1), match[1]


def _is_bare(host: str) -> bool:
    if host not in (host.lower(), host.upper()):
        return False
    labels = host.lower().split(".")
    if labels[0] == "www" and len(labels) > 2:
        return True
    if labels[-1] not in _USED or labels[0] in _REVERSED or labels[-2].isdigit():
        return False
    return len(labels) > 2 or (labels[-1] not in _AMBIGUOUS and len(labels[0]) > 1)
