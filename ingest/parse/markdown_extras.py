"""What documentation tools add to Markdown, brought into a form that the parser knows, line for line.

Tabs of MkDocs and directives of MyST become admonitions and containers; lists of attributes, imports of MDX and the tags of site
generators, which no reader of the site sees, are taken out and counted. Code is left alone. Lines stay as many as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.model.document import Omission

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

NOTES = frozenset(
    {
        "note", "tip", "warning", "caution", "danger", "important", "info", "hint", "attention", "error", "success", "question",
        "faq", "help", "example", "quote", "cite", "bug", "failure", "abstract", "summary", "tldr", "todo", "seealso", "see-also",
        "admonition", "check", "done", "fail", "missing", "notice", "secondary", "primary", "alert", "custom-block",
        "注意", "提示", "警告", "说明", "重要",
    }
)  # fmt: skip
FOLDED = frozenset({"details", "dropdown", "collapse", "spoiler", "accordion"})
_ASKING = frozenset({"question", "faq", "help"})
_SILENT = frozenset({"tab", "tabs", "custom-block", "admonition", "secondary", "primary", "alert"})

_FENCE = re.compile(r"( {0,3}|\s+)(`{3,}|~{3,}|:{3,})(.*)$")
_TAB = re.compile(r'(\s*)===[!+]?\s+("[^"]*"|\'[^\']*\')\s*$')
_DIRECTIVE = re.compile(r"\s*\{([\w-]+)\}\s*(.*)$")
_ATTRIBUTE = r"(?:[#.][\w:.-]+|[\w-]+=(?:\"[^\"]*\"|'[^']*'|[^\s\"'{}]+))"
_ATTRIBUTES = re.compile(rf"\{{:?[ \t]*{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*[ \t]*\}}[ \t]*")
MOST_NESTED = 20
"""Containers in containers; for each the parser looks through all lines below it."""
MOST_ATTRIBUTES = 300
"""Characters."""
_IMPORT = re.compile(
    r"import\s+(?:[\w*{}\s,$]+\s+from\s+)?['\"][^'\"]+['\"];?\s*$|export\s+(?:default\s+|const\s+|let\s+|function\s+|\{|\*\s*from)"
)
_EXPRESSION = re.compile(r"\{/\*.*?\*/\}")
_SITE_TAG = re.compile(r"\s*(?:\{\{[<%].*?[>%]\}\}|\{%-?.*?-?%\}|\[\[_?TOC_?\]\]|\[TOC\]|\{\{.*?\}\})\s*$", re.IGNORECASE)
_BRACKET_MATH = re.compile(r"\\\((.{1,1000}?)\\\)|\\\[(.{1,2000}?)\\\]", re.DOTALL)
_TEX = re.compile(r"[\\^_=]")
_WIKI = re.compile(r"!?\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]")


def prepared(body: str, name: str) -> tuple[str, list[Omission]]:
    """Return `body` without what only tools read, and what was taken out."""
    if not any(sign in body for sign in ("===", "{", "import ", "export ", ":::", "[TOC")):
        return body, []
    lines = body.split("\n")
    taken: list[tuple[int, str]] = []
    for at, line in _outside_code(lines):
        if found := _TAB.match(line):
            lines[at] = f"{found[1]}!!! tab {found[2].replace(chr(39), chr(34))}"
        elif _SITE_TAG.match(line) or (_IMPORT.match(line) and _stands_alone(lines, at) and (at < 30 or name.endswith(".mdx"))):
            taken.append((at, line))
            lines[at] = ""
        elif (begins := _attributes(line)) >= 0:
            lines[at] = line[:begins].rstrip()
        elif "{/*" in line:
            lines[at] = _EXPRESSION.sub("", line)
    omissions = [Omission("site_tag", len(taken), f"line {taken[0][0] + 1}", taken[0][1].strip()[:200])] if taken else []
    return "\n".join(lines), omissions


def _outside_code(lines: list[str]) -> Iterator[tuple[int, str]]:
    """(index, line) of the lines that are no code. A fence that is a MyST directive of a note becomes a container."""
    fences: list[tuple[str, int, bool]] = []
    """Open fences: their sign, its length, and whether it is a container, which holds Markdown."""
    for at, line in enumerate(lines):
        found = _FENCE.match(line)
        if found is None:
            if (not fences or fences[-1][2]) and (not line.startswith(("    ", "\t")) or _TAB.match(line)):
                yield at, line
            continue
        sign, length, info = found[2][0], len(found[2]), found[3].strip()
        if fences and sign == fences[-1][0] and length >= fences[-1][1] and not info:
            if fences.pop()[2] and sign != ":":
                lines[at] = f"{found[1]}{':' * length}"
            continue
        if fences and not fences[-1][2]:
            continue
        directive = _DIRECTIVE.match(info)
        holds = sign == ":" or (directive is not None and directive[1].lower() in NOTES | FOLDED)
        if holds and sign != ":":
            lines[at] = f"{found[1]}{':' * length} {info}"
        if holds and len(fences) >= MOST_NESTED:
            lines[at] = ""
        elif sign != ":" or info:
            fences.append((sign, length, holds))


def _attributes(line: str) -> int:
    """Where a list of attributes at the end of a line begins, or -1."""
    at = line.rfind("{")
    return at if at >= 0 and len(line) - at <= MOST_ATTRIBUTES and _ATTRIBUTES.fullmatch(line, at) else -1


def _stands_alone(lines: list[str], at: int) -> bool:
    """Whether a line has only blank ones or others of its kind around it."""
    around = [lines[other] for other in (at - 1, at + 1) if 0 <= other < len(lines)]
    return all(not line.strip() or _IMPORT.match(line) or line.startswith(("  ", "}")) for line in around)


def lead_of(token: Token) -> tuple[str, bool]:
    """What a note or container is called, and whether it is folded, so that its name is what its reader asks for."""
    if token.type == "admonition_open":
        tag = str(token.meta.get("tag", "")).lower()
        folded = token.markup.startswith("?") or tag in _ASKING
        if tag not in NOTES and tag != "tab":
            return " ".join(token.info.split()).strip('"'), folded
        title = token.content.strip().strip('"')
        return (title if title.lower() != tag or tag not in _SILENT else ""), folded
    info = token.info.strip()
    directive = _DIRECTIVE.match(info)
    kind, title = (directive[1], directive[2]) if directive else [*info.split(None, 1), "", ""][:2]
    if "[" in kind and info.endswith("]"):  # ::: note[Title]
        kind, title = info.split("[", 1)[0].strip(), info.split("[", 1)[1][:-1]
    kind = kind.lower().strip("{}")
    title = title.strip().strip('"')
    if title.startswith("{"):
        title = ""
    if kind in FOLDED:
        return title, True
    if kind in NOTES:
        return title or ("" if kind in _SILENT else kind.title()), kind in _ASKING and bool(title)
    return "", False


def use_extras(made: MarkdownIt) -> None:
    """Teach the parser notes, containers and formulas in brackets."""
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.container import container_plugin

    made.use(admon_plugin).use(amsmath_plugin)
    made.use(container_plugin, name="note", validate=lambda params, *_: bool(params.strip()))
    made.inline.ruler.before("escape", "bracket_math", _bracket_math)


def _bracket_math(state: StateInline, silent: bool) -> bool:
    r"""`\( x^2 \)` and `\[ x^2 \]`; an escaped bracket around words is no formula."""
    if state.src[state.pos] != "\\" or state.src[state.pos + 1 : state.pos + 2] not in ("(", "["):
        return False
    found = _BRACKET_MATH.match(state.src, state.pos)
    source = (found[1] or found[2] or "").strip() if found else ""
    if found is None or found.end() > state.posMax or not _TEX.search(source) or "\n\n" in source:
        return False
    if not silent:
        state.push("math_inline", "math", 0).content = source
    state.pos = found.end()
    return True


def without_wiki_links(text: str) -> tuple[str, list[tuple[str, str]]]:
    """`[[Page]]` and `[[Page|words]]` as their words, with (words, page) of each."""
    if "[[" not in text:
        return text, []
    links: list[tuple[str, str]] = []

    def words(match: re.Match[str]) -> str:
        label = (match[2] or match[1]).strip()
        links.append((label, match[1].strip()))
        return label

    return _WIKI.sub(words, text), links
