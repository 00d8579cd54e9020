"""Text becomes an element tree, whatever it nests.

libxml2 stops at 256 levels (2,048 when told that the document is huge) and drops all that follows. A page that hits a limit is
read again with the higher one, and if that is not enough, without its wrappers: words in paragraphs, structure lost. Entities
are never expanded from a document's own declarations, and nothing is fetched. What libxml2 takes for an attribute but XML does
not (`<div a<b="1" {x}="2">`, which browsers bear) is taken off, since reading it raises; so are attributes by the thousand.
"""

from __future__ import annotations

import re

from lxml import etree, html

from ingest.errors import DocumentTooLarge
from ingest.parse.hidden import HIDING

_DOCTYPE = re.compile(r"\A\s*(?:<\?xml[^>]*\?>\s*)?<!doctype[^>\[]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_NEVER_TEXT = re.compile(r"<(script|style|template)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_KEPT = re.compile(r"<(/?)(title|p|h[1-6]|pre|li|tr|br)\b[^<>]*>", re.IGNORECASE)
_INLINE = re.compile(r"</?(?:a|b|i|em|strong|span|code|font|u|s|sup|sub|small|big|mark|kbd|label|abbr)\b[^<>]*>", re.IGNORECASE)
_ANY = re.compile(r"<[/!?a-zA-Z][^<>]*>")
_LAST_TAG = re.compile(r"<[A-Za-z][\w-]*(?=[^<]*\Z)")
_NAME = re.compile(r"[^\W\d][\w.:-]*")

MAX_ATTRIBUTES = 2_000
"""Of one tag; libxml2's time grows with their square. A tag with more loses them all."""
MAX_TAGS = 3_000_000
"""A tree costs a quarter of a kilobyte an element."""


def read_tree(markup: str) -> tuple[etree._Element, bool]:
    """Return the root element, and whether the page nested too deep for its structure to be kept."""
    markup = _without_floods(_DOCTYPE.sub("", markup, count=1))
    if markup.count("<") > MAX_TAGS:
        raise DocumentTooLarge(f"a web page of more than {MAX_TAGS} tags is more than can be held in memory; split it")
    for huge in (False, True):
        root, cut = _parse(markup, huge)
        if root is not None and not cut:
            return root, False
        if root is None and not cut:
            return html.fromstring("<html/>"), False  # not one element or word
    root, _ = _parse(_flattened(markup), True)
    return (html.fromstring("<html/>") if root is None else root), True


def told(element: etree._Element) -> dict[str, str]:
    """What a tag says of being seen, for `is_hidden_tag`; no other attribute is read."""
    return {name: value for name in HIDING if (value := element.get(name)) is not None}


def _parse(markup: str, huge: bool) -> tuple[etree._Element | None, bool]:
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=huge)
    try:
        root = etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    cut = any("RESOURCE_LIMIT" in entry.type_name for entry in parser.error_log)
    if root is not None:
        _without_false_names(root)
    return root, cut


def _without_false_names(root: etree._Element) -> None:
    """Take attributes off whose names only the parser bears: lxml raises wherever they are read."""
    sound: set[str] = set()
    for element in root.iter():
        names = [str(name) for name in element.keys()]  # noqa: SIM118  # an element is no dict
        if sound.issuperset(names):
            continue
        kept = [name for name in names if _NAME.fullmatch(name)]
        sound.update(kept)
        if len(kept) == len(names):
            continue
        values = [(name, element.get(name) or "") for name in kept]
        element.attrib.clear()
        for name, value in values:
            element.set(name, value)


def _without_floods(markup: str) -> str:
    """A tag with more attributes than anybody writes loses them."""
    if markup.count("=") <= MAX_ATTRIBUTES:
        return markup
    parts = markup.split(">")
    for at, part in enumerate(parts):
        opened = _LAST_TAG.search(part) if len(part) > 3 * MAX_ATTRIBUTES else None
        if opened and part.count("=", opened.end()) > MAX_ATTRIBUTES:
            parts[at] = part[: opened.end()]
    return ">".join(parts)


def _flattened(markup: str) -> str:
    """The words of a page in unnested paragraphs."""
    text = _INLINE.sub("", _NEVER_TEXT.sub(" ", markup))
    text = _KEPT.sub(lambda m: f"\0{m[1]}{m[2]}\1" if m[2].lower() not in ("li", "tr") else "\0p\1", text)
    return _ANY.sub("<p>", text).replace("\0", "<").replace("\1", ">")
