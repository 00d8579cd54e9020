"""A registry in Chinese and English, and how it is described."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from entities.assertions.standing import standings
from entities.jsonld.node import Described, Refer, Reference
from entities.registry import load_seeds
from entities.relations import bundled
from ingest.model.entity import Assertion, Entity, Registry

Describe = Callable[..., tuple[list[Described], Refer]]


def described(registry: Registry, redirects: Mapping[str, str] | None = None) -> tuple[list[Described], Refer]:
    """What a registry says of each of its entities, and of those they refer to."""
    means = redirects or {}
    entities = {entity.entity_id: entity for entity in registry.entities}
    exclusive = bundled().exclusive | set(registry.exclusive)
    stood = {each.assertion.assertion_id: each for each in standings(registry.assertions, exclusive, means)}
    said: dict[str, list[Assertion]] = {}
    for assertion in registry.assertions:
        said.setdefault(assertion.subject, []).append(assertion)

    def one(entity: Entity) -> Described:
        absorbed = tuple(one(entities[old]) for old, new in sorted(means.items()) if new == entity.entity_id)
        mine = tuple(stood[assertion.assertion_id] for assertion in said.get(entity.entity_id, ()))
        return Described(entity, mine, means.get(entity.entity_id), absorbed)

    def refer(id: str) -> Reference | None:
        entity = entities.get(means.get(id, id))
        return None if entity is None else Reference(entity.entity_id, entity.type, entity.label)

    return [one(entity) for entity in registry.entities], refer


@pytest.fixture(scope="session")
def describe() -> Describe:
    return described


@pytest.fixture(scope="session")
def fixtures_registry() -> Registry:
    return load_seeds([Path(__file__).parents[3] / "fixtures" / "registry.yaml"])
