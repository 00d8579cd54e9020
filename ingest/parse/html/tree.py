"""Text becomes an element tree, whatever it nests.

libxml2 stops at 256 levels (2,048 when told that the document is huge) and drops all that follows. A page that hits a limit is
read again with the higher one, and if that is not enough, without its wrappers: words in paragraphs, structure lost. Entities
are never expanded from a document's own declarations, and nothing is fetched.
"""

from __future__ import annotations

import re

from lxml import etree, html

_DOCTYPE = re.compile(r"\A\s*(?:<\?xml[^>]*\?>\s*)?<!doctype[^>\[]*(?:\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_NEVER_TEXT = re.compile(r"<(script|style|template)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_KEPT = re.compile(r"<(/?)(title|p|h[1-6]|pre|li|tr|br)\b[^<>]*>", re.IGNORECASE)
_INLINE = re.compile(r"</?(?:a|b|i|em|strong|span|code|font|u|s|sup|sub|small|big|mark|kbd|label|abbr)\b[^<>]*>", re.IGNORECASE)
_ANY = re.compile(r"<[/!?a-zA-Z][^<>]*>")


def read_tree(markup: str) -> tuple[etree._Element, bool]:
    """Return the root element, and whether the page nested too deep for its structure to be kept."""
    markup = _DOCTYPE.sub("", markup, count=1)
    for huge in (False, True):
        root, cut = _parse(markup, huge)
        if root is not None and not cut:
            return root, False
        if root is None and not cut:
            return html.fromstring("<html/>"), False  # not one element or word
    root, _ = _parse(_flattened(markup), True)
    return (html.fromstring("<html/>") if root is None else root), True


def _parse(markup: str, huge: bool) -> tuple[etree._Element | None, bool]:
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=huge)
    try:
        root = etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    cut = any("RESOURCE_LIMIT" in entry.type_name for entry in parser.error_log)
    return root, cut


def _flattened(markup: str) -> str:
    """The words of a page in unnested paragraphs."""
    text = _INLINE.sub("", _NEVER_TEXT.sub(" ", markup))
    text = _KEPT.sub(lambda m: f"\0{m[1]}{m[2]}\1" if m[2].lower() not in ("li", "tr") else "\0p\1", text)
    return _ANY.sub("<p>", text).replace("\0", "<").replace("\1", ">")
