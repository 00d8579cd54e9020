"""Elements become blocks, in reading order.

Words collect until a block element starts or ends, then they are a paragraph; lists, tables, code, questions and quotes have
their own ways. Tags that a reader does not see as text (scripts, buttons) are skipped, hidden elements are skipped and counted,
and everything outside the main element is furniture. Recursion follows nesting, which `tree` bounds, and stops at `MAX_DEPTH`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from lxml import etree

from ingest.model.document import Block, BlockKind, Layer, Omission, Provenance, Table, table_text
from ingest.model.language import join_lines
from ingest.parse.draft import MEANT_BREAK, Draft, Part, Target, meant, one_line
from ingest.parse.hidden import is_hidden_tag
from ingest.parse.html.notes import leads_back, notes_of
from ingest.parse.html.shown import LeftOut, make_shown
from ingest.parse.html.table import expand, is_layout
from ingest.parse.html.tree import told

MAX_DEPTH = 100
"""Deeper elements are read as words only. A level costs four frames of Python's stack, which ends at a thousand."""

_SKIPPED = frozenset(
    {
        "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "button", "select",
        "datalist", "textarea", "input", "audio", "video", "map", "head", "link", "meta", "title", "base", "rt", "rp",
        "track", "param", "source", "area", "dialog", "menuitem", "progress", "meter",
    }
)  # fmt: skip
_BLOCKS = frozenset(
    {
        "address", "article", "aside", "body", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "html", "legend", "li", "main",
        "menu", "nav", "ol", "p", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
        "caption", "frameset", "noframes", "search",
    }
)  # fmt: skip
_BREAKING = tuple(_BLOCKS | {"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre", "table", "blockquote"})
_PLACES = frozenset(_BREAKING) | {"math", "hr"}
"""Elements that a locator names; what stands in a sentence is found by its paragraph."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_FURNITURE = frozenset({"nav", "footer"})
_FURNITURE_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "toolbar", "menu", "menubar"})
_ADMONITION = re.compile(r"note|tip|warning|caution|danger|info|important|admonition|callout|hint|alert", re.IGNORECASE)
_GUTTER = re.compile(r"(?:^|[\s_-])(?:linenos?|line-?numbers?(?:-rows)?|gutter|blob-num|rouge-gutter)(?:$|[\s_-])", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?|sourceCode)[-:\s]\s*([A-Za-z][\w+#.-]*)")
_ANCHOR_SIGNS = frozenset({"¶", "#", "§", "🔗", "\uf0c1", "link", "anchor"})
_SPACES = re.compile(r"[ \t\f\v\r\xa0]+")
_INVISIBLE = {ord(c): None for c in "\xad\u200b\u2060\ufeff"}
"""Soft hyphens and joints of no width, which part words for a search."""
_EXPONENT = re.compile(r"[+\-\u2212]?\d{1,4}$")
_FOR_READING_ALOUD = frozenset(
    {
        ".sr-only", ".visually-hidden", ".visuallyhidden", ".screen-reader-text", ".screen-reader-only", ".assistive-text",
        ".offscreen",
    }
)  # fmt: skip
"""Classes that all frameworks give to words that are only spoken."""
_NOT_A_LANGUAGE = frozenset({"none", "default", "notranslate", "text", "plaintext", "plain", "highlight", "source"})


def walk_fragment(markup: str, draft: Draft, where: Provenance) -> list[Omission]:
    """Add the blocks of a piece of HTML inside another format; all of them stand at `where`. Returns what was left out."""
    from ingest.parse.html.tree import read_tree

    root, _ = read_tree(f"<html><body>{markup}</body></html>")
    walk = Walk(draft, fixed=where, keep_all=True)
    walk.run(root)
    return walk.omissions()


class Walk:
    """One pass over one tree into one draft.

    `main`: the element whose content is the body; None takes everything. `around`: elements to treat as furniture besides the
    tags that say so. `keep_all`: nothing is furniture. `concealed`: classes and ids that the page's style sheet hides.
    """

    def __init__(
        self,
        draft: Draft,
        *,
        main: etree._Element | None = None,
        around: frozenset[etree._Element] = frozenset(),
        keep_all: bool = False,
        concealed: frozenset[str] = frozenset(),
        fixed: Provenance | None = None,
    ) -> None:
        self._draft = draft
        self._main = main
        self._around = around
        self._keep_all = keep_all
        self._concealed = concealed
        self._fixed = fixed
        self._layer: Layer = "body" if main is None else "furniture"
        self._parts: list[str] = []
        self._links: list[Target] = []
        self._images = 0
        self._level = 0
        self._in_heading = False
        self._gathering = 0
        """Lists and quotes around, whose words are not paragraphs yet."""
        self._paths: list[str] = [""]
        self._began = ""
        """Path of the block in which the words so far began."""
        self._notes: dict[str, str] = {}
        """Footnotes by the id of their item: the mark that cites them."""
        self.left_out = LeftOut()

    def run(self, root: etree._Element) -> None:
        self._notes = notes_of(root)
        make_shown(root if self._main is None else self._main, self.left_out)
        self._children(root)
        self._flush()

    def omissions(self) -> list[Omission]:
        return self.left_out.omissions()

    # -- elements -------------------------------------------------------------------------------------------------------

    def _children(self, element: etree._Element) -> None:
        self._level += 1
        self._say(element.text)
        counts: dict[str, int] = {}
        for child in element:
            tag = child.tag
            if isinstance(tag, str):
                counts[tag] = number = counts.get(tag, 0) + 1
                if tag in _PLACES:
                    identifier = child.get("id")
                    self._paths.append(f"#{identifier}" if identifier else f"{self._paths[-1]}/{tag}[{number}]")
                    self._element(child, tag)
                    self._paths.pop()
                else:
                    self._element(child, tag)
            self._say(child.tail)
        self._level -= 1

    def _element(self, element: etree._Element, tag: str) -> None:
        if tag in _SKIPPED and not (tag == "button" and self._in_heading):
            return
        if self._unseen(element):
            return
        if self._level > MAX_DEPTH:
            self._say(_all_words(element))
        elif element is self._main:
            self._in_layer("body", element, tag)
        elif self._is_furniture(element, tag):
            self._in_layer("furniture", element, tag)
        else:
            self._visible(element, tag)

    def _in_layer(self, layer: Layer, element: etree._Element, tag: str) -> None:
        self._flush()
        before, self._layer = self._layer, layer
        self._visible(element, tag)
        self._flush()
        self._layer = before

    def _visible(self, element: etree._Element, tag: str) -> None:
        if tag in _HEADINGS or element.get("role") == "heading":
            self._heading(element, tag)
        elif tag in ("pre", "listing", "xmp"):
            self._code(element)
        elif tag == "table":
            self._table(element)
        elif tag in ("ul", "ol", "menu", "dir"):
            self._list(element)
        elif tag == "dl":
            self._definitions(element)
        elif tag == "details":
            self._details(element)
        elif tag == "blockquote":
            self._quote(element)
        elif (element.get("itemtype") or "").rstrip("/").endswith("schema.org/Question"):
            self._question(element)
        elif tag in ("figcaption", "caption"):
            self._caption(element)
        elif tag == "math" and element.get("display") == "block":
            self._flush()
            self._add("formula", _math(element))
        elif tag == "hr":
            self._flush()
        elif tag in _BLOCKS:
            self._flush()
            self._children(element)
            self._flush()
        else:
            self._inline(element, tag)

    def _inline(self, element: etree._Element, tag: str) -> None:
        if tag == "br":
            self._break()
        elif tag == "img":
            alt = (element.get("alt") or "").strip()
            if alt:
                self._images += 1
                self._say(f" {alt} ")
        elif tag == "a":
            self._link(element)
        elif tag == "math":
            self._say(_math(element))
        elif tag == "sup" and self._is_exponent(element):
            self._say(f"^{_text(element)}")
        elif element.text or len(element):
            self._children(element)

    def _break(self) -> None:
        """A line break; two in a row end a paragraph, which is how many editors and old pages write them."""
        doubled = False
        for part in reversed(self._parts):
            if part == MEANT_BREAK or part.strip():
                doubled = part == MEANT_BREAK
                break
        if doubled and self._gathering == 0:
            self._flush()
        else:
            self._parts.append(MEANT_BREAK)

    def _link(self, element: etree._Element) -> None:
        target = (element.get("href") or "").strip()
        if target.startswith("#") and (_text(element) in _ANCHOR_SIGNS or (self._notes and leads_back(element))):
            return
        if mark := self._notes.get(target[1:] if target[:1] == "#" else ""):
            self._say(f"[{mark}]")
            return
        start, blocks = len(self._parts), len(self._draft.blocks)
        self._children(element)
        if not target or target.lower().startswith(("javascript:", "data:", "vbscript:")):
            return
        if len(self._draft.blocks) > blocks:  # the link wraps whole blocks: a card
            self._draft.link_last([(_text(element), target)])
        elif label := _folded("".join(self._parts[start:])):
            self._links.append((label, target))

    def _is_exponent(self, raised: etree._Element) -> bool:
        """Whether raised characters are a number behind a letter or number, and not the mark of a footnote."""
        if not self._parts or not self._parts[-1][-1:].isalnum() or not _EXPONENT.match(_text(raised)):
            return False
        around = raised.getparent()
        links = [*raised.iter("a"), *([around] if around is not None and around.tag == "a" else [])]
        return not any((link.get("href") or "")[1:] in self._notes for link in links)

    def _is_furniture(self, element: etree._Element, tag: str) -> bool:
        if self._keep_all or self._layer == "furniture":
            return False
        if element in self._around or element.get("role") in _FURNITURE_ROLES:
            return True
        if tag == "aside":  # notes and warnings of documentation are asides too
            return not _ADMONITION.search(element.get("class") or "")
        if tag == "header":
            return next(element.iterancestors("article", "main", "section"), None) is None and self._main is None
        return tag in _FURNITURE

    # -- words ----------------------------------------------------------------------------------------------------------

    def _say(self, text: str | None) -> None:
        if text:
            if not self._parts:
                self._began = self._paths[-1]
            self._parts.append(text)

    def _taken(self) -> tuple[str, list[Target], bool]:
        """The words so far, their links, and whether they are nothing but descriptions of images."""
        text = _spaced("".join(self._parts))
        pictures = self._images > 0 and self._images == sum(1 for part in self._parts if part.strip(f" \n\t{MEANT_BREAK}"))
        links = self._links
        self._parts, self._links, self._images = [], [], 0
        return text, links, pictures

    def _flush(self) -> None:
        if not self._parts:
            return
        text, links, pictures = self._taken()
        if not text:
            return
        where = self._fixed or Provenance(locator=self._began or None)
        if pictures:
            self._draft.add(Block("caption", one_line(text), layer=self._layer, provenance=where), links)
        else:
            self._draft.add_paragraph(text, where, links, layer=self._layer)

    def _where(self) -> Provenance:
        return self._fixed or Provenance(locator=self._paths[-1] or None)

    def _apart(self, element: etree._Element) -> tuple[str, list[Target]]:
        """The words inside an element without making blocks of them: headings, cells, captions."""
        outer = (self._parts, self._links, self._images, self._draft)
        self._parts, self._links, self._images, self._draft = [], [], 0, Draft()
        self._level += 2  # this way costs more of Python's stack than one level
        self._children(element)
        self._flush()
        self._level -= 2
        inner = self._draft
        self._parts, self._links, self._images, self._draft = outer
        text = "\n".join(block.text for block in inner.blocks)
        return text, [(link.text, link.target) for link in inner.links]

    # -- blocks ---------------------------------------------------------------------------------------------------------

    def _add(self, kind: BlockKind, text: str, links: Iterable[Target] = (), **more: object) -> None:
        block = Block(kind, text, layer=self._layer, provenance=self._where())
        self._draft.add(replace(block, **more) if more else block, links)  # type: ignore[arg-type]

    def _heading(self, element: etree._Element, tag: str) -> None:
        self._flush()
        self._in_heading = True  # accordions put the words of a heading into a button
        text, links = self._apart(element)
        self._in_heading = False
        declared = element.get("aria-level") or ""
        level = _HEADINGS.get(tag) or (int(declared) if declared.isdigit() else 2)
        self._add("heading", _folded(text), links, level=max(1, min(level, 6)), evidence="markup")

    def _caption(self, element: etree._Element) -> None:
        self._flush()
        text, links = self._apart(element)
        self._add("caption", _folded(text), links)

    def _code(self, element: etree._Element) -> None:
        self._flush()
        text = "".join(_exact(element)).replace("\r\n", "\n").replace("\r", "\n")
        text = text.removeprefix("\n").removesuffix("\n")
        if text.strip():
            self._add("code", text, code_language=_language(element))

    def _table(self, element: etree._Element) -> None:
        self._flush()
        if is_layout(element):
            self._children(element)
            self._flush()
            return
        for caption in element.iterchildren("caption"):
            self._caption(caption)
        links: list[Target] = []

        def cell_text(cell: etree._Element) -> str:
            if self._unseen(cell):
                return ""
            text, inside = self._apart(cell)
            links.extend(inside)
            return _folded(text)

        grid = expand(element, cell_text)
        if any(cell for row in grid.rows for cell in row):
            table = Table(tuple(map(tuple, grid.rows)), grid.header_rows, tuple(grid.spans))
            self._add("table", table_text(table), links, table=table)

    def _definitions(self, element: etree._Element) -> None:
        """Terms and definitions, one pair a block. HTML 5 allows `div`s around pairs; whatever else is inside is walked."""
        self._flush()
        self._say(element.text)
        self._flush()
        terms: list[str] = []
        answered = False
        for child in _definition_parts(element):
            if child.tag == "dt" and not self._unseen(child):
                terms = [*([] if answered else terms), _folded(self._apart(child)[0])]
                answered = False
            elif child.tag == "dd" and not self._unseen(child):
                since = len(self._draft.blocks)
                self._children(child)
                self._flush()
                self._answer(" / ".join(filter(None, terms)), since)
                answered = True
            elif child.tag not in ("dt", "dd"):
                self._element(child, str(child.tag))
            self._say(child.tail)
            self._flush()
        if terms and not answered:
            self._add("paragraph", " / ".join(filter(None, terms)))

    def _answer(self, question: str, since: int) -> None:
        if self._layer == "body":
            self._draft.ask(question, since, self._where())
        else:
            self._add("paragraph", question)

    def _unseen(self, element: etree._Element) -> bool:
        """Whether a tag hides its content; what is hidden is counted."""
        if not is_hidden_tag(told(element)) and not self._is_concealed(element):
            return False
        self._hide(element)
        return True

    def _is_concealed(self, element: etree._Element) -> bool:
        names = [f".{name}" for name in (element.get("class") or "").lower().split()]
        if not _FOR_READING_ALOUD.isdisjoint(names):
            return True
        return bool(self._concealed) and not self._concealed.isdisjoint([*names, f"#{(element.get('id') or '').lower()}"])

    def _details(self, element: etree._Element) -> None:
        self._flush()
        summary = next(element.iterchildren("summary"), None)
        question = _folded(self._apart(summary)[0]) if summary is not None else ""
        since = len(self._draft.blocks)
        self._say(element.text)
        for child in element:
            if child is summary:
                self._flush()
            elif isinstance(child.tag, str):
                self._element(child, child.tag)
            self._say(child.tail)
        self._flush()
        self._answer(question, since)

    def _question(self, element: etree._Element) -> None:
        """Microdata of schema.org: `itemprop=name` asks, `itemprop=text` inside the answer replies."""
        self._flush()
        asked = next((e for e in element.iterdescendants() if e.get("itemprop") == "name"), None)
        replied = next((e for e in element.iterdescendants() if e.get("itemprop") == "text"), None)
        if asked is None or replied is None:
            self._children(element)
            self._flush()
            return
        question = _folded(self._apart(asked)[0])
        since = len(self._draft.blocks)
        self._children(replied)
        self._flush()
        self._draft.ask(question, since, self._where())

    def _quote(self, element: etree._Element) -> None:
        self._flush()
        part = Part("quote", self._layer)
        self._gather(part, element, "", "")
        part.flush(self._draft)

    def _list(self, element: etree._Element) -> None:
        self._flush()
        part = Part("list", self._layer)
        self._items(part, element, 0)
        part.flush(self._draft)

    def _items(self, part: Part, element: etree._Element, level: int) -> None:
        self._level += 1
        indent = "  " * level
        number = _start(element)
        part.put(indent + _folded(element.text or ""), [], self._where())
        for child in element:
            tag = child.tag
            if not isinstance(tag, str) or tag in _SKIPPED or self._unseen(child):
                pass
            elif tag in ("ul", "ol") and self._level < MAX_DEPTH:
                self._items(part, child, level + 1)
            elif child.get("id") in self._notes:
                part.flush(self._draft)
                note = Part("footnote", self._layer)
                self._gather(note, child, "", f"[{self._notes[child.get('id') or '']}] ")
                note.flush(self._draft)
                number += 1
            else:
                value = child.get("value") or ""
                number = int(value) if value.isdigit() and len(value) < 9 else number
                mark = f"{number}. " if element.tag == "ol" else "- "
                self._gather(part, child, indent + "  ", indent + mark + _box(child))
                number += 1
            part.put(indent + _folded(child.tail or ""), [], self._where())
        self._level -= 1

    def _gather(self, part: Part, element: etree._Element, indent: str, lead: str) -> None:
        """Put the words of a list item or a quote into `part`; code and tables interrupt it and stand alone.

        The paragraphs of an item share its line; those of a quote have a line each.
        """
        lines = _Gathering(self, part, indent, lead)
        self._gathering += 1
        self._gather_into(lines, element)
        self._gathering -= 1
        lines.end()

    def _gather_into(self, lines: _Gathering, element: etree._Element) -> None:
        self._level += 1
        self._say(element.text)
        for child in element:
            tag = child.tag
            if isinstance(tag, str) and tag not in _SKIPPED:
                if self._unseen(child):
                    pass
                elif self._level > MAX_DEPTH:
                    self._say(_all_words(child))
                elif tag in ("ul", "ol", "menu") and lines.part.kind == "list":
                    lines.end_line()
                    self._items(lines.part, child, lines.level + 1)
                    lines.broken()
                elif tag in ("pre", "table", "details", "dl") and not (tag == "table" and is_layout(child)):
                    lines.interrupt()
                    self._visible(child, tag)
                elif tag in _BLOCKS or tag in _HEADINGS or tag in ("blockquote", "hr", "ul", "ol", "menu", "pre"):
                    lines.end_line()
                    if tag == "li":
                        self._say("- ")
                    self._gather_into(lines, child)
                    lines.end_line()
                elif len(child) and next(child.iterdescendants(*_BREAKING), None) is not None:
                    if tag == "a" and child.get("href"):
                        self._links.append((_text(child), child.get("href") or ""))
                    self._gather_into(lines, child)
                else:
                    self._inline(child, tag)
            self._say(child.tail)
        self._level -= 1

    def _hide(self, element: etree._Element) -> None:
        text = _text(element)
        if text:
            self.left_out.add("hidden_text", self._paths[-1], text)

    # -- used by _Gathering ---------------------------------------------------------------------------------------------

    def words_so_far(self) -> tuple[str, list[Target]]:
        text, links, _ = self._taken()
        return text, links

    def place(self) -> Provenance:
        return self._where()

    def stand_alone(self, part: Part) -> None:
        part.flush(self._draft)


class _Gathering:
    """The state of one list item or quote while its words come in."""

    def __init__(self, walk: Walk, part: Part, indent: str, lead: str) -> None:
        self._walk = walk
        self.part = part
        self._indent = indent
        self._lead = lead
        self._joins = False
        self.level = len(indent) // 2 - 1

    def end_line(self) -> None:
        text, links = self._walk.words_so_far()
        if not text:
            return
        if self.part.kind != "list":
            self.part.put(self._lead + meant(join_lines(text)), links, self._walk.place())
            self._lead = self._indent
        elif self._joins and self.part.lines:
            self.part.extend(one_line(text), links, self._walk.place())
        else:
            self.part.put(self._lead + one_line(text), links, self._walk.place())
            self._lead, self._joins = self._indent, True

    def broken(self) -> None:
        """Something came between: what follows starts a line of its own."""
        self._joins = False
        self._lead = self._indent

    def interrupt(self) -> None:
        self.end_line()
        if self.part.kind == "list" and self._lead != self._indent:
            self.part.put(self._lead.rstrip(), [], self._walk.place())
        self._walk.stand_alone(self.part)
        self.broken()

    def end(self) -> None:
        self.end_line()


# -- small readings of elements -----------------------------------------------------------------------------------------


def _text(element: etree._Element) -> str:
    return _folded("".join(map(str, element.itertext())))


def _folded(text: str) -> str:
    """One line, single spaces."""
    return _SPACES.sub(" ", one_line(text.translate(_INVISIBLE))).strip()


def _spaced(text: str) -> str:
    """White space as a browser shows it: runs are one space, none at the ends or around a meant break."""
    text = _SPACES.sub(" ", text if text.isascii() else text.translate(_INVISIBLE))
    if MEANT_BREAK in text:
        text = MEANT_BREAK.join(line.strip() for line in text.split(MEANT_BREAK))
    return text.strip(f" \n{MEANT_BREAK}")


def _exact(element: etree._Element) -> Iterator[str]:
    """The characters of a `<pre>`, line breaks for `<br>`, without line numbers and buttons."""
    return _characters(element, lambda child: child.tag in _SKIPPED or bool(_GUTTER.search(child.get("class") or "")))


def _all_words(element: etree._Element) -> str:
    """The words of an element at any depth, unhidden, without structure."""

    def unseen(child: etree._Element) -> bool:
        return child.tag in _SKIPPED or is_hidden_tag(told(child))

    return f" {' '.join(_characters(element, unseen))} "


def _characters(element: etree._Element, left_out: Callable[[etree._Element], bool]) -> Iterator[str]:
    """Text in document order, by a stack of our own: trees may be deeper than Python's."""
    if element.text:
        yield element.text
    stack = [iter(element)]
    tails: list[str | None] = []
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            if tails and (tail := tails.pop()):
                yield tail
        elif not isinstance(child.tag, str) or left_out(child):
            if child.tail:
                yield child.tail
        else:
            if child.tag == "br":
                yield "\n"
            elif child.text:
                yield child.text
            stack.append(iter(child))
            tails.append(child.tail)


def _math(element: etree._Element) -> str:
    """The TeX source where the page carries it, else the symbols in a row."""
    source = next((a for a in element.iterdescendants("annotation") if "tex" in (a.get("encoding") or "").lower()), None)
    return _text(source if source is not None else element)


def _language(element: etree._Element) -> str | None:
    """What the page says the code is: a class or attribute on `<pre>`, its `<code>`, or the two elements around it."""
    around = [element, *element.iterdescendants("code")][:2]
    parent = element.getparent()
    while parent is not None and len(around) < 5:
        around.append(parent)
        parent = parent.getparent()
    for candidate in around:
        declared = candidate.get("data-lang") or candidate.get("data-language")
        match = _LANGUAGE.search(candidate.get("class") or "")
        found = declared or (match[1] if match else None)
        if found and found.lower() not in _NOT_A_LANGUAGE:
            return found.lower()
    return None


def _start(element: etree._Element) -> int:
    start = element.get("start") or ""
    return int(start) if start.isdigit() and len(start) < 9 else 1


def _box(item: etree._Element) -> str:
    """`[x] ` for an item that begins with a ticked box."""
    box = next((e for e in item.iterdescendants("input") if e.get("type") == "checkbox"), None)
    return "" if box is None else "[x] " if box.get("checked") is not None else "[ ] "


def _definition_parts(element: etree._Element) -> Iterator[etree._Element]:
    """The children of a `dl`, those of its `div`s in their place."""
    for child in element:
        if child.tag == "div" and next(child.iterchildren("dt", "dd"), None) is not None:
            yield from (inner for inner in child if isinstance(inner.tag, str))
        elif isinstance(child.tag, str):
            yield child
