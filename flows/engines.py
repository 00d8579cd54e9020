"""Which engines parse, as the embedder is chosen: with `auto`, what was recorded at the first publish is kept.

A machine that lacks an engine must not silently read every document with another. Where no document would be read with it, that
is no matter; and where nothing but "none" was recorded (no OCR was installed), what is here now is an addition, and is taken.
"""

from __future__ import annotations

from collections.abc import Callable

from flows.placing import placed
from ingest.errors import EngineUnavailable
from ingest.model.generation import Manifest
from ingest.parse.engines import KINDS, is_here, required, resolved
from ingest.parse.ocr.engine import NONE
from ingest.settings import Settings

REMEDY = {
    "rapidocr": "pip install 'concord-kb[ocr]'", "tesseract": "apt-get install tesseract-ocr tesseract-ocr-chi-sim",
    "pymupdf": "pip install 'concord-kb[pymupdf]' and set parse.accept_agpl", "docling": "see docs/parsing.md",
}


def as_resolved(
    settings: Settings, previous: Manifest | None, *, re_engine: bool, concerned: Callable[[], bool] = lambda: True
) -> Settings:
    """Return the settings with every parsing engine named, ready to parse.

    `concerned`: whether any document was read with these engines; asked only where one is missing. Raises EngineUnavailable
    when what was recorded is not here, ExtraMissing, ModelUnavailable and EngineUnavailable when what the settings name is not.
    """
    required(settings.parse)
    kept = {} if re_engine else _recorded(settings, previous)
    for field, engine in list(kept.items()):
        kind = next(kind for kind, of in KINDS.items() if of == field)
        if is_here(kind, engine, settings.parse) and (engine != "pymupdf" or settings.parse.accept_agpl):
            continue
        if concerned():
            raise EngineUnavailable(
                f"documents of the knowledge base were read with {engine}, which is not here; install it ({REMEDY[engine]}), or "
                "accept that they are read anew with: ingest run --re-engine"
            )
        del kept[field]
    return placed(_with(settings, kept), previous)


def as_published(settings: Settings, previous: Manifest) -> Settings:
    """Return the settings with every parsing engine named, to compare with what was made: what was recorded is kept, here or not.

    The fingerprint of a parser whose engine is missing says so.
    """
    return placed(_with(settings, _recorded(settings, previous)), previous)


def _recorded(settings: Settings, previous: Manifest | None) -> dict[str, str]:
    """Setting -> the engine that a generation was made with, for what is `auto`."""
    engines = previous.engines if previous is not None else {}
    return {
        field: engines[kind] for kind, field in KINDS.items()
        if getattr(settings.parse, field) == "auto" and engines.get(kind, NONE) != NONE
    }


def _with(settings: Settings, kept: dict[str, str]) -> Settings:
    return settings.model_copy(update={"parse": resolved(settings.parse).model_copy(update=kept)})
