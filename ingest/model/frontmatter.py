"""Where the front matter of a text ends and its body begins, and whether a rule about readers was missed on the way.

In: the decoded text of a document. Out: the raw block (YAML or TOML, not interpreted here), the body, and how many lines
stand before it. The decision worth knowing: a document whose author *meant* to restrict it must never be read as open. So
everything near the top that looks like an access key without being in a block that can be read (dashes of the wrong kind, a
full-width colon, a fence that is missing, indented or below the title) is a `problem`, and a problem withdraws the document.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

ACCESS_KEYS = ("allowed_users", "allow_users", "users", "allowed_roles", "tenant", "level")
"""The keys that say who may see a document, in their normal form (see `normal_key`)."""

_OPENING = re.compile(r"(?:---|\+\+\+)[ \t\u00a0\u3000]*(?:[\r\n\x85\u2028\u2029]|\Z)")

_HEAD_LINES = 60
"""How far down a misplaced block is looked for. Later ones are content: a rule about readers stands at the top."""

_HEAD_CHARACTERS = 20_000

_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029]|\Z)")
"""The line breaks of YAML 1.1, so that the splitter and the YAML reader never disagree on what a line is."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`raw` is the block without its fences, line breaks as LF; None when there is none, and then `body` is the text.

    `lines` counts the source lines before the body. `problem` says in a sentence why the block cannot be trusted; the
    document must then be withdrawn, whatever else could be read.
    """

    raw: str | None
    body: str
    lines: int
    problem: str | None
    syntax: Literal["yaml", "toml"] = "yaml"


def split(text: str) -> FrontMatter:
    """Split a text at the end of its front matter: `---` on the first line to `---` or `...`, or `+++` to `+++`."""
    text = text.lstrip("\ufeff")
    if text.startswith("---") and _OPENING.match(text):
        return _yaml_block(text)
    if text.startswith("+++") and _OPENING.match(text):
        return _toml_block(text)
    return FrontMatter(None, text, 0, _glued(text) or _missed(text))


def normal_key(key: str) -> str:
    """Return a key as it is compared: NFKC, without invisible characters, casefolded, `-` and spaces as `_`."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", key)).casefold()
    return re.sub(r"[\s\-]", "_", unicodedata.normalize("NFKC", visible).strip())


def access_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield (index, normal key) where a line begins like one of `ACCESS_KEYS` or, in braces, has one; comments do not."""
    for index, line in enumerate(lines):
        plain = _plain(line)
        if plain.startswith("#"):
            continue
        found = [_EXACT.match(plain)] if "{" not in plain[:3] else _EXACT_INSIDE.finditer(plain)
        for one in found:
            if one:
                yield index, re.sub(r"[\s\-]", "_", one[1])


# --- the two kinds of block


def _yaml_block(text: str) -> FrontMatter:
    lines, end, at = _until(text, ("---", "..."))
    if end is None:
        return FrontMatter(None, text, 0, _never_closed(lines) or _missed(text))
    raw, body = "\n".join(lines[1:end]), text[at:]
    if not _is_mapping(lines[1:end]):
        hidden = _anywhere(lines[1:end]) or _without_colon(lines[1:end])
        problem = hidden and f"the first block is not front matter (`key: value` lines), but has {hidden}"
        return FrontMatter(None, text, 0, problem or _missed(text))
    # Of a block with nothing in it, the closing fence may be the opening one.
    return FrontMatter(raw, body, end + 1, _slipped_below(body) or _missed(body if raw.strip() else "---\n" + body))


def _toml_block(text: str) -> FrontMatter:
    lines, end, at = _until(text, ("+++",))
    block = lines[1:] if end is None else lines[1:end]
    raw = "\n".join(block)
    try:
        tomllib.loads(raw)
        readable = True
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        readable = False
    if end is not None and readable:
        return FrontMatter(raw, text[at:], end + 1, _slipped_below(text[at:]) or _missed(text[at:]), "toml")
    hidden = _anywhere(block if end is not None else block[:_HEAD_LINES])
    wrong = "is never closed" if end is None else "cannot be read"
    if hidden:
        return FrontMatter(None, text, 0, f"the TOML front matter {wrong} and has {hidden}")
    if next((True for line in block if _TOML_KEY.match(line)), False):
        return FrontMatter(None, text, 0, f"the TOML front matter {wrong}; write `key = \"value\"` lines between two `+++`")
    return FrontMatter(None, text, 0, _missed(text))


def _until(text: str, closers: tuple[str, ...]) -> tuple[list[str], int | None, int]:
    """The lines up to the first closer and with it, its index (None: there is none), and where the body begins."""
    lines: list[str] = []
    for found in _LINE.finditer(text):
        line = found.group().rstrip("\r\n\x85\u2028\u2029")
        lines.append(line)
        if len(lines) > 1 and line.rstrip(_SPACE) in closers:
            return lines, len(lines) - 1, found.end()
        if found.end() == len(text):
            break
    return lines, None, len(text)


def _is_mapping(block: list[str]) -> bool:
    """Whether a block between two fences is meant as keys and values; YAML itself judges it later. Empty ones are.

    The first line decides, or half of the lines at the margin: a block whose first key is misspelt is no prose.
    """
    lines = [line for line in block if line.strip() and not line.lstrip().startswith("#")]
    if not lines or _KEY.match(lines[0]) or re.match(r"\{(?![{%])|\?\s", lines[0].lstrip()):
        return True
    margin = [line for line in lines if not line[0].isspace()] or [line.lstrip() for line in lines]
    margin = [line for line in margin if not line.startswith(("- ", "* ", "> "))]
    keys = sum(1 for line in margin if line[0] == ":" or _KEY.match(line.lstrip("-*[]{}&@!%'\"|,")))
    return keys > 0 and 2 * keys >= len(margin)


def _slipped_below(body: str) -> str | None:
    """An access key on the line right below the closing fence, where text begins with a blank line or a heading."""
    first = body[:400].splitlines()[:1]
    key = next((key for _, key in access_lines(first)), None)
    return key and f"the access key {key!r} stands below the fence that closes front matter; move it above"


def _glued(text: str) -> str | None:
    """Keys between an opening fence that is not alone on its line and a proper closing one: their first line is lost."""
    if not re.match(r"---+[^\S\r\n]*[^-\s]", text):
        return None
    lines, end, _ = _until(text[:_HEAD_CHARACTERS], ("---", "..."))
    if end is None or end > _HEAD_LINES or not any(line.strip() for line in lines[1:end]) or not _is_mapping(lines[1:end]):
        return None
    return "its first line is more than `---`, so the keys below are no front matter; put `---` alone on the first line"


def _never_closed(lines: list[str]) -> str | None:
    for line in lines[1:]:
        if line.strip():
            opens = _KEY.match(line.lstrip())
            return "the front matter that `---` opens is never closed; end it with a line `---`" if opens else None
    return None


# --- what an author may have meant


def _missed(text: str) -> str | None:
    """A sentence about an access key near the top of a text that no block takes, or None.

    Looked at: a block behind anything like a fence; a first paragraph of keys with no opening fence. Not looked at: code
    fences (documents show front matter to their readers), unless one opens the document.
    """
    lines = [_plain(line) for line in _head(text)]
    for index in _fences(lines):
        key = _key_behind(lines, index)
        if key is not None:
            return (
                f"line {key[0] + 1} looks like the access key {key[1]!r} outside front matter; "
                "front matter begins with `---` on the very first line and ends with `---`"
            )
    leading = _leading_key(lines)
    return leading and f"it begins with the access key {leading!r}, but no line `---` opens front matter above it"


def _head(text: str) -> list[str]:
    """The first lines, split at everything that any program takes for a line break; none where no access key can be."""
    head = text[:_HEAD_CHARACTERS]
    words = _plain(head)
    if not any(word in words for word in ("user", "role", "tenant", "level")):
        return []
    return head.splitlines()[:_HEAD_LINES]


def _fences(lines: list[str]) -> Iterator[int]:
    """Indexes of lines that look like a fence of any make, outside code."""
    code: str | None = None
    begun = False
    for index, line in enumerate(lines):
        opens = re.match(r"`{3,}|~{3,}", line)
        if code is not None:
            if line.startswith(code) and not line.strip(code[0]):
                code = None
        elif opens and begun:
            code = opens[0]
        elif opens or _FENCE.match(line):
            yield index
        begun = begun or line.startswith("#") or not _is_noise(line)


def _key_behind(lines: list[str], fence: int) -> tuple[int, str] | None:
    """The first access key behind a fence, and its line: on the fence's own line, in the block that another fence closes
    when nothing stands above it, or in the run of lines that could be metadata."""
    glued = _EXACT_GLUED.search(lines[fence])
    if glued:
        return fence, glued[1]
    closed = None
    if all(_is_noise(line) for line in lines[:fence]):
        closed = next((i for i in range(fence + 1, len(lines)) if _FENCE.match(lines[i])), None)
    block = lines[fence + 1 : closed] if closed else _metadata_run(lines[fence + 1 :])
    return next(((fence + 1 + index, key) for index, key in access_lines(block)), None)


def _metadata_run(lines: list[str]) -> list[str]:
    run: list[str] = []
    for line in lines:
        if line and not (line[0] in "-#{}[]?\"'" or _LOOSE_KEY.match(line)):
            break
        run.append(line)
    return run


def _leading_key(lines: list[str]) -> str | None:
    """An access key in the first paragraph, where that is metadata whose opening fence is missing: the key has a name that
    prose has not, a fence closes the paragraph, or another key of ours keeps it company."""
    start = next((index for index, line in enumerate(lines) if not _is_noise(line)), len(lines))
    titled = any(line.startswith("#") for line in lines[:start])
    end = next((index for index in range(start, len(lines)) if not lines[index] or _FENCE.match(lines[index])), len(lines))
    paragraph = lines[start:end]
    closed = bool(_FENCE.match(next(filter(None, lines[end:]), "")))
    company = {normal_key(found[1]) for line in paragraph if (found := _LOOSE_KEY.match(line))} & _COMPANY
    for _, key in access_lines(paragraph):
        if "_" in key or closed or (company and not titled):
            return key
    return None


def _anywhere(block: list[str]) -> str | None:
    """What looks like an access key anywhere in a block, for the message."""
    for line in block:
        found = None if line.lstrip().startswith("#") else _ANYWHERE.search(_plain(line))
        if found:
            return f"what looks like the access key {found[1]!r}"
    return None


def _without_colon(block: list[str]) -> str | None:
    """An access key whose colon is missing, in a block of a few words a line: neither keys nor sentences."""
    lines = [plain for line in block if (plain := _plain(line))]
    if any(len(line.split()) > 4 or line[-1] in ".。!?;；" for line in lines):
        return None
    found = next((one for line in lines if (one := _BARE.match(line))), None)
    return f"what looks like the access key {found[0]!r} without its colon" if found else None


def _is_noise(line: str) -> bool:
    """Lines that may stand above front matter in a file somebody broke: blank, comments, headings, markup declarations."""
    return not line or line.startswith(("#", "<!", "-->", "<?", "%", "//", "/*", "*/"))


def _plain(line: str) -> str:
    """Text for comparing: NFKC (full-width forms become ASCII), without invisible characters, casefolded, stripped."""
    if not line.isascii():
        line = _INVISIBLE.sub("", unicodedata.normalize("NFKC", line))
    return line.casefold().strip(_SPACE)


_SPACE = " \t\f\v\u00a0\u3000\ufeff"
_INVISIBLE = re.compile(  # format characters, combining accents and variation selectors
    "[\u00ad\u0300-\u036f\u0600-\u0605\u061c\u06dd\u070f\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0001-\U000e007f\U000e0100-\U000e01ef]"
)
_COLON = r"[:=\u2236\ua789\u02d0\uff1a]"
_FENCE = re.compile(
    r"(?:[^\w\s#|<>`]{2,}|(?:[-*_]\s*){2,}|_{2,}|[\u2014\u2015\u2500\u2501])\s*$|[-\u2010-\u2015\u2212\u2500\u2501]{3,}"
    r"|(?!\|).{0,3}--+.{0,3}$"
)
"""Anything that somebody may have typed for `---`: hyphens and dashes of every length, box lines, `+++`, `***`, `...`, typos."""
_ANYWHERE = re.compile(
    r"(?:^|[\s{,\[(\"'`\-])"
    r"(allow(?:ed)?[\s_\-]*(?:users?|roles?)|users?|roles?|tenants?|levels?|acls?|den(?:y|ied)[\s_\-]*\w*)"
    rf"[\"'`*]*\s*{_COLON}"
)
_NAMES = r"(allow(?:ed)?[\s_\-]*users?|allowed[\s_\-]*roles?|users|tenant|level)"
_EXACT = re.compile(rf"[^\w#]*{_NAMES}[\"'`*_]*\s*{_COLON}")
_EXACT_INSIDE = re.compile(rf"(?:^|[^\w]){_NAMES}[\"'`*_]*\s*{_COLON}")
_EXACT_GLUED = re.compile(rf"{_NAMES}[\"'`*_]*\s*{_COLON}")
_BARE = re.compile(rf"[^\w#]*(?:{_NAMES}(?!\w)|(?:user|role)\W*$)")
_WORD = r"(?:[^\s:,.;。，；、]|:(?=\S))"
_KEY = re.compile(
    rf"""(?:"[^"]*"|'[^']*'|(?![#:\-\[\]{{}}&*!|>%@`"'?]){_WORD}+(?:\s{_WORD}+){{0,3}})\s*:(?:\s|$)"""
)
"""A YAML key as people write it: quoted, or up to four words without punctuation, and a colon with a space or line end."""
_LOOSE_KEY = re.compile(rf"[\W_]*(\w[\w \-.]{{0,40}}?)[\"'`*]*\s*{_COLON}")
_TOML_KEY = re.compile(r"\s*[\w\-\"'.]+\s*=")
_COMPANY = frozenset(("title", "document", "version", "status", "valid_from", "valid_until", "supersedes", "language", "scope"))
