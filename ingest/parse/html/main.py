"""Which element of a page holds its main content.

trafilatura says which words are content; it rebuilds them, so its answer is mapped back: the element of our own tree that
holds nearly all of those words is the main element. Where it finds nothing, or so little that it must have missed, what the
page itself declares counts: `<main>`, one `<article>`, else the body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from ingest.parse.html.table import spanned

MAX_LOCATED_CHARS = 3_000_000
MAX_LOCATED_ELEMENTS = 60_000
MAX_LOCATED_DEPTH = 200
"""Beyond these the locator is not asked: its time grows faster than the page, its copies recurse."""

ENOUGH_OF_FOUND = 0.95
"""The main element holds this share of the found words: a stray line elsewhere must not make the whole page main."""

LEAST_SHARE = 0.4
"""Of the words of the declared container outside its navigation. Below it the locator took a part for the whole."""

MANY_LINKS = 5

_PREFIX = 30
_LEAVES = (
    "p", "li", "td", "th", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "figcaption", "summary", "div",
)  # fmt: skip
_ATOMS = frozenset(
    {
        "p", "ul", "ol", "dl", "table", "pre", "blockquote", "figure", "details", "h1", "h2", "h3", "h4", "h5", "h6",
        "li", "tr", "td", "th", "tbody", "thead", "dt", "dd", "span", "a", "b", "i", "em", "strong",
    }
)  # fmt: skip
_SILENT = frozenset(
    {
        "script", "style", "noscript", "template", "head", "nav", "footer", "aside", "select", "button",
    }
)  # fmt: skip
_ASIDE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:share|social|related|recommend(?:ed|ations)?|breadcrumbs?|pagination|pager|comments?|cookies?|newsletter|subscribe|"
    r"promo|advert(?:isement)?|ads?|sidebar|toc|table-of-contents|menu|navbar|feedback|rating)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Located:
    """`main` is the element; `around` are parts of it that look like furniture and hold none of the found words."""

    main: etree._Element | None
    around: frozenset[etree._Element] = frozenset()


def locate(root: etree._Element, size: int) -> Located:
    """Return the main element of a page of `size` characters; None stands for all of it."""
    declared = _declared(root)
    weights = _found_words(root, size)
    if not weights:
        return Located(declared)
    body = next(root.iterchildren("body"), root)
    found = _narrowest(body, weights)
    container = declared if declared is not None else body
    if found is body or _visible_chars(found) < LEAST_SHARE * _visible_chars(container):
        return Located(declared, _named_aside(container, weights))
    return Located(found, _named_aside(found, weights) | _link_lists(found, weights))


def _declared(root: etree._Element) -> etree._Element | None:
    """What the page says: `<main>`, `role=main`, a single `<article>`; the first that has words."""
    mains = list(root.iterdescendants("main")) or [e for e in root.iterdescendants() if e.get("role") == "main"]
    articles = list(root.iterdescendants("article"))
    for element in [*mains[:1], *(articles if len(articles) == 1 else [])]:
        if _visible_chars(element) > 0:
            return element
    return None


def _found_words(root: etree._Element, size: int) -> dict[etree._Element, int]:
    """Element -> characters of content in it, for every element that holds some."""
    if size > MAX_LOCATED_CHARS or not _is_modest(root):
        return {}
    prefixes = _content_prefixes(root)
    weights: dict[etree._Element, int] = {}
    if not prefixes:
        return weights
    for element in root.iterdescendants(*_LEAVES):
        if element.tag == "div" and next(element.iterdescendants(*_LEAVES), None) is not None:
            continue
        text = _squeezed(element)
        if text and text[:_PREFIX] in prefixes:
            counted: etree._Element | None = element
            while counted is not None:
                weights[counted] = weights.get(counted, 0) + len(text)
                counted = counted.getparent()
    return weights


def _is_modest(root: etree._Element) -> bool:
    """Whether the locator may be asked. It repeats spanned cells, so a span counts as that many elements."""
    depth = elements = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if event == "start":
            elements += 1 if element.tag not in ("td", "th") else spanned(element, "colspan") * spanned(element, "rowspan")
        if depth > MAX_LOCATED_DEPTH or elements > MAX_LOCATED_ELEMENTS:
            return False
    return True


def _content_prefixes(root: etree._Element) -> frozenset[str]:
    """The beginnings of the paragraphs, cells and items that trafilatura takes for content."""
    import logging

    from trafilatura import bare_extraction
    from trafilatura.settings import Document as Extracted

    # It works on a copy of an HtmlElement, and takes no other element.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it reports every page without an article as an error
    try:
        found = bare_extraction(root, favor_precision=True, include_comments=False, with_metadata=False)
    except Exception:  # a heuristic over hostile trees: whatever it trips over, the declared container is there
        return frozenset()
    if not isinstance(found, Extracted) or found.body is None:
        return frozenset()
    return frozenset(text[:_PREFIX] for element in found.body.iter() if (text := _squeezed(element)))


def _narrowest(body: etree._Element, weights: dict[etree._Element, int]) -> etree._Element:
    """Go down while one child holds nearly all of the content."""
    total = weights.get(body, 0)
    here = body
    while True:
        inside = next((c for c in here if weights.get(c, 0) >= ENOUGH_OF_FOUND * total and c.tag not in _ATOMS), None)
        if inside is None:
            return here
        here = inside


def _named_aside(main: etree._Element, weights: dict[etree._Element, int]) -> frozenset[etree._Element]:
    """Parts without content whose class or id says that they are not it."""
    silent = (e for e in main.iterdescendants() if isinstance(e.tag, str) and e not in weights)
    return frozenset(e for e in silent if _ASIDE_NAMES.search(f"{e.get('class') or ''} {e.get('id') or ''}"))


def _link_lists(main: etree._Element, weights: dict[etree._Element, int]) -> frozenset[etree._Element]:
    """Lists without content that are nothing but links: languages, tags, other articles."""
    return frozenset(e for e in main.iterdescendants("ul", "ol") if e not in weights and _is_link_list(e))


def _is_link_list(element: etree._Element) -> bool:
    links = list(element.iterdescendants("a"))
    if len(links) < MANY_LINKS:
        return False
    linked = sum(len(_SPACE.sub("", piece)) for link in links for piece in map(str, link.itertext()))
    return linked >= 0.8 * _visible_chars(element)


def _visible_chars(element: etree._Element) -> int:
    total = 0
    skipped = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        silent = node.tag in _SILENT and node is not element
        if event == "start":
            skipped += silent
            if not skipped and node.text:
                total += len(_SPACE.sub("", node.text))
        else:
            skipped -= silent
            if not skipped and node.tail and node is not element:
                total += len(_SPACE.sub("", node.tail))
    return total


def _squeezed(element: etree._Element) -> str:
    text = ""
    for piece in element.itertext():
        text += _SPACE.sub("", str(piece))
        if len(text) > 4 * _PREFIX:
            break
    return text
