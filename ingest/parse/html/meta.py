"""What a page says of itself in its head: title, descriptions and dates, schema.org JSON-LD, language.

Nothing is interpreted here; `Document.embedded` hands it on as it was said. Only plain JSON leaves: no NaN, no lone surrogates.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from lxml import etree

from ingest.model.frontmatter import ACCESS_KEYS, normal_key

MAX_JSONLD_CHARS = 2_000_000
MAX_JSONLD_DEPTH = 50
MAX_META_CHARS = 4_000
MAX_PAIRS = 500
MAX_ITEMS = 30
MAX_PROPERTIES = 60
MAX_TIMES = 5

_META_NAMES = frozenset(
    {
        "description", "author", "keywords", "date", "generator", "last-modified", "revised", "version",
        "article:published_time", "article:modified_time", "article:author", "article:section", "article:tag",
        "og:title", "og:description", "og:site_name", "og:type", "og:url", "og:locale", "og:updated_time",
        "dc.title", "dc.creator", "dc.date", "dc.description", "dc.publisher", "dc.language", "dcterms.created",
        "dcterms.modified", "dcterms.date", "citation_title", "citation_author", "citation_publication_date",
        "datepublished", "datemodified", "publishdate", "pubdate",
        # of Chinese government sites (GB/T 33477 and its practice)
        "articletitle", "contentsource", "sitename", "columnname", "columntype",
        "valid_from", "valid-from", "validfrom", "valid_until", "valid-until", "validuntil", "validthrough",
    }
)  # fmt: skip


def embedded_of(root: etree._Element) -> dict[str, Any]:
    """Return `jsonld` and `microdata` (lists), `meta` (name -> content, or a list of them), `times` (of `<time>`, as written),
    `lang`, `canonical`; only what is there."""
    found: dict[str, Any] = {}
    jsonld = list(_jsonld(root))
    if jsonld:
        found["jsonld"] = jsonld
    microdata = list(_microdata(root))
    if microdata:
        found["microdata"] = microdata
    meta = _meta(root)
    if meta:
        found["meta"] = meta
    times = dict.fromkeys(said for time in root.iterdescendants("time") if (said := (time.get("datetime") or "").strip()[:40]))
    if times:
        found["times"] = list(times)[:MAX_TIMES]
    lang = (root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang") or "").strip()
    if lang:
        found["lang"] = lang
    for link in root.iterdescendants("link"):
        if "canonical" in (link.get("rel") or "").lower().split() and link.get("href"):
            found["canonical"] = (link.get("href") or "").strip()
            break
    return found


def title_of(root: etree._Element, heading: str | None) -> str | None:
    """Return the page's title: the first heading where `<title>` only adds the site's name to it, else `<title>`."""
    element = next(root.iterdescendants("title"), None)
    title = " ".join("".join(map(str, element.itertext())).split()) if element is not None else ""
    if heading and (not title or heading.casefold() in title.casefold()):
        return heading
    return title or heading or None


def _meta(root: etree._Element) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tag in root.iterdescendants("meta"):
        name = (tag.get("name") or tag.get("property") or tag.get("itemprop") or "").strip().lower()
        content = " ".join((tag.get("content") or "").split())[:MAX_META_CHARS]
        # What looks like a rule about readers is handed on too: whoever reads metadata refuses it rather than miss it.
        if not (name in _META_NAMES or normal_key(name) in ACCESS_KEYS) or not content:
            continue
        if name not in found:
            found[name] = content
        elif isinstance(found[name], list):
            found[name].append(content)
        elif found[name] != content:
            found[name] = [found[name], content]
    return found


def _microdata(root: etree._Element) -> Iterator[dict[str, Any]]:
    """The schema.org items of a page: `type`, and what each property says, nested items as items."""
    budget = MAX_ITEMS
    for element in root.iterdescendants():
        if element.get("itemscope") is None or element.get("itemprop") is not None or not element.get("itemtype"):
            continue
        budget -= 1
        if budget < 0:
            return
        item = _item(element, 4)
        if len(item) > 1:
            yield item


def _item(element: etree._Element, depth: int) -> dict[str, Any]:
    item: dict[str, Any] = {"type": (element.get("itemtype") or "").split("/")[-1].split("#")[-1][:80]}
    waiting = list(reversed(element))
    while waiting and len(item) < MAX_PROPERTIES:
        child = waiting.pop()
        name = (child.get("itemprop") or "").split()
        nested = child.get("itemscope") is not None
        if name:
            value: Any = _item(child, depth - 1) if nested and depth else None if nested else _property(child)
            if value and name[0] != "type" and name[0] not in item:
                item[name[0][:80]] = value
        if not nested:
            waiting += reversed(child)
    return item


def _property(element: etree._Element) -> str:
    """What a property says: its machine's form where there is one."""
    for attribute in ("content", "datetime", "value", "href", "src", "data"):
        if said := (element.get(attribute) or "").strip():
            return " ".join(said.split())[:MAX_META_CHARS] if not said.startswith("data:") else ""
    return " ".join("".join(map(str, element.itertext())).split())[:MAX_META_CHARS]


def _jsonld(root: etree._Element) -> Iterator[Any]:
    budget = MAX_JSONLD_CHARS
    for script in root.iterdescendants("script"):
        if (script.get("type") or "").split(";")[0].strip().lower() != "application/ld+json":
            continue
        raw = "".join(map(str, script.itertext())).strip()
        raw = re.sub(r"\A(?:<!--|<!\[CDATA\[|//<!\[CDATA\[)|(?:-->|\]\]>|//\]\]>)\Z", "", raw).strip().rstrip(";")
        budget -= len(raw)
        if budget < 0:
            return
        try:
            value = json.loads(raw, strict=False, parse_constant=lambda _: None)
            value = _clean(value, MAX_JSONLD_DEPTH)
        except (ValueError, RecursionError):
            continue  # a page's own broken data is its affair: the text is what we came for
        if isinstance(value, list):
            yield from value
        elif value:
            yield value


def _clean(value: Any, depth: int) -> Any:
    """What can be kept as JSON everywhere: texts of Unicode, numbers of 64 bits. Raises ValueError where it nests deeper."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if abs(value) < 1e308 else None
    if isinstance(value, int):
        return value if value.bit_length() < 64 else str(value)
    if isinstance(value, list | dict) and not depth:
        raise ValueError("nested too deeply")
    if isinstance(value, list):
        return [_clean(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {_clean(key, depth): _clean(item, depth - 1) for key, item in value.items()}
    return value


def faq_pairs(jsonld: list[Any]) -> Iterator[tuple[str, str]]:
    """The (question, answer) pairs of every schema.org FAQPage; answers may hold HTML."""
    waiting = deque(jsonld)
    found = 0
    while waiting and found < MAX_PAIRS:
        node = waiting.popleft()
        if isinstance(node, list):
            waiting.extendleft(reversed(node))
        elif isinstance(node, dict):
            waiting.extend(node[key] for key in ("@graph", "mainEntity", "hasPart") if key in node)
            if "Question" not in _types(node):
                continue
            answer = node.get("acceptedAnswer") or node.get("suggestedAnswer") or {}
            answer = answer[0] if isinstance(answer, list) and answer else answer
            question, text = node.get("name") or node.get("text"), answer.get("text") if isinstance(answer, dict) else answer
            if isinstance(question, str) and isinstance(text, str) and question.strip() and text.strip():
                found += 1
                yield question, text


def _types(node: dict[str, Any]) -> set[str]:
    declared = node.get("@type")
    named = declared if isinstance(declared, list) else [declared]
    return {name.rpartition("/")[2] for name in named if isinstance(name, str)}
