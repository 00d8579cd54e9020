"""A root that is a URL, with the connector that reaches it: where errors of connectors become those of the product.

The decision worth knowing: what a connector raises is never trusted to be one of a few. Whatever happens while listing makes the
root unavailable, whatever happens while reading concerns one document, and nothing of either is ever a deletion.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from concurrent.futures import Future

from ingest.errors import DocumentError, DocumentTooLarge, DocumentUnreadable, RootUnavailable, UsageError
from ingest.model.source import Root
from ingest.protocols import Connector, Fetched, Listed, Unlisted
from ingest.settings import RootPart, SourcesPart
from ingest.sources.remote.connectors import connect
from ingest.sources.remote.patience import Unreachable


class Place:
    """A root and its connector. `ahead` holds what was downloaded before it was asked for (see `ahead`)."""

    def __init__(self, root: Root, part: RootPart, most_listed: int) -> None:
        self.root = root
        self.part = part
        self._most_listed = most_listed
        self._connector: Connector | None = None
        self.ahead: dict[str, Future[Fetched]] = {}

    @classmethod
    def of(cls, root: Root, settings: SourcesPart) -> Place:
        return cls(root, settings.roots.get(root.name, RootPart()), settings.max_listed)

    def listing(self, known: Mapping[str, str], within: str | None = None) -> Iterator[Listed | Unlisted]:
        """Everything that is listed. Raises RootUnavailable, ExtraMissing, UsageError."""
        try:
            if self._connector is None:
                self._connector = connect(self.root.location, self.part)
                weakref.finalize(self, self._connector.close)  # it serves as long as something that was listed may be read
            for count, one in enumerate(self._connector.listing(known, within)):
                if count >= self._most_listed:
                    raise RootUnavailable(
                        f"the root {self.root.name!r} ({self.root.location}) lists more than {self._most_listed} things; raise "
                        "sources.max_listed, or run a narrower URL"
                    )
                yield one
        except (RootUnavailable, UsageError):
            raise
        except Exception as error:
            raise self.away(error) from error

    def away(self, error: Exception) -> RootUnavailable:
        if isinstance(error, FileNotFoundError):
            what = "nothing is there; check the URL"
        elif isinstance(error, PermissionError):
            what = "it may not be listed; check the credentials"
        else:
            what = "try again when it can be reached"
        return RootUnavailable(
            f"the root {self.root.name!r} ({self.root.location}) cannot be listed: {_told(error)}; {what}"
        )

    def read(self, listed: Listed, uri: str, most: int) -> Fetched:
        """Read one thing. Raises FileNotFoundError; DocumentTooLarge and DocumentUnreadable, naming `uri`; RootUnavailable where
        the root as a whole has stopped to answer."""
        assert self._connector is not None, "listed before it is read"
        if listed.size is not None and listed.size > most:
            raise too_large(uri, most)
        try:
            fetched = self._connector.read(listed, most)
        except DocumentTooLarge:
            raise too_large(uri, most) from None
        except Unreachable as error:
            raise self._gone_quiet(error) from error
        except (FileNotFoundError, DocumentError):
            raise
        except PermissionError as error:
            raise DocumentUnreadable(
                f"{uri} is listed and may not be read: {_told(error)}; check who may, and run again", uri=uri
            ) from error
        except Exception as error:
            raise DocumentUnreadable(f"{uri} cannot be read: {_told(error)}; run again", uri=uri) from error
        if len(fetched.data) > most:
            raise too_large(uri, most)
        return fetched

    def find(self, path: str) -> Listed | None:
        """What is at a path now. Raises DocumentUnreadable and RootUnavailable."""
        assert self._connector is not None, "listed before it is asked"
        try:
            return self._connector.find(path)
        except Unreachable as error:
            raise self._gone_quiet(error) from error
        except Exception as error:
            uri = f"{self.root.name}/{path}"
            raise DocumentUnreadable(f"{uri} cannot be asked for: {_told(error)}; run again", uri=uri) from error

    def _gone_quiet(self, error: Exception) -> RootUnavailable:
        return RootUnavailable(
            f"the root {self.root.name!r} ({self.root.location}) stopped answering: {_told(error)}; what was published stays "
            "served; run again when it can be reached"
        )


def too_large(uri: str, most: int) -> DocumentTooLarge:
    return DocumentTooLarge(f"{uri} is larger than {most} bytes; raise sources.max_bytes, or ignore it", uri=uri)


def _told(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


