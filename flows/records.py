"""The sources of a generation, each decoded when somebody asks for it: a base has many, and a run looks at few."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ingest.errors import Inconsistent
from ingest.model.codec import decode
from ingest.model.source import SourceRecord
from ingest.store.catalog import Catalog, Fact

_DATING = ("family", "supersedes", "valid_from", "valid_until")


def catalogued(catalog: Catalog, generation: int) -> Records:
    """Return every source of a generation."""
    return Records(catalog.facts("sources", generation))


def _decoded(id: str, stated: dict[str, Any]) -> SourceRecord:
    try:
        return decode(SourceRecord, stated)
    except (ValueError, TypeError) as error:
        raise Inconsistent(f"the catalog's record of the source {id} cannot be read ({error}); run: ingest verify") from error


class Records(Mapping[str, SourceRecord]):
    """Sources by id. Asked twice, they are the same objects."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._stated = {fact.id: fact.stated(SourceRecord) for fact in facts}
        self._decoded: dict[str, SourceRecord] = {}

    def __getitem__(self, id: str) -> SourceRecord:
        found = self._decoded.get(id)
        if found is None:
            found = self._decoded[id] = _decoded(id, self._stated[id])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._stated)

    def __len__(self) -> int:
        return len(self._stated)

    def stated(self) -> Iterable[tuple[str, dict[str, Any]]]:
        """Every id with its record as JSON types."""
        return self._stated.items()

    def said(self, id: str) -> dict[str, Any]:
        """The record of one source as JSON types. Raises KeyError."""
        return self._stated[id]

    def failed(self) -> list[str]:
        """Ids of the sources with a failure."""
        return [id for id, stated in self._stated.items() if stated["failure"] is not None]

    def dated(self) -> list[str]:
        """Ids of the sources that may close, or are closed by, one another: whoever says anything of families or validity, or
        has a window. The others hold without end, whatever else is there, unless one of these names them."""
        return [
            id for id, stated in self._stated.items()
            if stated["valid_from"] or stated["valid_until"] or any(map(stated["declared"].get, _DATING))
        ]

    def declaring(self, keys: Collection[str]) -> list[str]:
        """Ids of the sources whose metadata have one of these keys among those that nobody else knows."""
        return [id for id, stated in self._stated.items() if not stated["declared"]["extra"].keys().isdisjoint(keys)]

    def named(self, names: Collection[str]) -> list[str]:
        """Ids of the sources of these uris or paths."""
        return [
            id for id, stated in self._stated.items()
            if stated["path"] in names or f"{stated['root']}/{stated['path']}" in names
        ] if names else []
