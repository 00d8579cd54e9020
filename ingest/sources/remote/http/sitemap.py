"""Sitemaps (sitemaps.org): the pages that a site lists, from one file or an index of several, packed or not.

In: the bytes of sitemaps. Out: pages with what is said of their last change. The decision worth knowing: an index of which one
part cannot be read is an error of the whole: the pages of that part must not look deleted.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MOST_BYTES = 50 * 2**20
"""Of one sitemap, unpacked: the limit that the protocol has."""
_MOST_MAPS = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a sitemap. `changed` is its `lastmod` as written, empty where it has none."""

    url: str
    changed: str = ""


def pages_of(url: str, get: Callable[[str, int], bytes]) -> Iterator[Page]:
    """Yield the pages of the sitemap at `url`, through indexes. `get(url, most)` returns bytes. Raises ValueError for what is no
    sitemap, and what `get` raises."""
    waiting, seen = [url], {url}
    while waiting:
        at = waiting.pop(0)
        for kind, page in _read(_unpacked(get(at, MOST_BYTES), at), at):
            if kind == "url":
                yield page
            elif page.url not in seen:
                seen.add(page.url)
                waiting.append(page.url)
                if len(seen) > _MOST_MAPS:
                    raise ValueError(f"the sitemap {url} leads to more than {_MOST_MAPS} others")


def _unpacked(data: bytes, url: str) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    unpack = zlib.decompressobj(31)
    try:
        plain = unpack.decompress(data, MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"the sitemap {url} cannot be unpacked: {error}") from error
    if unpack.unconsumed_tail:
        raise ValueError(f"the sitemap {url} unpacks to more than {MOST_BYTES} bytes")
    if not unpack.eof:
        raise ValueError(f"the sitemap {url} is cut")
    return plain


def _read(data: bytes, url: str) -> Iterator[tuple[str, Page]]:
    """(`url` or `sitemap`, what it is of) of every entry of one file."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        top = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ValueError(f"the sitemap {url} is not XML: {error}") from error
    if etree.ElementTree(top).docinfo.doctype:  # type: ignore[attr-defined]
        raise ValueError(f"the sitemap {url} has a document type, which sitemaps have not")
    kinds = {"urlset": "url", "sitemapindex": "sitemap"}
    kind = kinds.get(_bare(top.tag))
    if kind is None:
        raise ValueError(f"{url} is no sitemap: it is a <{_bare(top.tag)}>")
    for entry in top:
        if _bare(entry.tag) == kind:
            said = {_bare(child.tag): (child.text or "").strip() for child in entry}
            if said.get("loc"):
                yield kind, Page(said["loc"], said.get("lastmod", ""))


def _bare(tag: object) -> str:
    return str(tag).rpartition("}")[2] if isinstance(tag, str) else ""
