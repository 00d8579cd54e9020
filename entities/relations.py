"""The vocabulary of relations: what may be asserted of what, and what contradicts what.

It is data (`relations.toml` beside this file): schema.org's terms first, `kb:` where it has none. A knowledge base may add files
of the same form. Nothing here is guessed: a word is a relation when a file lists it, and otherwise the nearest listed one is
named to whoever wrote it.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from ingest.errors import SettingsInvalid
from ingest.model.canonical import digest_of, sha256_hex
from ingest.model.entity import ENTITY_TYPES

SCHEMA = "https://schema.org/"
KB = "urn:kb:vocabulary:"
"""Namespace of the terms that schema.org lacks."""

_BUNDLED = Path(__file__).with_name("relations.toml")

VALUE_KINDS = ("text", "date", "number", "url")


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation. `range` has types of objects, or kinds of values, never both; empty `domain` and `range` leave it open."""

    name: str
    iri: str
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    exclusive: bool = False
    inverse: str | None = None
    zh: str = ""
    en: str = ""
    also: tuple[str, ...] = ()

    @property
    def literal(self) -> bool:
        """Whether it leads to a value instead of an entity."""
        return any(kind in VALUE_KINDS for kind in self.range)


class Vocabulary(Mapping[str, Relation]):
    """Relations by name; `find` knows their other words, too."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self._relations = {relation.name: relation for relation in relations}
        self._words = {_folded(word): relation for relation in self._relations.values()
                       for word in (relation.iri, relation.zh, *relation.also, relation.name) if word}
        self._by_iri = {expanded(relation.iri): relation for relation in self._relations.values()}

    def __getitem__(self, name: str) -> Relation:
        return self._relations[name]

    def __iter__(self) -> Any:
        return iter(self._relations)

    def __len__(self) -> int:
        return len(self._relations)

    def find(self, word: str) -> Relation | None:
        """Return the relation that a word, in any language of the files, or an IRI stands for."""
        return self._by_iri.get(word) or self._words.get(_folded(word))

    def by_iri(self, iri: str) -> Relation | None:
        """Return the relation of a full IRI."""
        return self._by_iri.get(iri)

    def nearest(self, word: str) -> str | None:
        """Return the listed word that is spelled most like one that is not listed, for the message about it."""
        close = difflib.get_close_matches(_folded(word), list(self._words), 1, 0.6)
        return self._words[close[0]].name if close else None

    @property
    def exclusive(self) -> frozenset[str]:
        """Names of relations under which a subject has one object or value at a time."""
        return frozenset(name for name, relation in self._relations.items() if relation.exclusive)

    def iri(self, name: str) -> str:
        """Return the full IRI of a relation; one that no file lists is a term of `kb:`."""
        relation = self._relations.get(name)
        return expanded(relation.iri) if relation is not None else KB + name


def expanded(iri: str) -> str:
    """Return an IRI in full: `schema:` and `kb:` are the two prefixes that are known."""
    prefix, _, rest = iri.partition(":")
    return {"schema": SCHEMA, "kb": KB}.get(prefix, prefix + ":") + rest


@cache
def bundled() -> Vocabulary:
    """Return the vocabulary that comes with the product."""
    return Vocabulary(read_relations(_BUNDLED))


def vocabulary(files: Iterable[Path] = ()) -> Vocabulary:
    """Return the bundled vocabulary with that of `files`, which may also describe a bundled relation otherwise.

    Raises SettingsInvalid naming the file and the relation."""
    files = tuple(files)
    if not files:
        return bundled()
    merged = dict(bundled())
    for file in files:
        merged |= {relation.name: relation for relation in read_relations(file)}
    for relation in merged.values():
        if relation.inverse is not None and relation.inverse not in merged:
            raise SettingsInvalid(f"the inverse of the relation {relation.name} is {relation.inverse}, which no vocabulary lists")
    return Vocabulary(merged.values())


def fingerprint(files: Iterable[Path] = ()) -> str:
    """Return what names a vocabulary: the bundled file and `files`, by content and in their order. Nothing is parsed.

    Raises SettingsInvalid for a file that cannot be read."""
    return f"relations {digest_of([sha256_hex(_bytes(file)) for file in (_BUNDLED, *files)])}"


def read_relations(file: Path) -> list[Relation]:
    """Return the relations of one TOML file. Raises SettingsInvalid naming the file and the relation."""
    try:
        listed = tomllib.loads(_bytes(file).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsInvalid(f"the vocabulary {file} is not valid TOML: {error}") from error
    return [_relation(file, name, entry) for name, entry in listed.items()]


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise SettingsInvalid(f"cannot read the vocabulary {file}: {error.strerror}; check entities.vocabulary") from error


_KEYS = frozenset(field.name for field in fields(Relation)) - {"name"}


def _relation(file: Path, name: str, entry: Any) -> Relation:
    where = f"the vocabulary {file}, relation {name}"
    if not isinstance(entry, dict) or not entry.keys() <= _KEYS:
        raise SettingsInvalid(f"{where}: its keys are among {', '.join(sorted(_KEYS))}")
    entry = {"iri": f"kb:{name}", **entry}
    made: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    relation = Relation(name, **made)
    objects = [kind for kind in relation.range if kind in ENTITY_TYPES]
    if (objects and relation.literal) or any(kind not in (*ENTITY_TYPES, *VALUE_KINDS) for kind in relation.range):
        raise SettingsInvalid(f"{where}: range lists types ({', '.join(ENTITY_TYPES)}) or value kinds ({', '.join(VALUE_KINDS)})")
    if any(kind not in ENTITY_TYPES for kind in relation.domain):
        raise SettingsInvalid(f"{where}: domain lists types among {', '.join(ENTITY_TYPES)}")
    return relation


def _folded(word: str) -> str:
    return "".join(word.split()).casefold()
