"""JSON-LD back into entries of a seed: of our own exports exactly, of foreign documents what the vocabulary knows.

In: a document as JSON types. Out: entries of the same form as those of a YAML seed, each with the place where it stands. Nothing
is fetched (see `loader`), nothing is looked up, and whether entries are right is for `entities.seeds` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from entities.jsonld.context import PREFIXES, REDIRECT, SOFTWARE, relation_of, type_of
from entities.jsonld.loader import options
from entities.jsonld.node import identifier_of
from entities.relations import KB, SCHEMA, Vocabulary
from entities.seeds.entry import ASSERTION, ENTITY, EXCLUSIVE, MENTIONED, REDIRECTED, SeedEntry, SeedProblem

_RDF = PREFIXES["rdf"]
_NAME_KINDS = ((SCHEMA + "name", "preferred"), (SCHEMA + "legalName", "legal"), (SCHEMA + "alternateName", "alternate"))
_STRUCTURE = frozenset({
    *(key for key, _ in _NAME_KINDS),
    *(SCHEMA + key for key in ("identifier", "citation", "validFrom", "validThrough", "sameAs")),
    *(KB + key for key in ("confidence", "status", "nameRecord", "redirectsTo", "exclusive", "holder")),
})
_MOST_DEPTH = 12


def entries(document: Any, where: str, vocabulary: Vocabulary) -> Iterator[SeedEntry | SeedProblem]:
    """Yield the entries of a document. `where` names it in places."""
    for place, part in _parts(document, where):
        try:
            expanded = _expanded(part)
        except _Refused as error:
            yield SeedProblem(place, str(error), "write what the terms mean into @context, or use https://schema.org")
            continue
        for top in expanded:
            yield from _Reading(place, vocabulary).node(top, depth=0)


class _Refused(Exception):
    pass


def _parts(document: Any, where: str) -> Iterator[tuple[str, Any]]:
    """The nodes of a document one by one, each with the context of the whole, so that a large one is never expanded at once."""
    if isinstance(document, list):
        for number, each in enumerate(document):
            yield from _parts(each, f"{where}[{number}]")
    elif isinstance(document, dict) and isinstance(document.get("@graph"), list):
        for number, each in enumerate(document["@graph"]):
            named = each.get("@id") if isinstance(each, dict) else None
            place = f"{where} @graph[{number}]" + (f" ({named})" if isinstance(named, str) else "")
            if isinstance(each, dict) and "@context" in document:
                own = each.get("@context", [])
                each = {**each, "@context": [document["@context"], *(own if isinstance(own, list) else [own])]} if own else {
                    **each, "@context": document["@context"]}
            yield place, each
    else:
        yield where, document


def _expanded(part: Any) -> list[Any]:
    from pyld import jsonld  # type: ignore[import-untyped]

    try:
        expanded: list[Any] = jsonld.expand(part, options())
    except jsonld.JsonLdError as error:
        raise _Refused(f"it is not JSON-LD that can be read: {_reason(error)}") from error
    except (RecursionError, TypeError, AttributeError, ValueError, KeyError) as error:
        raise _Refused(f"it is not JSON-LD that can be read: {type(error).__name__}: {error}") from error
    return expanded


def _reason(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error.args[0] if error.args else error)


class _Reading:
    """The nodes of one part of a document."""

    def __init__(self, place: str, vocabulary: Vocabulary) -> None:
        self._place = place
        self._vocabulary = vocabulary

    def node(self, node: Mapping[str, Any], *, depth: int) -> Iterator[SeedEntry | SeedProblem]:
        classes = [name for name in node.get("@type", ()) if name not in (KB + REDIRECT,)]
        if depth > _MOST_DEPTH:
            yield SeedProblem(self._place, "it is nested too deep", "refer to entities by their @id")
            return
        if KB + "Registry" in classes:
            for value in _ids(node, KB + "exclusive"):
                yield SeedEntry(self._place, EXCLUSIVE, {"relation": self._relation(value) or value})
            return
        kind = type_of([name for name in classes if name != SCHEMA + SOFTWARE] or classes)
        if kind is None:
            said = ", ".join(classes) or "no @type"
            yield SeedProblem(self._place, f"an entity needs a type that is known here, and this has {said}",
                              "use Organization, Person, Product, SoftwareApplication, WebAPI, Place ... of schema.org")
            return
        yield from self._entity(node, kind, depth)

    def _entity(self, node: Mapping[str, Any], kind: str, depth: int) -> Iterator[SeedEntry | SeedProblem]:
        identifiers = list(self._identifiers(node))
        names = list(self._names(node))
        status = next(_texts(node, KB + "status"), None)
        entry: dict[str, Any] = {"type": kind, "names": names, "identifiers": identifiers}
        if "@id" in node:
            entry["id"] = identifier_of(node["@id"])
        if status is not None:
            entry["status"] = status
        exact = KB + "nameRecord" in node or bool(_reversed(node, _RDF + "subject"))
        # Deeper nodes without records are references: they describe only what nobody describes fully.
        yield SeedEntry(self._place, ENTITY if depth == 0 or exact else MENTIONED, entry)
        for into in _ids(node, KB + "redirectsTo"):
            yield SeedEntry(self._place, REDIRECTED, {"id": entry.get("id"), "into": identifier_of(into)})
        for statement in _reversed(node, _RDF + "subject"):
            yield self._statement(entry, statement)
        yield from self._relations(node, entry, depth, exact=exact)
        for other in _reversed(node, KB + "redirectsTo"):
            yield from self.node(other, depth=depth + 1)

    def _names(self, node: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        records = node.get(KB + "nameRecord")
        if records is not None:
            yield from (_name_record(record) for record in records)
            return
        seen = set()
        for key, kind in _NAME_KINDS:
            for value in node.get(key, ()):
                name = {"text": value.get("@value"), "language": value.get("@language")}
                # The label of a node repeats one of its names.
                if kind == "preferred" or (name["text"], name["language"]) not in seen:
                    yield {"kind": kind, **{field: said for field, said in name.items() if said is not None}}
                seen.add((name["text"], name["language"]))

    def _identifiers(self, node: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for value in node.get(SCHEMA + "identifier", ()):
            if KB + "holder" in value:
                continue
            scheme = next(_texts(value, SCHEMA + "propertyID"), None)
            said = next(_texts(value, SCHEMA + "value"), value.get("@value"))
            if scheme is None and isinstance(said, str) and ":" in said:
                scheme, _, said = said.partition(":")
            yield {"scheme": scheme, "value": said}
        if KB + "nameRecord" not in node:
            yield from ({"scheme": "url", "value": address} for address in _ids(node, SCHEMA + "sameAs") if "://" in address)

    def _statement(self, subject: Mapping[str, Any], node: Mapping[str, Any]) -> SeedEntry:
        predicate = next(_ids(node, _RDF + "predicate"), "")
        entry: dict[str, Any] = {"subject": subject.get("id"), "relation": self._relation(predicate) or predicate}
        target = next(_ids(node, _RDF + "object"), None)
        if target is not None:
            entry["object"] = identifier_of(target)
        else:
            entry["value"] = next(_texts(node, SCHEMA + "value"), None)
        return SeedEntry(self._place, ASSERTION, entry | _circumstances(node))

    def _relations(
        self, node: Mapping[str, Any], entry: dict[str, Any], depth: int, *, exact: bool
    ) -> Iterator[SeedEntry | SeedProblem]:
        """What plain properties assert: everything in a foreign document, nothing in ours, which has records."""
        circumstances = {key: value for key, value in _circumstances(node).items() if key == "evidence"}
        for key, values in node.items():
            if key.startswith("@") or key in _STRUCTURE:
                continue
            relation = self._vocabulary.by_iri(key)
            if relation is None:
                if not exact:
                    yield SeedProblem(self._place, f"{key} is no relation of the vocabulary and was left out",
                                      "add it to a vocabulary file (entities.vocabulary)", fatal=False)
                continue
            for value in values:
                if "@id" not in value and "@value" in value:
                    if not exact:
                        said = {"subject": entry.get("id"), "relation": relation.name, "value": value["@value"]}
                        yield SeedEntry(self._place, ASSERTION, said | circumstances, subject=entry)
                    continue
                if "@type" in value:
                    yield from self.node(value, depth=depth + 1)
                if not exact:
                    said = {"subject": entry.get("id"), "relation": relation.name, "object": _own_id(value)}
                    yield SeedEntry(self._place, ASSERTION, said | circumstances, subject=entry,
                                    object=None if "@id" in value else self._identified(value))

    def _relation(self, address: str) -> str | None:
        return relation_of(address, self._vocabulary)

    def _identified(self, node: Mapping[str, Any]) -> dict[str, Any]:
        """A node without an id, as the entry that its identifiers make it."""
        kind = type_of(list(node.get("@type", ())))
        return {"type": kind, "names": list(self._names(node)), "identifiers": list(self._identifiers(node))}


def _own_id(node: Mapping[str, Any]) -> str | None:
    return identifier_of(node["@id"]) if "@id" in node else None


def _name_record(record: Mapping[str, Any]) -> dict[str, Any]:
    (value,) = record.get(SCHEMA + "value") or [{}]
    # What is no plain tag stands beside the text: readers of JSON-LD write all tags small.
    language = next(_texts(record, SCHEMA + "inLanguage"), None) or value.get("@language")
    said = {
        "text": value.get("@value"), "kind": next(_texts(record, KB + "kind"), None), "language": language,
        "source": next(_texts(record, SCHEMA + "citation"), None), "valid_from": next(_texts(record, SCHEMA + "validFrom"), None),
        "valid_until": next(_texts(record, SCHEMA + "validThrough"), None),
    }
    return {key: text for key, text in said.items() if text is not None}


def _circumstances(node: Mapping[str, Any]) -> dict[str, Any]:
    confidence = next(_values(node, KB + "confidence"), None)
    said = {
        "valid_from": next(_texts(node, SCHEMA + "validFrom"), None),
        "valid_until": next(_texts(node, SCHEMA + "validThrough"), None),
        "evidence": next(_texts(node, SCHEMA + "citation"), None), "confidence": confidence,
    }
    return {key: value for key, value in said.items() if value is not None}


def _values(node: Mapping[str, Any], key: str) -> Iterator[Any]:
    return (value["@value"] for value in node.get(key, ()) if "@value" in value)


def _texts(node: Mapping[str, Any], key: str) -> Iterator[Any]:
    return _values(node, key)


def _ids(node: Mapping[str, Any], key: str) -> Iterator[str]:
    return (value["@id"] for value in node.get(key, ()) if "@id" in value)


def _reversed(node: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = node.get("@reverse", {}).get(key, [])
    return found
