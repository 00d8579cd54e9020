"""What an HTML tag says about not being seen.

Hidden text is how a page tells a machine what it does not tell a reader, so it never reaches the index; it is dropped and
recorded. Read are what the tag itself declares and the plainest rules of the page's own style sheets, `.class { ... }` and
`#id { ... }`; sheets elsewhere, media queries and scripts are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

HIDING = ("hidden", "aria-hidden", "style")
"""The attributes that `is_hidden_tag` asks for."""

_NO_DISPLAY = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden")
_ZERO = r"\s*:\s*0*(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)"
_NO_SIZE = re.compile(rf"font-size{_ZERO}|(?<![\w-])opacity{_ZERO}")
_TINY = re.compile(r"font-size\s*:\s*(?:0?\.\d+|1(?:\.\d+)?)px")
_AWAY = re.compile(
    r"(?:text-indent|(?<![\w-])(?:left|top|margin-left))\s*:\s*-\d{4,}|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%"
)
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;!]+)")
_GROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!]+)")
_SIMPLE = re.compile(r"[.#][\w-]+")
_COMMENT_BODY = r"/\*[^*]*(?:\*(?!/)[^*]*)*"  # one way to match, so linear; possessive forms of it fail before Python 3.11.5
_COMMENT = re.compile(rf"{_COMMENT_BODY}\*/")
_BRACE_OR_COMMENT = re.compile(rf"{_COMMENT_BODY}(?:\*/)?|[{{}}]")
MAX_SHEET_CHARS = 500_000
_WHITE = frozenset({"white", "#fff", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)", "hsl(0,0%,100%)"})


def is_hidden_tag(attributes: Mapping[str, str]) -> bool:
    """Whether a tag with these attributes (lower-case names) keeps its content from a reader's eyes."""
    if "hidden" in attributes and attributes["hidden"].lower() != "until-found":
        return True
    if attributes.get("aria-hidden", "").lower() == "true":
        return True
    style = attributes.get("style")
    return bool(style) and _hides(style.lower())  # type: ignore[union-attr]


def _hides(style: str) -> bool:
    if any(pattern.search(style) for pattern in (_NO_DISPLAY, _NO_SIZE, _TINY, _AWAY)):
        return True
    colour = _COLOUR.search(style)
    if colour is None:
        return False
    ink = _plain(colour[1])
    if ink == "transparent" or re.fullmatch(r"rgba\(.*,0(?:\.0+)?\)", ink):
        return True
    ground = _GROUND.search(style)
    if ground is None:  # on the page's own white
        return ink in _WHITE
    paper = _plain(ground[1])
    return ink == paper or (ink in _WHITE and paper in _WHITE)


def concealed_by(sheet: str) -> frozenset[str]:
    """Return the simple selectors (`.note`, `#tail`) that a style sheet hides and no other rule of it shows again.

    A class that another rule mentions with a `display` of its own (`.tab.active { display: block }`) is a part of the page
    that readers open, not hidden text.
    """
    hiding: set[str] = set()
    opened: set[str] = set()
    for selectors, style in _rules(sheet[:MAX_SHEET_CHARS].lower()):
        hides = _hides(style)
        for selector in selectors.split(","):
            selector = selector.strip()
            if hides and _SIMPLE.fullmatch(selector):
                hiding.add(selector)
            elif "display" in style and not hides:
                opened.update(_SIMPLE.findall(selector))
    return frozenset(hiding - opened)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """(selectors, declarations) of the top-level rules; what stands in `@media` and the like is left out."""
    depth = start = 0
    selectors = ""
    for brace in _BRACE_OR_COMMENT.finditer(sheet):
        if brace[0] == "{":
            if depth == 0:
                selectors, start = sheet[start : brace.start()], brace.end()
            depth += 1
        elif brace[0] == "}" and depth:
            depth -= 1
            if depth == 0:
                if "@" not in selectors:
                    yield _COMMENT.sub(" ", selectors).strip(), _COMMENT.sub(" ", sheet[start : brace.start()])
                start = brace.end()


def _plain(colour: str) -> str:
    return re.sub(r"\s+", "", colour)
