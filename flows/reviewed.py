"""The registry as a run takes it in: seed files, what was imported beside them, what people decided, and the relations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from entities.registry import load_seeds
from ingest.model.entity import Registry
from ingest.settings import Settings

if TYPE_CHECKING:
    from entities.registry_judged import Judged
    from entities.relations import Vocabulary


def registry_of(settings: Settings) -> Registry:
    """Return the registry of these settings, with what people decided. Raises SettingsInvalid naming the file and the entry."""
    return judged(settings).registry


def judged(settings: Settings) -> Judged:
    """As `registry_of`, with what is undecided of it."""
    from entities.judgements import read
    from entities.registry_judged import judged_registry

    log = read(judgements_file(settings))
    return judged_registry(seeded(settings), log, owners_most=settings.entities.identifier_owners)


def seeded(settings: Settings) -> Registry:
    """Return the registry before anything was decided: seeds, and what was imported."""
    imported = imported_file(settings)
    return load_seeds([*seed_files(settings), *([imported] if imported.exists() else [])])


def seed_files(settings: Settings) -> list[Path]:
    """The seed files that people keep themselves."""
    return [Path(settings.base) / seed for seed in settings.entities.seeds]


def imported_file(settings: Settings) -> Path:
    """The seed file that imports are kept in, whether or not there is one yet."""
    return Path(settings.base) / settings.entities.imported


def judgements_file(settings: Settings) -> Path:
    """The log of what people decided."""
    return Path(settings.base) / settings.entities.judgements


def exclusive_of(settings: Settings) -> frozenset[str]:
    """The relations under which a subject has one object at a time: by the vocabulary, or as seeds say."""
    return frozenset(vocabulary_of(settings).exclusive) | frozenset(seeded(settings).exclusive)


def vocabulary_of(settings: Settings) -> Vocabulary:
    """The relations that may be asserted."""
    from entities.relations import vocabulary

    return vocabulary(_vocabulary_files(settings))


def relations_of(settings: Settings) -> str:
    """The fingerprint of `vocabulary_of`, without reading what it says. Raises SettingsInvalid naming the file."""
    from entities.relations import fingerprint

    return fingerprint(_vocabulary_files(settings))


def _vocabulary_files(settings: Settings) -> list[Path]:
    return [Path(settings.base) / file for file in settings.entities.vocabulary]
