"""What a reviewed document asserts of its own accord: in front matter or a sidecar, in schema.org JSON-LD, in mapped columns.

Front matter says `about` (whom the document is about) and `assertions` (a list; `subject` is left out where it is `about`), and
`columns` says which column of the document's tables names the subject and which relations the others are. The document is the
evidence, so what it asserts shows to whoever may see it. Entities must be there already: a page mints none, and a cell is an
entity only where it is the name of exactly one. What does not fit is left out, and told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from entities.assertions.columns import rows
from entities.names import folded
from entities.relations import Vocabulary
from entities.seeds.entry import ASSERTION, SeedEntry, SeedProblem
from entities.seeds.validating import Validation
from ingest.model.entity import Assertion, Registry

KEYS = ("assertions", "columns", "jsonld")
"""Keys of a document's metadata that may assert something."""


class Declarations:
    """Reads what documents assert of the entities of one registry."""

    def __init__(self, registry: Registry, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._validation = Validation(registry, vocabulary)
        self._named: dict[str, set[str]] = defaultdict(set)
        for entity in registry.entities:
            for name in entity.names:
                self._named[folded(name.text)].add(entity.entity_id)

    def of(self, extra: Mapping[str, Any], uri: str, texts: Iterable[str]) -> tuple[list[Assertion], list[SeedProblem]]:
        """Return what a document asserts, by id, and what of it could not be taken. `extra`: its metadata that nobody else knows;
        `texts`: its chunks, in which tables stand."""
        entries = [*self._written(extra, uri), *self._embedded(extra, uri), *self._tabled(extra, uri, texts)]
        for entry in entries:
            if isinstance(entry, SeedEntry):
                entry.data["evidence"] = uri
        made, problems = self._validation.assertions(entries)
        return sorted(made, key=lambda assertion: assertion.assertion_id), problems

    def _written(self, extra: Mapping[str, Any], uri: str) -> Iterator[SeedEntry | SeedProblem]:
        listed = extra.get("assertions")
        for number, entry in enumerate(listed if isinstance(listed, list) else []):
            place = f"{uri} assertions[{number}]"
            if isinstance(entry, dict):
                yield SeedEntry(place, ASSERTION, {"subject": extra.get("about"), **entry})
            else:
                yield SeedProblem(place, f"{entry!r} is no assertion", "write its relation, and its object or value", fatal=False)

    def _embedded(self, extra: Mapping[str, Any], uri: str) -> Iterator[SeedEntry | SeedProblem]:
        if not extra.get("jsonld"):
            return
        from entities.jsonld.read import entries

        # What a page says besides of things that nobody here knows is no problem of its author.
        yield from (entry for entry in entries(extra["jsonld"], uri, self._vocabulary)
                    if isinstance(entry, SeedEntry) and entry.kind == ASSERTION)

    def _tabled(self, extra: Mapping[str, Any], uri: str, texts: Iterable[str]) -> Iterator[SeedEntry | SeedProblem]:
        mapped = extra.get("columns")
        if not isinstance(mapped, dict) or not isinstance(mapped.get("relations"), dict):
            if mapped is not None:
                yield SeedProblem(f"{uri} columns", "it names no relations",
                                  "write columns: {subject: NAME OF A COLUMN, relations: {COLUMN: RELATION}}", fatal=False)
            return
        seen = set()
        for number, row in enumerate((row for text in texts for row in rows(text)), 1):
            subject = row.get(str(mapped.get("subject")), "")
            for column, word in mapped["relations"].items():
                cell = row.get(str(column), "")
                key = subject, str(word), cell
                if not subject or not cell or key in seen:
                    continue
                seen.add(key)
                relation = self._vocabulary.find(str(word))
                end = "value" if relation is not None and relation.literal else "object"
                said = {"subject": self._entity(subject), "relation": word, end: cell if end == "value" else self._entity(cell)}
                yield SeedEntry(f"{uri} table row {number}", ASSERTION, said)

    def _entity(self, cell: str) -> str:
        """The id of the one entity of this very name; else the cell itself, which may be an id or an identifier."""
        owners = self._named.get(folded(cell), set())
        return next(iter(owners)) if len(owners) == 1 else cell
