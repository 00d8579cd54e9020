"""One entity as a JSON-LD node, in compact form.

A node says everything twice. Plain properties (`name`, `alternateName`, `developer` ...) are for readers: they are what the
entity is, with what was merged into it. Records (`nameRecord`, `statement`, with source, window and confidence) are exact: they
are what this id itself was given, and all that an import reads where they are there. No node is blank, so every document of the
same content is the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from entities.assertions.standing import Standing
from entities.jsonld.context import REDIRECT, SOFTWARE, SOFTWARE_TERMS, TYPES, term
from entities.relations import Vocabulary
from ingest.model.canonical import digest_of
from ingest.model.entity import Entity, Identifier, Name

Node = dict[str, Any]

LOCAL = "urn:kb:id:"
"""Before an id that is no IRI, escaped: JSON-LD would take it for a relative address."""

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20]+")
_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")
_LEGAL, _PREFERRED = "legal", "preferred"
_WEB = "url"
"""Scheme of identifiers that are addresses of the same thing elsewhere."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a node says of another entity beside its id."""

    entity_id: str
    type: str
    label: str


@dataclass(frozen=True, slots=True)
class Described:
    """Everything that is known of one entity. `into`: the entity that it means since it was merged. `absorbed`: those that mean
    this one, each with what is known of it."""

    entity: Entity
    stated: tuple[Standing, ...] = ()
    into: str | None = None
    absorbed: tuple[Described, ...] = ()


Refer = Callable[[str], Reference | None]
"""Id -> what is told of it beside the id, redirects followed; None for what the reader may not know of."""


def node(described: Described, refer: Refer, vocabulary: Vocabulary) -> Node:
    """Return the node of an entity. Keys come in a fixed order, lists in the order of the entity or sorted."""
    entity, absorbed = described.entity, described.absorbed
    everyone = [entity, *(other.entity for other in absorbed)]
    stated = [each for of in (described, *absorbed) for each in of.stated]
    related = _related(stated, refer, vocabulary)
    made: Node = {"@id": iri(entity.entity_id), "@type": _classes(entity.type, related, described.into is not None)}
    made |= _names(entity, everyone)
    made |= related
    made |= _window(everyone, stated)
    if sources := sorted({source for source in _sources(everyone, stated) if source}):
        made["source"] = sources
    made["confidence"] = min((each.assertion.confidence for each in stated), default=1.0)
    if entity.status != "active":
        made["status"] = entity.status
    if identifiers := _identifiers(described):
        made["identifier"] = identifiers
    if same := _same(everyone):
        made["sameAs"] = same
    if described.into is not None:
        made["redirectsTo"] = iri(described.into)
    made["nameRecord"] = [_record(entity.entity_id, place, name) for place, name in enumerate(entity.names)]
    if described.stated:
        made["statement"] = [_statement(each, vocabulary) for each in sorted(described.stated, key=_order)]
    return made


def framed(described: Described, refer: Refer, vocabulary: Vocabulary) -> Node:
    """Return the node of an entity with the nodes of those that were merged into it inside: a document of its own."""
    made = node(described, refer, vocabulary)
    if described.absorbed:
        made["redirectedFrom"] = [node(other, refer, vocabulary) for other in described.absorbed]
    return made


def iri(identifier: str) -> str:
    """Return an id as JSON-LD and RDF can hold it."""
    return identifier if _IRI.fullmatch(identifier) and not identifier.startswith(LOCAL) else LOCAL + quote(identifier, safe="")


def identifier_of(address: str) -> str:
    """Undo `iri`."""
    return unquote(address.removeprefix(LOCAL)) if address.startswith(LOCAL) else address


def _classes(kind: str, related: Iterable[str], redirected: bool) -> str | list[str]:
    classes = [TYPES[kind]]
    if kind in ("product", "system") and not SOFTWARE_TERMS.isdisjoint(related):
        classes.append(SOFTWARE)
    if redirected:
        classes.append(REDIRECT)
    return classes if len(classes) > 1 else classes[0]


def _names(entity: Entity, everyone: Sequence[Entity]) -> Node:
    """`name`, a text; `legalName` and `alternateName`, with languages: every other name, each once."""
    made: Node = {"name": entity.label}
    legal = _once(name for each in everyone for name in each.names if name.kind == _LEGAL)
    label = next((name for name in entity.names if name.text == entity.label), None)
    other = _once(name for each in everyone for name in each.names if name.kind != _LEGAL and name != label)
    if legal:
        made["legalName"] = legal
    if other:
        made["alternateName"] = other
    return made


def _once(names: Iterable[Name]) -> list[Any]:
    return [_tagged(text, language) for text, language in dict.fromkeys((name.text, name.language) for name in names)]


def _tagged(text: str, language: str | None) -> Any:
    return {"@value": text, "@language": language} if language and _TAG.fullmatch(language) else text


def _record(owner: str, place: int, name: Name) -> Node:
    made: Node = {
        "@id": f"urn:kb:name:{digest_of([owner, place, name])}", "@type": "NameRecord", "kind": name.kind,
        "value": _tagged(name.text, name.language),
    }
    if name.language and not (_TAG.fullmatch(name.language) and name.language.islower()):
        made["language"] = name.language
    return made | _present(source=name.source, validFrom=name.valid_from, validUntil=name.valid_until)


def _related(stated: Iterable[Standing], refer: Refer, vocabulary: Vocabulary) -> Node:
    """Relation -> what it leads to: nested references, and values. Those that were superseded are left to the records."""
    found: dict[str, dict[str, Any]] = {}
    for each in stated:
        assertion = each.assertion
        if each.superseded_by is not None:
            continue
        key = term(assertion.relation, vocabulary)
        if assertion.object is None:
            found.setdefault(key, {})[f"v{assertion.value}"] = assertion.value
        elif (reference := refer(assertion.object)) is not None:
            found.setdefault(key, {})[f"o{reference.entity_id}"] = _nested(reference)
    return {key: _alone([values[at] for at in sorted(values)]) for key, values in sorted(found.items())}


def _nested(reference: Reference) -> Node:
    return {"@id": iri(reference.entity_id), "@type": TYPES[reference.type], "name": reference.label}


def _alone(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _window(everyone: Iterable[Entity], stated: Iterable[Standing]) -> Node:
    """The time during which everything that the node says holds; nothing where there is no such time."""
    windows = [(name.valid_from, name.valid_until) for each in everyone for name in each.names]
    windows += [(each.assertion.valid_from, each.assertion.valid_until) for each in stated if each.superseded_by is None]
    since = max((start for start, _ in windows if start is not None), default=None)
    until = min((end for _, end in windows if end is not None), default=None)
    if since is not None and until is not None and since >= until:
        return {}
    return _present(validFrom=since, validUntil=until)


def _sources(everyone: Iterable[Entity], stated: Iterable[Standing]) -> Iterable[str | None]:
    yield from (name.source for each in everyone for name in each.names)
    yield from (each.assertion.evidence for each in stated)


def _identifiers(described: Described) -> list[Node]:
    own = described.entity.identifiers
    made = [_property(identifier) for identifier in own]
    for other in described.absorbed:
        made += [
            {**_property(identifier), "holder": iri(other.entity.entity_id)}
            for identifier in other.entity.identifiers if identifier not in own
        ]
    return made


def _property(identifier: Identifier) -> Node:
    return {
        "@id": f"urn:kb:identifier:{digest_of(identifier)}", "@type": "PropertyValue", "propertyID": identifier.scheme,
        "value": identifier.value,
    }


def _same(everyone: Sequence[Entity]) -> list[str]:
    merged = [iri(other.entity_id) for other in everyone[1:]]
    given = (item for each in everyone for item in each.identifiers)
    return sorted({*merged, *(item.value for item in given if item.scheme == _WEB and _IRI.fullmatch(item.value))})


def _statement(each: Standing, vocabulary: Vocabulary) -> Node:
    assertion = each.assertion
    made: Node = {"@id": assertion.assertion_id, "@type": "Statement", "predicate": term(assertion.relation, vocabulary)}
    if assertion.object is not None:
        made["object"] = iri(assertion.object)
    else:
        made["value"] = assertion.value
    made |= _present(validFrom=assertion.valid_from, validUntil=assertion.valid_until, source=assertion.evidence or None)
    made["confidence"] = assertion.confidence
    if each.superseded_by is not None:
        made["supersededBy"] = each.superseded_by
    if each.contradicts:
        made["contradicts"] = list(each.contradicts)
    return made


def _order(each: Standing) -> tuple[str, str, str, str]:
    assertion = each.assertion
    return assertion.relation, assertion.object or assertion.value or "", assertion.valid_from or "", assertion.assertion_id


def _present(**values: str | None) -> Node:
    return {key: value for key, value in values.items() if value is not None}
