"""HTML that cannot be wrong: elements are made of elements and texts, and a text is always escaped.

`element("td", name, class_="name")` is the only way to make markup, its names come from the two lists below and never from data.
There is no way to say `<script>`, an event handler or a style attribute, whatever a document is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Element = Literal[
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "nav", "h1", "h2", "h3", "p", "ul",
    "li", "a", "div", "span", "strong", "code", "bdi", "time", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th",
    "td", "figure", "figcaption", "svg", "desc", "rect", "path", "line",
]
_EMPTY = frozenset({"meta"})
ATTRIBUTES = frozenset({
    "lang", "charset", "name", "content", "http-equiv", "class", "id", "href", "datetime", "scope", "role", "tabindex", "dir",
    "aria-label", "aria-labelledby", "aria-hidden", "viewBox", "preserveAspectRatio", "x", "y", "x1", "x2", "y1", "y2", "width",
    "height", "d",
})

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufdd0-\\ufdef\\ufff9-\\uffff]"
)
"""What has no picture, is not allowed in HTML, or turns the order of what follows: control characters but tab and line feed,
separators, directional formatting, halves of surrogate pairs, non-characters."""


class Markup:
    """A piece of HTML. Made by `element` and `stylesheet` alone."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


Child = Markup | str | None


def element(name: Element, /, *children: Child | Iterable[Child], **attributes: str | float | bool | None) -> Markup:
    """Return an element. Texts are escaped, None is left out, lists are taken apart.

    Attributes are written as in HTML, with `_` for `-` and one behind names that Python has: `class_`, `aria_label`. None and
    False leave one out, True writes it without a value."""
    parts = [f"<{name}"]
    for key, value in attributes.items():
        written = key.rstrip("_").replace("_", "-")
        if written not in ATTRIBUTES:
            raise ValueError(f"{written!r} is no attribute of a report")
        if value is True:
            parts.append(f" {written}")
        elif value is not None and value is not False:
            parts.append(f' {written}="{escaped(value) if isinstance(value, str) else _number(value)}"')
    parts.append(">")
    for child in children:
        if child is None or isinstance(child, str | Markup):
            parts.append(_written(child))
        else:
            parts.extend(map(_written, child))
    if name not in _EMPTY:
        parts.append(f"</{name}>")
    return Markup("".join(parts))


def stylesheet(css: str) -> Markup:
    """Return a style element. `css` is ours: within it nothing is escaped."""
    return Markup(f"<style>{css}</style>")


def escaped(text: str) -> str:
    """Return a text as it is written into HTML."""
    return legible(text).translate(_ESCAPES)


def legible(text: str) -> str:
    """Return a text with what cannot be seen in it spelled out: a right-to-left override becomes `⟨U+202E⟩`."""
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def _written(child: Child) -> str:
    return "" if child is None else child.text if isinstance(child, Markup) else escaped(child)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
