"""Which element of a page holds its main content.

trafilatura says which words are content; it rebuilds them, so its answer is mapped back: the element of our own tree that
holds nearly all of those words is the main element. Where it finds nothing, or so little that it must have missed, what the
page itself declares counts: `<main>`, one `<article>`, else the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from ingest.parse.hidden import is_hidden_tag
from ingest.parse.html.table import spanned
from ingest.parse.html.tree import told

MAX_LOCATED_CHARS = 3_000_000
MAX_LOCATED_ELEMENTS = 60_000
MAX_LOCATED_DEPTH = 200
"""Beyond these the locator is not asked: its time grows faster than the page, its copies recurse."""

ENOUGH_OF_FOUND = 0.95
"""The main element holds this share of the found words: a stray line elsewhere must not make the whole page main."""

MANY_CODES = 4
"""Pieces of code, from which on a page is a manual."""
LEAST_ALONE = 250
"""Characters of running text that make an article, whatever else is on the page."""
LEAST_SHARE = 0.4
"""Of the running text of the declared container. Below it the locator took a part for the whole."""
PROSE = 40
"""Characters between two tags of a block that are running text and not a label or the name of a link; a third in Chinese."""

MANY_LINKS = 5

LEAST_TELLING = 18
"""Characters of a text that is hardly anywhere else on its page."""

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
_DOCUMENTING = re.compile(
    r"rustdoc|mkdocs|docusaurus|sphinx|docutils|vitepress|vuepress|gitbook|docfx|javadoc|doxygen|asciidoctor|antora|mdbook|docsify|"
    r"starlight",
    re.IGNORECASE,
)
_DOCUMENTED = re.compile(r"(?:^|\s)(?:theme-doc-markdown|md-typeset|rst-content|vp-doc|markdown-body|rustdoc|sphinx\S*)(?:\s|$)")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BESIDE = re.compile(
    r"(?:^|[\s_-])(?:side|sidebar|(?:right|left)(?:rail|col|column|side|bar)?|rail|foot|footer|bottom|comments?|disqus|related|widgets?|"
    r"promos?|recommend\w*|hot|rank\w*|ads?)\d*(?:$|[\s_-])",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s+")
_HAN = re.compile("[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Located:
    """`main` is the element; `around` are parts of it that look like furniture and hold none of the found words; `found` are the
    beginnings of what is content, without white space, empty where the locator is not to be trusted with this page."""

    main: etree._Element | None
    around: frozenset[etree._Element] = frozenset()
    found: frozenset[str] = frozenset()


def locate(root: etree._Element, size: int) -> Located:
    """Return the main element of a page of `size` characters; None stands for all of it."""
    declared = _declared(root)
    prefixes = _content_prefixes(root) if size <= MAX_LOCATED_CHARS and _is_modest(root) else frozenset()
    weights = _found_words(root, prefixes)
    if not weights:
        return Located(declared)
    body = next(root.iterchildren("body"), root)
    found = _narrowest(body, weights)
    if _is_manual(root):
        main = declared if declared is not None else found
        return Located(None if main is body else main, _named_aside(main, weights))
    if not _is_most(found, declared if declared is not None else body):
        return Located(declared, _named_aside(declared if declared is not None else body, weights))
    around = _named_aside(found, weights) | _link_lists(found, weights)
    return Located(None if found is body else found, around, prefixes)


def _is_manual(root: etree._Element) -> bool:
    """Whether a page is of documentation: made by a tool for it, or full of code. Short words and links are content there too."""
    tags = (tag for tag in root.iterdescendants("meta") if (tag.get("name") or "").lower() == "generator")
    if any(_DOCUMENTING.search(tag.get("content") or "") for tag in tags):
        return True
    if any(_DOCUMENTED.search(element.get("class") or "") for element in root.iterdescendants("body", "main", "article", "div")):
        return True
    return sum(1 for _ in islice(root.iterdescendants("pre"), MANY_CODES)) == MANY_CODES


def _is_most(found: etree._Element, container: etree._Element) -> bool:
    """Whether the locator took all of the page, and not a section for the whole.

    The running text of the container must mostly be in it; a page without a declared one has many small texts around an article,
    so there it is enough that nothing else on the page is as large, and no other part is made alike.
    """
    here, everything = _prose(found), _prose(container)
    if not everything:
        here, everything = _visible_chars(found), _visible_chars(container)
    if here >= LEAST_SHARE * everything:
        return True
    if container.tag not in ("body", "html") or here < LEAST_ALONE or here < 0.1 * everything:
        return False
    kind = (found.tag, found.get("class"))
    inside: etree._Element = found
    while inside is not container and (parent := inside.getparent()) is not None:
        others = [other for other in parent if other is not inside and isinstance(other.tag, str) and not _is_beside(other)]
        if any(_prose(other) > (0.3 if (other.tag, other.get("class")) == kind else 1.2) * here for other in others):
            return False
        inside = parent
    return True


def _is_beside(element: etree._Element) -> bool:
    """Whether its name says that it stands beside or below the article."""
    names = _HUMP.sub("-", f"{element.get('class') or ''} {element.get('id') or ''}")
    return element.tag in ("aside", "footer", "nav") or bool(_BESIDE.search(names))


def _declared(root: etree._Element) -> etree._Element | None:
    """What the page says: `<main>`, `role=main`, a single `<article>`; the first that has words."""
    mains = list(root.iterdescendants("main")) or [e for e in root.iterdescendants() if e.get("role") == "main"]
    articles = list(root.iterdescendants("article"))
    for element in [*mains[:1], *(articles if len(articles) == 1 else [])]:
        if _visible_chars(element) > 0:
            return element
    return None


def _found_words(root: etree._Element, prefixes: frozenset[str]) -> dict[etree._Element, int]:
    """Element -> characters of content in it, for every element that holds some.

    Short words count only where there are no longer ones: `News` and `Mobile` are in a hundred places of a page.
    """
    unseen = _unseen(root) if prefixes else set()
    for least in (LEAST_TELLING, 1):
        weights: dict[etree._Element, int] = {}
        for element in root.iterdescendants(*_LEAVES) if prefixes else ():
            length = sum(len(text) for text in _own_texts(element) if len(text) >= least and text[:_PREFIX] in prefixes)
            counted: etree._Element | None = element if length and element not in unseen else None
            while counted is not None:
                weights[counted] = weights.get(counted, 0) + length
                counted = counted.getparent()
        if weights:
            return weights
    return {}


def _unseen(root: etree._Element) -> set[etree._Element]:
    found: set[etree._Element] = set()
    for element in root.iterdescendants():
        if element not in found and is_hidden_tag(told(element)):
            found.update(element.iter())
    return found


def _own_texts(element: etree._Element) -> Iterator[str]:
    """What stands in an element itself: all of it, or where it has blocks inside, the texts between them."""
    if element.tag not in ("div", "td") or next(element.iterdescendants(*_LEAVES), None) is None:
        yield _squeezed(element)
        return
    for text in (element.text, *(child.tail for child in element)):
        if text and len(text) >= LEAST_TELLING:
            yield _SPACE.sub("", text)[: 4 * _PREFIX]


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
    texts = (text for element in found.body.iter() for text in (_squeezed(element), _SPACE.sub("", element.tail or "")))
    return frozenset(text[:_PREFIX] for text in texts if text)


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


def _prose(element: etree._Element) -> int:
    """Characters of running text and of code, outside links and navigation."""
    total = skipped = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        silent = (node.tag in _SILENT or node.tag == "a") and node is not element
        if event == "start":
            skipped += silent
            if not skipped and node.text:
                total += _running(node.text) if node.tag != "pre" else len(node.text)
        else:
            skipped -= silent
            if not skipped and node.tail and node is not element:
                total += _running(node.tail)
    return total


def _running(text: str) -> int:
    length = len(_SPACE.sub("", text))
    return length if length + 2 * len(_HAN.findall(text[:PROSE])) >= PROSE else 0


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
