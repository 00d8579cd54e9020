"""Which connector reaches a URL: those that come with the product, and those of any distribution that is installed.

A distribution offers one by an entry point of the group `concord.sources`, named like the scheme, that leads to a function
`(url, RootPart) -> Connector`; see docs/connectors.md. A scheme of the product cannot be taken over.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import TypeAlias

from ingest.errors import ConcordError, UsageError
from ingest.protocols import Connector
from ingest.settings import RootPart
from ingest.sources.url import scheme_of

GROUP = "concord.sources"

Factory: TypeAlias = "Callable[[str, RootPart], Connector]"

_OWN = {
    "s3": "ingest.sources.remote.s3:connect",
    "gs": "ingest.sources.remote.clouds:google",
    "az": "ingest.sources.remote.clouds:azure",
    "abfs": "ingest.sources.remote.clouds:azure",
    "abfss": "ingest.sources.remote.clouds:azure",
    "sftp": "ingest.sources.remote.clouds:sftp",
    "memory": "ingest.sources.remote.clouds:memory",
    "http": "ingest.sources.remote.http.site:connect",
    "https": "ingest.sources.remote.http.site:connect",
}


def schemes() -> list[str]:
    """Return every scheme that a root may have here."""
    return sorted({*_OWN, *(point.name for point in entry_points(group=GROUP))})


def connect(url: str, part: RootPart) -> Connector:
    """Return the connector of a URL. Raises UsageError, ExtraMissing, and what connecting raises."""
    own = _OWN.get(scheme_of(url))
    if own is not None:
        module, _, name = own.partition(":")
        factory: Factory = getattr(import_module(module), name)
        return factory(url, part)
    points = list(entry_points(group=GROUP, name=scheme_of(url)))
    if not points:
        raise UsageError(
            f"{url} cannot be read: nothing here knows {scheme_of(url)}://; there are {', '.join(schemes())}, and those that "
            "other distributions bring (docs/connectors.md)"
        )
    point, *others = points
    if others:
        raise UsageError(f"{scheme_of(url)}:// is offered by several distributions; uninstall all but one: {point.value}, "
                         f"{', '.join(other.value for other in others)}")
    try:
        factory = point.load()
    except ConcordError:
        raise
    except Exception as error:
        raise UsageError(f"the connector of {scheme_of(url)}:// ({point.value}) cannot be loaded: {error}") from error
    return factory(url, part)
