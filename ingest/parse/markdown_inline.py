"""What stands inside a Markdown paragraph, as a reader sees it: words without emphasis marks, links apart from their targets.

Parsing inline markup is where hostile text makes every CommonMark parser quadratic (ten thousand `[` cost a second), so the
parser is given at most `PIECE_MARKS` opening marks or `PIECE_CHARS` characters at a time, and nothing at all when a
paragraph holds no mark, which most do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.parse.draft import MEANT_BREAK
from ingest.parse.hidden import is_hidden_tag
from ingest.parse.markdown_extras import without_wiki_links

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

PIECE_CHARS = 50_000
PIECE_MARKS = 400
MOST_MARKS = 50_000
"""A paragraph with more marks is no prose (some data in one line of megabytes); it stays as it is written."""

_MARKS = re.compile(r"[\\`*_\[\]<>&!~$]|\^\[|  \n")
_COSTLY = re.compile(r"[\[\]$<&`*_~]")
_INDENT = re.compile(r"(?<![ \t])[ \t]*\n[ \t]*")
_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)([^>]*)>", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_VOID = frozenset({"br", "img", "wbr", "hr", "input", "source", "meta", "link"})
_DANGEROUS = ("javascript:", "data:", "vbscript:")


def parse_inline(state: StateCore) -> None:
    """Rule of markdown-it's core chain, in place of its own `inline`. Text without marks gets no children."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        content = token.content
        if _MARKS.search(content) is None:
            token.content = _INDENT.sub("\n", content) if "\n" in content else content
            continue
        if len(content) > MOST_MARKS and len(_COSTLY.findall(content)) > MOST_MARKS:
            continue
        token.children = []
        for piece in _pieces(content):
            inside: list[Token] = []  # a list of its own: the parser goes over all that the list holds
            if piece.count("[") > 20 + 3 * piece.count("]"):
                inside.append(_text_token(piece))
            else:
                state.md.inline.parse(piece, state.md, state.env, inside)
            token.children += inside


def _text_token(content: str) -> Token:
    """Brackets that can close nothing are text: looking for their other half is what takes the time."""
    from markdown_it.token import Token

    return Token("text", "", 0, content=content)


def _pieces(content: str) -> list[str]:
    """The content as it is, or cut at white space where it would be too costly. A link across a cut loses its target."""
    pieces: list[str] = []
    start = seen = 0
    for mark in _COSTLY.finditer(content):
        at = mark.start()
        seen += 1
        if seen > PIECE_MARKS or at - start > PIECE_CHARS:
            space = max(content.rfind(" ", start, at), content.rfind("\n", start, at))
            # Right here where white space is far: a run of brackets has none.
            cut = space + 1 if space > start + (at - start) // 2 else at
            pieces.append(content[start:cut])
            start, seen = cut, 1
    pieces.append(content[start:])
    return pieces


@dataclass(slots=True)
class Inline:
    """The text of one inline token. `text` has `\\n` for wrapping and MEANT_BREAK for meant breaks."""

    text: str
    links: list[tuple[str, str]] = field(default_factory=list)
    only_images: bool = False
    hidden: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    """What is struck out: it is there to be seen as not holding any more."""
    notes: list[int] = field(default_factory=list)
    """Ids of footnotes written in place, `^[like this]`."""


def render(token: Token) -> Inline:
    """Return what a reader sees of an inline token."""
    children = token.children
    if not children:
        return Inline(token.content)
    if len(children) == 1 and children[0].type == "text" and "[[" not in children[0].content:
        return Inline(children[0].content)
    writer = _Writer()
    for child in children:
        writer.take(child)
    return writer.finish(children)


class _Writer:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._found = Inline("")
        self._open: list[tuple[str, int]] = []
        """Targets of open links, and where their text began."""
        self._struck: list[int] = []
        self._hiding: list[str] = []
        """Open tags since the one that hides."""

    def take(self, child: Token) -> None:
        kind = child.type
        if self._hiding:
            if kind == "html_inline":
                self._close_hidden(child.content)
            elif child.content:
                self._found.hidden.append(child.content)
        elif kind in ("s_open", "s_close"):
            self._strike(kind == "s_open")
        elif kind == "text":
            words, links = without_wiki_links(child.content)
            self._parts.append(words)
            self._found.links += links
        elif kind == "code_inline" or kind.startswith("math_inline"):
            self._parts.append(child.content)
        elif kind == "softbreak":
            self._parts.append("\n")
        elif kind == "hardbreak":
            self._parts.append(MEANT_BREAK)
        elif kind == "link_open":
            self._open.append((str(child.attrs.get("href", "")), len(self._parts)))
        elif kind == "link_close":
            self._end_link()
        elif kind == "image":
            self._parts.append(_alt(child))
        elif kind == "html_inline":
            self._tag(child.content)
        elif kind == "footnote_ref":
            self._footnote(child)

    def _strike(self, opens: bool) -> None:
        if opens:
            self._struck.append(len(self._parts))
        elif self._struck:
            start = self._struck.pop()
            words = "".join(self._parts[start:]).strip()
            del self._parts[start:]
            if words:
                self._found.struck.append(words)

    def finish(self, children: list[Token]) -> Inline:
        found = self._found
        found.text = "".join(self._parts)
        if found.struck:
            found.text = found.text.replace("  ", " ")
        found.only_images = any(c.type == "image" for c in children) and all(
            c.type in ("image", "softbreak", "link_open", "link_close") or (c.type == "text" and c.content.isspace())
            for c in children
        )
        return found

    def _end_link(self) -> None:
        if not self._open:
            return
        target, start = self._open.pop()
        if target and not target.strip().lower().startswith(_DANGEROUS):
            label = "".join(self._parts[start:]).replace("\n", " ").replace(MEANT_BREAK, " ").strip()
            self._found.links.append((label, target))

    def _footnote(self, child: Token) -> None:
        label = child.meta.get("label")
        if label is None:
            self._found.notes.append(child.meta["id"])
            label = f"note {child.meta['id'] + 1}"
        self._parts.append(f"[{label}]")

    def _tag(self, markup: str) -> None:
        match = _TAG.match(markup)
        if match is None:  # a comment, a processing instruction
            return
        closing, tag, rest = match[1], match[2].lower(), match[3]
        attributes = {m[1].lower(): m[2] or m[3] or m[4] or "" for m in _ATTRIBUTE.finditer(rest)}
        if tag == "br":
            self._parts.append(MEANT_BREAK)
        elif tag == "img":
            self._parts.append(attributes.get("alt", ""))
        elif tag == "a" and not closing and "href" in attributes:
            self._open.append((attributes["href"], len(self._parts)))
        elif tag == "a" and closing:
            self._end_link()
        elif not closing and tag not in _VOID and not rest.endswith("/") and _hides(rest, attributes):
            self._hiding.append(tag)

    def _close_hidden(self, markup: str) -> None:
        match = _TAG.match(markup)
        if match is None or match[2].lower() in _VOID or match[3].endswith("/"):
            return
        tag = match[2].lower()
        if not match[1]:
            self._hiding.append(tag)
        elif tag in self._hiding:
            while self._hiding.pop() != tag:
                pass


def _hides(rest: str, attributes: dict[str, str]) -> bool:
    bare = re.sub(_ATTRIBUTE, " ", rest).lower().split()
    return is_hidden_tag({**dict.fromkeys(bare, ""), **attributes})


def _alt(image: Token) -> str:
    if not image.children:
        return image.content
    parts = (_alt(c) if c.type == "image" else " " if c.type.endswith("break") else c.content for c in image.children)
    return "".join(parts)
