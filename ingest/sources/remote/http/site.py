"""A web site as a root: the pages below a URL that its sitemap or its settings list.

The decision worth knowing: a page that was read before is asked for under the condition that it changed, and what a sitemap says
of the last change only saves that question where it says that there was one. It is never trusted to say that there was none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import islice
from urllib.parse import unquote, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from ingest.errors import DocumentTooLarge
from ingest.protocols import Connector, Fetched, Listed, Unlisted
from ingest.settings import RootPart
from ingest.sources.names import spelled
from ingest.sources.remote.http.client import AddressRefused, Answer, Client
from ingest.sources.remote.http.robots import read_robots
from ingest.sources.remote.http.sitemap import MOST_BYTES, Page, pages_of
from ingest.sources.remote.patience import RETRYABLE, Patience
from ingest.sources.remote.tokens import of_headers
from ingest.sources.url import masked

_AT_ONCE = 64
_LONGEST_DELAY = 60.0
"""Seconds between requests that a site may ask for and be heeded: with a day between them nothing would ever be done."""


def connect(url: str, part: RootPart) -> Connector:
    """Return a connector of the pages below a URL. Nothing is asked yet. Raises ExtraMissing."""
    return Site(url, part, Client(url, part, Patience(part)))


class Site:
    """A Connector over the pages of one site below one URL."""

    def __init__(self, root: str, part: RootPart, client: Client) -> None:
        self._root = root
        self._part = part
        self._client = client
        self._changed: dict[str, str] = {}
        self._tried: dict[str, bytes] = {}
        """Sitemaps that were looked for and are there, until they are read."""

    def listing(self, known: Mapping[str, str], within: str | None = None) -> Iterator[Listed | Unlisted]:
        robots = read_robots(self._client, self._root) if self._part.robots else None
        if robots is not None:
            asked = float(robots.crawl_delay(self._part.agent) or 0)
            self._client.delay = max(self._client.delay, min(asked, _LONGEST_DELAY))
        with ThreadPoolExecutor(self._part.at_once, thread_name_prefix="asking") as pool:
            pages = self._below(self._pages(robots), robots)
            while some := list(islice(pages, _AT_ONCE)):
                yield from pool.map(lambda one: one if isinstance(one, Unlisted) else self._asked(one, known), some)

    def read(self, listed: Listed, most: int) -> Fetched:
        answer = self._client.get(listed.key, most)
        self._refuse_elsewhere(answer)
        return Fetched(answer.data, self._token(answer, listed.key), answer.headers.get("Content-Type", ""))

    def find(self, path: str) -> Listed | None:
        """None: which page is whose sidecar is known from the list alone."""
        return None

    def close(self) -> None:
        self._client.close()

    # --- which pages there are

    def _pages(self, robots: RobotFileParser | None) -> Iterable[Page]:
        if self._part.pages:
            return [Page(urljoin(self._root + "/", page)) for page in self._part.pages]
        return self._of_sitemaps(robots)

    def _of_sitemaps(self, robots: RobotFileParser | None) -> Iterator[Page]:
        for sitemap in self._sitemaps(robots):
            try:
                yield from pages_of(sitemap, self._sitemap)
            except ValueError as error:
                raise OSError(str(error)) from error

    def _sitemaps(self, robots: RobotFileParser | None) -> list[str]:
        if self._part.sitemap:
            return [urljoin(self._root + "/", self._part.sitemap)]
        beside = self._root + "/sitemap.xml"
        if self._is_there(beside):
            return [beside]
        named = robots.site_maps() if robots is not None else None
        at_host = urljoin(self._root, "/sitemap.xml")
        if not named and not self._is_there(at_host):
            raise FileNotFoundError("it has no sitemap; name one, or its pages, in [sources.roots.NAME]")
        return named or [at_host]

    def _is_there(self, url: str) -> bool:
        try:
            self._tried[url] = self._fetched(url, MOST_BYTES)
        except AddressRefused:
            raise
        except (FileNotFoundError, PermissionError):  # stores behind a web server answer 403 for what is not there
            return False
        return True

    def _sitemap(self, url: str, most: int) -> bytes:
        if url in self._tried:
            return self._tried.pop(url)
        if not self._client.is_allowed(url):
            raise PermissionError(f"the sitemap {url} is at another host; see hosts in docs/sources.md")
        try:
            return self._fetched(url, most)
        except FileNotFoundError as error:
            raise OSError(f"the sitemap {url} is not there") from error

    def _fetched(self, url: str, most: int) -> bytes:
        try:
            return self._client.get(url, most).data
        except DocumentTooLarge as error:
            raise OSError(f"the sitemap {url} is larger than {most} bytes; name the pages in [sources.roots.NAME]") from error

    def _below(self, pages: Iterable[Page], robots: RobotFileParser | None) -> Iterator[Listed | Unlisted]:
        """The pages below the root, each once, with their paths."""
        seen: set[str] = set()
        for page in pages:
            url = page.url.partition("#")[0]
            path = path_of(self._root, url)
            if url in seen:
                continue
            seen.add(url)
            if path is None:
                if self._part.pages:
                    yield Unlisted(masked(url), "it is named in the settings and not below the root")
                continue  # a sitemap may be of a whole site
            if robots is not None and not robots.can_fetch(self._part.agent, url):
                yield Unlisted(path, "robots.txt asks not to read it")
                continue
            self._changed[url] = page.changed
            yield Listed(path, url)

    # --- whether they are the same

    def _asked(self, listed: Listed, known: Mapping[str, str]) -> Listed:
        """What was listed, with the token that it has now where it had one before."""
        token = known.get(listed.path)
        if not token or _part(token, "lastmod") != self._changed[listed.key].replace(" ", ""):
            return listed
        try:
            answer = self._client.get(listed.key, 0, _conditions(token), body=False)
            self._refuse_elsewhere(answer)
        except RETRYABLE:
            raise
        except OSError:
            return listed  # what is wrong with it is told when it is read
        if answer.status == 304 and answer.headers.get("ETag", _part(token, "etag")) == _part(token, "etag"):
            return Listed(listed.path, listed.key, token)
        return Listed(listed.path, listed.key, self._token(answer, listed.key) if answer.status == 200 else "")

    def _token(self, answer: Answer, url: str) -> str:
        token = of_headers(answer.headers, datetime.now(UTC))
        changed = self._changed.get(url, "").replace(" ", "")
        return f"{token} lastmod={changed}" if token and changed else token

    def _refuse_elsewhere(self, answer: Answer) -> None:
        """A page that is redirected out of the root is most likely a login or a notice, and no text of the root."""
        host = urlsplit(answer.url).hostname or ""
        if path_of(self._root, answer.url) is None and host not in self._part.hosts:
            raise PermissionError(f"it is redirected to {urlsplit(answer.url).path or '/'}, which is not below the root")


def path_of(root: str, url: str) -> str | None:
    """Return the path below a root of a page: `index.html` for a folder, and its query as part of its name. None when it is not
    below it."""
    base, parts = urlsplit(root), urlsplit(url)
    try:
        ports = base.port or _port(base.scheme), parts.port or _port(parts.scheme)
    except ValueError:
        return None
    # A page may be listed or redirected under https where the root says http, each at its usual port.
    secured = (base.scheme, parts.scheme) == ("http", "https") and ports == (80, 443)
    if parts.hostname != base.hostname or not (ports[0] == ports[1] or secured):
        return None
    wanted = [unquote(part) for part in base.path.split("/") if part]
    at = [_decoded(part) for part in parts.path.split("/")[1:]]
    if [unquote(part) for part in parts.path.split("/")[1:]][: len(wanted)] != wanted:
        return None
    below = at[len(wanted) :]
    if not below or below[-1] == "":
        below = [*below[:-1], "index.html"]
    if parts.query:
        below[-1] += "?" + parts.query.replace("/", "%2F")
    return "/".join(below)


def _decoded(part: str) -> str:
    """A part of a URL's path as it enters a path: what would be another path once decoded stays as it is written."""
    plain = unquote(part)
    return part if "/" in plain else spelled(plain)


def _port(scheme: str) -> int:
    return {"http": 80, "https": 443}.get(scheme, 0)


def _part(token: str, name: str) -> str:
    """One field of a token; an etag may have spaces in it."""
    pattern = rf"(?:^| ){name}=(.*?)(?= written=| lastmod=|$)"
    found = re.search(pattern, token)
    return found[1] if found else ""


def _conditions(token: str) -> dict[str, str]:
    """The question "did it change?". A weak etag is no part of it: what it calls unchanged may have other bytes."""
    tag, written = _part(token, "etag"), _part(token, "written")
    conditions = {"If-None-Match": tag} if tag and not tag.startswith("W/") else {}
    if written:
        conditions["If-Modified-Since"] = format_datetime(datetime.fromisoformat(written), usegmt=True)
    return conditions
