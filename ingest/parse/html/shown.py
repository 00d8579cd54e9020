"""What a browser shows of elements that hold their words elsewhere than between their tags, and what of a page nobody is shown.

The tree is changed in place before it is walked: form fields become the values that they show, a drawing its labels, a frame with
its page inside that page, TeX in a script a formula. Words that are struck out, readings above characters, text for browsers
without scripts, templates, closed dialogs, frames and players from elsewhere are taken out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from lxml import etree

from ingest.model.document import Omission
from ingest.parse.hidden import HIDING
from ingest.parse.html.tree import read_tree

SHOWN = "x-shown"
"""The tag of an element that has become its words; the walker knows no such tag and reads on inside."""

MOST_FRAMES = 50
MOST_LABELS = 500
_TYPED = frozenset(
    {"", "text", "number", "email", "tel", "url", "date", "time", "month", "week", "datetime-local", "color", "range"}
)
_SEARCHED = frozenset({"q", "s", "query", "search", "keyword", "keywords", "wd", "kw", "key", "searchword"})
_OPENERS = ("aria-controls", "data-target", "data-bs-target")


@dataclass(slots=True)
class LeftOut:
    """What was not taken, by kind: how often, and the first of it."""

    counts: Counter[str] = field(default_factory=Counter)
    firsts: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)

    def add(self, kind: str, where: str | None = None, sample: str | None = None) -> None:
        self.counts[kind] += 1
        self.firsts.setdefault(kind, (where or None, sample[:200] if sample else None))

    def omissions(self) -> list[Omission]:
        return [Omission(kind, count, *self.firsts[kind]) for kind, count in self.counts.items()]


def make_shown(main: etree._Element, left_out: LeftOut) -> None:
    """Change the tree below `main` to what a browser shows of it."""
    _open_panels(main)
    frames = 0
    waiting = [main]
    while waiting:
        element = waiting.pop()
        tag = element.tag
        if tag == "iframe" and (element.get("srcdoc") or "").strip() and frames < MOST_FRAMES:
            frames += 1
            _unfold(element, element.get("srcdoc") or "")
        elif (change := _CHANGES.get(tag)) is not None:
            change(element, left_out)
        waiting += reversed(element)


def _open_panels(main: etree._Element) -> None:
    """Panels of tabs and accordions are opened by their readers: being closed at first does not hide them."""
    opened = {(element.get(name) or "").lstrip("#") for element in main.iter("a", "button", "li", "div") for name in _OPENERS}
    opened |= {(tab.get("href") or "").lstrip("#") for tab in main.iter("a", "li") if tab.get("role") == "tab"}
    opened.discard("")
    for element in main.iter("div", "section", "ul", "dd", "li", "p", "td", "tr"):
        if element.get("role") == "tabpanel" or (opened and element.get("id") in opened):
            for name in HIDING:
                _strip(element, name)


def _become(element: etree._Element, text: str) -> None:
    """Make an element its words; its own attributes, which may hide it, and its tail stay."""
    del element[:]
    element.tag = SHOWN
    element.text = text


def _strip(element: etree._Element, name: str) -> None:
    if element.get(name) is not None:
        del element.attrib[name]


def _gone(element: etree._Element) -> None:
    """Empty an element that is not shown; the walker passes over it."""
    _become(element, "")


def _words(element: etree._Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


# -- controls -----------------------------------------------------------------------------------------------------------


def _field(element: etree._Element, left_out: LeftOut) -> None:
    kind, value = (element.get("type") or "").lower(), (element.get("value") or "").strip()
    if kind in ("checkbox", "radio"):
        if next(element.iterancestors("li"), None) is None:  # in a list the item's mark tells it
            _become(element, "[x] " if element.get("checked") is not None else "[ ] ")
    elif kind in _TYPED and value and not _searches(element):
        _become(element, f" {value} ")


def _searches(element: etree._Element) -> bool:
    form = next(element.iterancestors("form"), None)
    named = f"{element.get('name') or ''} {element.get('id') or ''}".lower().split()
    return not _SEARCHED.isdisjoint(named) or (form is not None and form.get("role") == "search")


def _choice(element: etree._Element, left_out: LeftOut) -> None:
    """A list of options shows the chosen one, or its first; a long one shows several, but nobody reads them all."""
    options = list(element.iter("option"))
    chosen = [option for option in options if option.get("selected") is not None] or options[:1]
    others = len(options) - len(chosen)
    if others:
        left_out.add("options", sample=", ".join(filter(None, map(_words, options)))[:200])
    _become(element, f" {', '.join(filter(None, map(_words, chosen)))} ")


def _area(element: etree._Element, left_out: LeftOut) -> None:
    _become(element, f" {(element.text or '').strip()} ")


# -- drawings and formulas ----------------------------------------------------------------------------------------------


def _drawing(element: etree._Element, left_out: LeftOut) -> None:
    """The labels of a drawing, in their order; icons have none."""
    texts: list[str] = []
    for part in element.iter():
        name = part.tag.rpartition("}")[2].lower() if isinstance(part.tag, str) else ""
        if name in ("text", "foreignobject") and len(texts) < MOST_LABELS:
            words = _words(part)
            if words:
                texts.append(words)
    _become(element, f" {'; '.join(texts)} " if texts else "")


def _script(element: etree._Element, left_out: LeftOut) -> None:
    kind = (element.get("type") or "").lower()
    if kind.startswith("math/tex") and (element.text or "").strip():
        source = (element.text or "").strip()
        element.tag, element.text = "math", ""
        element.set("display", "block" if "mode=display" in kind else "inline")
        etree.SubElement(element, "annotation", encoding="application/x-tex").text = source


def _formula(element: etree._Element, left_out: LeftOut) -> None:
    """A formula whose source is only in its `alttext`."""
    source = (element.get("alttext") or "").strip()
    if source and next(element.iterdescendants("annotation"), None) is None:
        del element[:]
        element.text = ""
        etree.SubElement(element, "annotation", encoding="application/x-tex").text = source


# -- what is not shown --------------------------------------------------------------------------------------------------


def _struck(element: etree._Element, left_out: LeftOut) -> None:
    words = _words(element)
    if words:
        left_out.add("deleted_text", sample=words)
    _gone(element)


def _reading(element: etree._Element, left_out: LeftOut) -> None:
    words = _words(element)
    if words:
        left_out.add("reading", sample=words)
    _gone(element)


def _scriptless(element: etree._Element, left_out: LeftOut) -> None:
    words = _words(element)
    if len(words) > 1:
        left_out.add("noscript", sample=words)
    _gone(element)


def _template(element: etree._Element, left_out: LeftOut) -> None:
    if element.get("shadowrootmode") or element.get("shadowroot"):
        element.tag = SHOWN
        return
    words = _words(element)
    if words:
        left_out.add("template", sample=words)
    _gone(element)


def _dialog(element: etree._Element, left_out: LeftOut) -> None:
    if element.get("open") is not None:
        element.tag = "div"
        return
    words = _words(element)
    if words:
        left_out.add("hidden_text", sample=words)
    _gone(element)


def _elsewhere(element: etree._Element, left_out: LeftOut) -> None:
    """A frame or a player: what it shows is in another file, which is not fetched."""
    source = element.get("src") or element.get("data") or ""
    inside = next((one.get("src") for one in element.iter("source") if one.get("src")), "")
    address = source or inside or ""
    if address and not address.startswith(("data:", "about:", "javascript:")):
        left_out.add("frame" if element.tag == "iframe" else "media", sample=address)
    _gone(element)


def _image(element: etree._Element, left_out: LeftOut) -> None:
    """A picture without a description is counted; one of a few points is a counter or a spacer."""
    source = element.get("src") or element.get("data-src") or ""
    sizes = [element.get(name) or "" for name in ("width", "height")]
    if (element.get("alt") or "").strip() or any(size.isdigit() and int(size[:6]) < 32 for size in sizes):
        return
    if source and not source.startswith("data:"):
        left_out.add("image", sample=source)


def _unfold(element: etree._Element, markup: str) -> None:
    """A frame that brings its page along becomes that page."""
    inner, _ = read_tree(markup)
    body = next(inner.iter("body"), inner)
    text, children = body.text, list(body)
    _become(element, text or "")
    _strip(element, "srcdoc")
    for child in children:
        element.append(child)


_CHANGES: dict[str, Callable[[etree._Element, LeftOut], None]] = {
    "input": _field, "select": _choice, "textarea": _area, "svg": _drawing, "script": _script, "math": _formula,
    "del": _struck, "s": _struck, "strike": _struck, "rt": _reading, "rp": _reading, "noscript": _scriptless,
    "template": _template, "dialog": _dialog, "iframe": _elsewhere, "object": _elsewhere, "embed": _elsewhere,
    "video": _elsewhere, "audio": _elsewhere, "img": _image,
}  # fmt: skip
