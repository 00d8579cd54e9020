"""Markdown becomes blocks: CommonMark with tables, footnotes, definition lists, formulas and the HTML that people mix in.

markdown-it-py tells the structure; this walks its flat token list once. Every block knows its lines in the file, front matter
counted. A list is one block, but code and tables inside it are blocks of their own between its parts, because code must stay
exact and rows must stay rows. Hostile nesting is flattened before it can be lost or recurse.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

from ingest.model.document import Block, BlockKind, Document, Omission, Provenance, Table, table_text
from ingest.model.frontmatter import split
from ingest.model.language import join_lines
from ingest.parse.draft import Draft, Part, meant, one_line
from ingest.parse.encoded import without_encoded
from ingest.parse.fingerprint import stamp
from ingest.parse.markdown_extras import lead_of, prepared, use_extras
from ingest.parse.markdown_inline import Inline, parse_inline, render
from ingest.parse.reading import read
from ingest.settings import ParsePart

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_NESTING = 200
"""What markdown-it is allowed; it drops what lies deeper, so documents that come near are flattened to DEEP first."""
DEEP = 60

_CONTAINER_RUN = re.compile(r"^[ \t]*(?:(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*){16,}", re.MULTILINE)
_INDENT_RUN = re.compile(r"^[ \t]{60,}", re.MULTILINE)
_ALERT = re.compile(r"\A\[!(\w+)\][ \t]*\n?")
_MATH_LANGUAGES = frozenset({"math", "latex-math", "katex"})
_DETAILS_OPEN = re.compile(r"<details\b[^<>]*>", re.IGNORECASE)
_DETAILS_CLOSE = re.compile(r"</details\s*>", re.IGNORECASE)
_SUMMARY_OPEN = re.compile(r"<summary\b[^<>]*>", re.IGNORECASE)
_SUMMARY_CLOSE = re.compile(r"</summary\s*>", re.IGNORECASE)
_NOTES = frozenset({"admonition_open", "container_note_open"})
_TAG = re.compile(r"<[^<>]*>")


def version(settings: ParsePart) -> str:
    return stamp("markdown", 3, ("markdown-it-py", "mdit-py-plugins", "lxml"))


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Parse a Markdown document; raises DocumentUnsupported for bytes that are no text."""
    reading = read(data, name)
    body = split(reading.text).body
    skipped = reading.text.count("\n", 0, len(reading.text) - len(body))
    body, encoded = without_encoded(body)
    body, site_tags = prepared(body, name)
    walk = _Walk(body, skipped)
    walk.run()
    blocks, links = walk.draft.finish()
    title = next((block.text for block in blocks if block.kind == "heading" and block.level == 1), None)
    return Document(media_type, "", title, blocks, links, (*reading.omissions, *encoded, *site_tags, *walk.omissions()))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    made = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    made.use(footnote_plugin).use(deflist_plugin)
    # Without the digit and space rules "$5 and $10" would be a formula.
    made.use(
        dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, allow_blank_lines=False, double_inline=True
    )
    use_extras(made)
    # Footnotes stay where they are written, and targets as they are written.
    made.disable("footnote_tail")
    made.core.ruler.at("inline", parse_inline)
    made.normalizeLink = str  # type: ignore[method-assign, assignment]
    made.validateLink = bool  # type: ignore[method-assign, assignment]
    return made


def _tokens(body: str, env: dict[str, object]) -> list[Token]:
    tokens = _parser().parse(body, env)
    if any(token.level >= DEEP for token in tokens):
        env.clear()
        flat = _INDENT_RUN.sub(" " * 60, _CONTAINER_RUN.sub(lambda m: m.group().lstrip()[:2].strip() + " ", body))
        tokens = _parser().parse(flat, env)
    return tokens


class _Walk:
    """One pass over the tokens of one document."""

    def __init__(self, body: str, skipped: int) -> None:
        self.draft = Draft()
        self._source = body.split("\n")
        self._skipped = skipped
        self._env: dict[str, object] = {}
        self._tokens = _tokens(body, self._env)
        self._ends = _ends(self._tokens)
        self._hidden: list[str] = []
        self._struck: list[str] = []
        self._from_html: list[Omission] = []
        self._details: list[tuple[str, int, Provenance]] = []
        """Open `<details>`: question, index of the first block inside, where."""

    def run(self) -> None:
        self._blocks(0, len(self._tokens))
        for question, since, where in reversed(self._details):
            self.draft.ask(question, since, where)

    def omissions(self) -> list[Omission]:
        kinds = (("hidden_text", self._hidden), ("deleted_text", self._struck))
        found = [Omission(kind, len(texts), sample=texts[0][:200]) for kind, texts in kinds if texts]
        return [*found, *self._from_html]

    # -- blocks at the top level ----------------------------------------------------------------------------------------

    def _blocks(self, start: int, end: int) -> None:
        at = start
        while at < end:
            token = self._tokens[at]
            kind = token.type
            close = self._ends.get(at, at)
            if kind == "paragraph_open":
                self._paragraph(at)
            elif kind == "heading_open":
                self._heading(at)
            elif kind in ("bullet_list_open", "ordered_list_open"):
                self._container("list", at, close)
            elif kind == "blockquote_open":
                self._container("quote", at, close)
            elif kind == "dl_open":
                self._definitions(at, close)
            elif kind == "footnote_reference_open":
                self._footnote(at, close)
            elif kind == "html_block":
                self._html(token)
            elif kind in _NOTES:
                self._note(at, close)
            else:
                self._alone(at, close)
            at = close + 1

    def _note(self, at: int, close: int) -> None:
        """A note is a quote that begins with what it is called; a folded one answers its name; a mere frame is what it holds."""
        lead, folded = lead_of(self._tokens[at])
        start = self._inside(at, close)
        if not lead:
            self._blocks(start, close)
        elif folded:
            since = len(self.draft.blocks)
            self._blocks(start, close)
            self.draft.ask(lead, since, self._where(self._tokens[at]))
        elif start >= close:
            self.draft.add_paragraph(lead, self._where(self._tokens[at]))
        else:
            part = Part("quote")
            lead = f"{lead}: "
            if self._tokens[start].type != "paragraph_open":
                part.put(lead.rstrip(), [], self._where(self._tokens[at]))
                lead = ""
            self._gather(part, start, close, "", lead)
            part.flush(self.draft)

    def _inside(self, at: int, close: int) -> int:
        """The first token of a note behind its title."""
        after = at + 1
        return self._ends[after] + 1 if after < close and self._tokens[after].type == "admonition_title_open" else after

    def _paragraph(self, at: int) -> None:
        found = self._inline(at + 1)
        where = self._where(self._tokens[at])
        if found.only_images:
            self.draft.add(Block("caption", one_line(found.text), provenance=where), found.links)
        else:
            self.draft.add_paragraph(found.text.strip(), where, found.links)
        self._notes_in(found, where)

    def _heading(self, at: int) -> None:
        token = self._tokens[at]
        found = self._inline(at + 1)
        where = self._where(token)
        block = Block("heading", one_line(found.text), int(token.tag[1]), provenance=where, evidence="markup")
        self.draft.add(block, found.links)
        self._notes_in(found, where)

    def _alone(self, at: int, close: int) -> bool:
        """Add a block that is never merged into another; False if the token opens none."""
        token = self._tokens[at]
        where = self._where(token)
        if token.type in ("fence", "code_block"):
            language = token.info.split()[0].strip("{}.") if token.info.strip() else None
            text = token.content.removesuffix("\n")
            kind: BlockKind = "formula" if language in _MATH_LANGUAGES else "code"
            self.draft.add(Block(kind, text, provenance=where, code_language=language if kind == "code" else None))
        elif token.type in ("math_block", "amsmath"):
            self.draft.add(Block("formula", token.content.strip(), provenance=where))
        elif token.type == "table_open":
            self._table(at, close, where)
        else:
            return False
        return True

    def _table(self, at: int, close: int, where: Provenance) -> None:
        rows: list[list[str]] = []
        links: list[tuple[str, str]] = []
        header_rows = 0
        for index in range(at, close):
            token = self._tokens[index]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "thead_close":
                header_rows = len(rows)
            elif token.type == "inline":
                found = self._inline(index)
                rows[-1].append(one_line(found.text))
                links += found.links
        if rows and header_rows == 1 and not any(rows[0]):
            # Markdown has no table without a header; authors leave it blank.
            rows, header_rows = rows[1:], 0
        table = Table(tuple(map(tuple, rows)), header_rows)
        if any(cell for row in rows for cell in row):
            self.draft.add(Block("table", table_text(table), provenance=where, table=table), links)

    def _definitions(self, at: int, close: int) -> None:
        """Terms and definitions, one pair a block; several terms of one definition share a line."""
        terms: list[str] = []
        index = at + 1
        while index < close:
            kind = self._tokens[index].type
            if kind == "dt_open":
                if self._tokens[index - 1].type == "dd_close":
                    terms = []
                terms.append(one_line(self._inline(index + 1).text))
                index = self._ends[index]
            elif kind == "dd_open":
                since = len(self.draft.blocks)
                end = self._ends[index]
                self._blocks(index + 1, end)
                self.draft.ask(" / ".join(terms), since, self._where(self._tokens[index]))
                index = end
            index += 1

    def _footnote(self, at: int, close: int) -> None:
        part = Part("footnote")
        self._gather(part, at + 1, close, "", f"[{self._tokens[at].meta.get('label', '')}] ")
        part.flush(self.draft)

    def _notes_in(self, found: Inline, where: Provenance) -> None:
        """Footnotes that were written inside the paragraph."""
        if not found.notes:
            return
        footnotes = self._env.get("footnotes")
        listed = footnotes.get("list", {}) if isinstance(footnotes, dict) else {}
        for number in found.notes:
            content = str(listed.get(number, {}).get("content", "")).strip()
            self.draft.add(Block("footnote", f"[note {number + 1}] {one_line(content)}" if content else "", provenance=where))

    # -- lists and quotes: many tokens, one block -----------------------------------------------------------------------

    def _container(self, kind: BlockKind, at: int, close: int) -> None:
        part = Part(kind)
        if kind == "list":
            self._items(part, at, close, 0)
        else:
            self._gather(part, at + 1, close, "", "")
        part.flush(self.draft)

    def _items(self, part: Part, at: int, close: int, depth: int) -> None:
        indent = "  " * depth
        index = at + 1
        while index < close:
            token = self._tokens[index]
            end = self._ends[index]
            mark = f"{token.info}{token.markup} " if token.info else "- "
            self._gather(part, index + 1, end, indent, indent + mark, depth)
            index = end + 1

    def _gather(self, part: Part, start: int, end: int, indent: str, lead: str, depth: int = -1) -> None:
        """Put what stands between two tokens into `part`: the first text after `lead`, paragraphs of an item on its line."""
        at = start
        head: int | None = None
        while at < end:
            token = self._tokens[at]
            kind = token.type
            close = self._ends.get(at, at)
            if kind in ("paragraph_open", "heading_open"):
                found = self._inline(at + 1)
                text = one_line(found.text) if part.kind != "quote" else _quoted(found.text)
                if head is not None and depth >= 0 and part.lines:
                    part.extend(text, found.links, self._where(token))
                else:
                    part.put(lead + text, found.links, self._where(token))
                    head, lead = at, indent + "  " if depth >= 0 else indent
            elif kind in ("bullet_list_open", "ordered_list_open"):
                if head is None and depth >= 0 and lead.strip():
                    part.put(lead.rstrip(), [], self._where(token))
                    lead = indent + "  "
                self._items(part, at, close, depth + 1 if part.kind == "list" else 0)
                head = None
            elif kind == "blockquote_open":
                self._gather(part, at + 1, close, indent, lead, depth)
                head, lead = None, indent + "  " if depth >= 0 else indent
            elif kind == "html_block":
                text = one_line(meant(self._html_text(token.content)))
                if text:
                    part.put(lead + text, [], self._where(token))
                    lead = indent + "  " if depth >= 0 else indent
                head = None
            elif kind in ("fence", "code_block", "table_open", "math_block", "amsmath"):
                if head is None and depth >= 0 and lead.strip():
                    part.put(lead.rstrip(), [], self._where(token))
                lead = indent + "  " if depth >= 0 else indent
                part.flush(self.draft)
                self._alone(at, close)
                head = None
            elif kind == "dl_open":
                part.flush(self.draft)
                self._definitions(at, close)
                head = None
            elif kind in _NOTES:
                name, _ = lead_of(token)
                inner = indent + "  " if depth >= 0 and not lead.strip() else indent
                self._gather(part, self._inside(at, close), close, inner, f"{lead}{name}: " if name else lead, depth)
                head, lead = None, indent + "  " if depth >= 0 else indent
            at = close + 1

    # -- HTML -----------------------------------------------------------------------------------------------------------

    def _html(self, token: Token) -> None:
        """HTML between blank lines. `<details>` may open in one such block and close in a later one, Markdown between."""
        where = self._where(token)
        markup = token.content
        opened = _DETAILS_OPEN.search(markup)
        if opened and not _DETAILS_CLOSE.search(markup, opened.end()):
            self._fragment(markup[: opened.start()], where)
            question, rest = _without_summary(markup[opened.end() :])
            self._details.append((question, len(self.draft.blocks), where))
            self._fragment(rest, where)
            return
        if self._details and not opened:
            question, since, began = self._details[-1]
            if not question:
                question, markup = _without_summary(markup)
                self._details[-1] = (question, since, began)
            if closed := _DETAILS_CLOSE.search(markup):
                self._fragment(markup[: closed.start()], where)
                question, since, began = self._details.pop()
                self.draft.ask(question, since, began)
                markup = markup[closed.end() :]
        self._fragment(markup, where)

    def _fragment(self, markup: str, where: Provenance) -> None:
        if not _TAG.sub("", markup).strip() and "alt=" not in markup:
            return
        from ingest.parse.html.walk import walk_fragment

        self._from_html += walk_fragment(markup, self.draft, where)

    def _html_text(self, markup: str) -> str:
        """HTML inside a list or a quote: its text only."""
        if not _TAG.sub("", markup).strip():
            return ""
        from ingest.parse.html.walk import walk_fragment

        inner = Draft()
        self._from_html += walk_fragment(markup, inner, Provenance())
        return "\n".join(block.text for block in inner.blocks if block.layer == "body")

    # -- tokens ---------------------------------------------------------------------------------------------------------

    def _inline(self, at: int) -> Inline:
        if at >= len(self._tokens) or self._tokens[at].type != "inline":
            return Inline("")
        found = render(self._tokens[at])
        self._hidden += found.hidden
        self._struck += found.struck
        return found

    def _where(self, token: Token) -> Provenance:
        """The lines of a token, 1-based in the file, without blank lines at its end."""
        if token.map is None:
            return Provenance()
        first, end = token.map
        end = min(end, len(self._source))
        while end > first + 1 and not self._source[end - 1].strip():
            end -= 1
        return Provenance(lines=(first + 1 + self._skipped, end + self._skipped))


def _ends(tokens: list[Token]) -> dict[int, int]:
    """Index of an opening token -> index of the one that closes it."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for at, token in enumerate(tokens):
        if token.nesting == 1:
            stack.append(at)
        elif token.nesting == -1 and stack:
            found[stack.pop()] = at
    return found


def _quoted(text: str) -> str:
    """A paragraph of a quote; the mark of a GitHub alert, `[!NOTE]`, becomes the word that readers see."""
    return meant(join_lines(_ALERT.sub(r"\1: ", text, count=1)))


def _without_summary(markup: str) -> tuple[str, str]:
    """The text of the first `<summary>`, and the markup without it."""
    opened = _SUMMARY_OPEN.search(markup)
    closed = _SUMMARY_CLOSE.search(markup, opened.end()) if opened else None
    if opened is None or closed is None:
        return "", markup
    return _words(markup[opened.end() : closed.start()]), markup[: opened.start()] + markup[closed.end() :]


def _words(markup: str) -> str:
    """The text of a tiny piece of HTML."""
    return one_line(unescape(_TAG.sub("", markup)))
