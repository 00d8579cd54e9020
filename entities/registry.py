"""The registry: reviewed entities and assertions, read from seed files.

A seed file is YAML with `entities` (id, type, names, identifiers), `assertions` (subject, relation, object or value, window,
evidence as a path of a source) and `exclusive` (relations under which a subject has one object or value at a time). Content
decides, not the order of files or keys: the registry is sorted, and its digest is an input of the snapshot digest. Anything
doubtful is an error, because everything here is taken as reviewed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import orjson

from entities.identifiers import NORMALISERS
from ingest.errors import SettingsInvalid
from ingest.model.entity import ENTITY_TYPES, Assertion, Entity, Identifier, Name, Registry
from ingest.model.instant import parse_instant

T = TypeVar("T")

_NAME_KINDS = ("preferred", "legal", "alternate", "former", "abbreviation")


def load_seeds(files: Iterable[Path]) -> Registry:
    """Return the registry of all seed files. Raises SettingsInvalid naming the file and the entry."""
    entities: dict[str, Entity] = {}
    assertions: set[Assertion] = set()
    exclusive: set[str] = set()
    for file in files:
        seed = _read(file)
        for index, entry in enumerate(_listed(file, seed, "entities")):
            entity = _checked(file, f"entities[{index}]", entity_of, entry)
            if entities.get(entity.entity_id, entity) != entity:
                raise SettingsInvalid(f"seed {file}: {entity.entity_id} is described twice, differently; keep one description")
            entities[entity.entity_id] = entity
        for index, entry in enumerate(_listed(file, seed, "assertions")):
            assertions.add(_checked(file, f"assertions[{index}]", assertion_of, entry))
        for index, entry in enumerate(_listed(file, seed, "exclusive")):
            exclusive.add(_relation(file, f"exclusive[{index}]", entry))
    _ends_exist(entities, assertions)
    _identifiers_exclusive(entities.values())
    return Registry(
        tuple(sorted(entities.values(), key=lambda entity: entity.entity_id)),
        tuple(sorted(assertions, key=lambda assertion: assertion.assertion_id)),
        tuple(sorted(exclusive)),
    )


def _read(file: Path) -> dict[str, Any]:
    import yaml

    try:
        text = file.read_text(encoding="utf-8")
        # What imports keep is JSON: YAML of a hundred thousand entities takes minutes to read.
        seed = orjson.loads(text) if file.suffix == ".json" else yaml.safe_load(text)
    except OSError as error:
        raise SettingsInvalid(f"cannot read the registry seed {file}: {error.strerror}; check entities.seeds") from error
    except (yaml.YAMLError, orjson.JSONDecodeError, UnicodeDecodeError) as error:
        form = "JSON" if file.suffix == ".json" else "YAML"
        raise SettingsInvalid(f"the registry seed {file} is not valid {form}: {error}") from error
    if not isinstance(seed, dict) or not set(seed) <= {"entities", "assertions", "exclusive"}:
        raise SettingsInvalid(
            f"the registry seed {file} must have the keys entities and assertions (and exclusive), and no others"
        )
    return seed


def _listed(file: Path, seed: dict[str, Any], key: str) -> list[Any]:
    entries = seed.get(key) or []
    if not isinstance(entries, list):
        raise SettingsInvalid(f"the registry seed {file}: {key} must be a list")
    return entries


def _checked(file: Path, where: str, build: Callable[[dict[str, Any]], T], entry: Any) -> T:
    try:
        return build(dict(entry))
    except (KeyError, TypeError, ValueError) as error:
        raise SettingsInvalid(f"seed {file}, {where}: {error}") from error


def _relation(file: Path, where: str, entry: Any) -> str:
    try:
        return _text(entry)
    except ValueError as error:
        raise SettingsInvalid(f"seed {file}, {where}: {error}") from error


def entity_of(entry: dict[str, Any]) -> Entity:
    """Return the entity of a seed's entry, which is consumed. Raises KeyError, TypeError or ValueError saying what is wrong."""
    kind = entry.pop("type")
    if kind not in ENTITY_TYPES:
        raise ValueError(f"unknown type {kind!r}; one of {', '.join(ENTITY_TYPES)}")
    names = tuple(_name(dict(name)) for name in entry.pop("names"))
    if not names:
        raise ValueError("an entity needs a name")
    identifiers = tuple(sorted((_identifier(dict(item)) for item in entry.pop("identifiers", [])), key=_by_scheme))
    entity = Entity(_text(entry.pop("id")), kind, names, identifiers, _text(entry.pop("status", "active")))
    return _all_read(entry, entity)


def _name(entry: dict[str, Any]) -> Name:
    name = Name(
        _text(entry.pop("text")), _text(entry.pop("kind", "alternate")),
        _optional(entry.pop("language", None)), _optional(entry.pop("source", None)),
        _instant(entry.pop("valid_from", None)), _instant(entry.pop("valid_until", None)),
    )
    if not name.text or name.kind not in _NAME_KINDS:
        raise ValueError(f"a name needs a text and a kind among {', '.join(_NAME_KINDS)}")
    return _all_read(entry, name)


def _identifier(entry: dict[str, Any]) -> Identifier:
    scheme, value = _text(entry.pop("scheme")).lower(), _text(entry.pop("value"))
    normal = NORMALISERS[scheme](value) if scheme in NORMALISERS else value
    if not normal:
        raise ValueError(f"{value!r} is not a valid {scheme}: a check digit does not hold")
    return _all_read(entry, Identifier(scheme, normal))


def _by_scheme(identifier: Identifier) -> tuple[str, str]:
    return identifier.scheme, identifier.value


def assertion_of(entry: dict[str, Any]) -> Assertion:
    """As `entity_of`, of an assertion."""
    target, value = _optional(entry.pop("object", None)), _optional(entry.pop("value", None))
    if (target is None) == (value is None):
        raise ValueError("an assertion has an object (an entity id) or a value, and not both")
    assertion = Assertion(
        _text(entry.pop("subject")), _text(entry.pop("relation")), target, value, _optional(entry.pop("evidence", None)) or "",
        _instant(entry.pop("valid_from", None)), _instant(entry.pop("valid_until", None)), float(entry.pop("confidence", 1.0)),
    )
    if not 0 <= assertion.confidence <= 1:
        raise ValueError("confidence is a number from 0 to 1")
    return _all_read(entry, assertion)


def _text(value: Any) -> str:
    """A text or a whole number. What YAML makes of `no`, `1.10` or a list is not what was written."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{value!r} is not a text; put quotes around it")
    text = str(value).strip()
    text.encode()  # half a character, written as an escape, has no place in an index: a ValueError
    return text


def _optional(value: Any) -> str | None:
    return None if value is None else _text(value)


def _instant(value: Any) -> str | None:
    return None if value is None else parse_instant(value if isinstance(value, date) else _text(value))


def _all_read(rest: dict[str, Any], made: T) -> T:
    if rest:
        raise ValueError(f"unknown key {sorted(rest)[0]!r}")
    return made


def _ends_exist(entities: dict[str, Entity], assertions: Iterable[Assertion]) -> None:
    for assertion in assertions:
        for end in (assertion.subject, assertion.object):
            if end is not None and end not in entities:
                raise SettingsInvalid(f"an assertion speaks of {end}, which no seed describes; add it under entities")


def _identifiers_exclusive(entities: Iterable[Entity]) -> None:
    owners: dict[Identifier, str] = {}
    for entity in entities:
        for identifier in entity.identifiers:
            if identifier.scheme in NORMALISERS and owners.setdefault(identifier, entity.entity_id) != entity.entity_id:
                raise SettingsInvalid(
                    f"{identifier.scheme} {identifier.value} is given to {owners[identifier]} and to {entity.entity_id}; "
                    "it names one organisation only"
                )
