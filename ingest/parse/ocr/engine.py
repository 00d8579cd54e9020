"""Which engine reads pictures: as set, or with `auto` the first of rapidocr and tesseract that is here, else none."""

from __future__ import annotations

import shutil
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from ingest.parse.ocr import tesseract
from ingest.parse.ocr.lines import Reader

NONE = "off"
ENGINES = ("rapidocr", "tesseract")


def resolved(setting: str, languages: tuple[str, ...]) -> str:
    """Return the engine that a setting of `parse.ocr` means on this machine: `rapidocr`, `tesseract` or `off`."""
    if setting != "auto":
        return setting
    return next((name for name in ENGINES if is_here(name, languages)), NONE)


def is_here(engine: str, languages: tuple[str, ...]) -> bool:
    """Whether an engine can be used on this machine. Cheap: nothing is imported or loaded."""
    if engine == "rapidocr":
        return _installed("rapidocr") is not None and _installed("onnxruntime") is not None
    if engine == "tesseract":
        if shutil.which(tesseract.PROGRAM) is None:
            return False
        packs = tesseract.installed_packs()
        return all(tesseract.PACKS.get(language.lower(), language) in packs for language in languages)
    return engine == NONE


def mark(engine: str, languages: tuple[str, ...]) -> str:
    """Return an engine and its version for a fingerprint: `rapidocr 3.10.0`, `tesseract 5.3.0 zh+en`, `ocr off`."""
    if engine == NONE:
        return "ocr off"
    if engine == "rapidocr":
        return f"rapidocr {_installed('rapidocr') or 'absent'}"
    return f"tesseract {tesseract.version()} {'+'.join(languages)}" if is_here(engine, languages) else "tesseract absent"


@lru_cache(maxsize=2)
def reader(engine: str, languages: tuple[str, ...]) -> Reader | None:
    """Return an engine ready to read, None for `off`. Raises ExtraMissing or EngineUnavailable where it is not here."""
    if engine == NONE:
        return None
    if engine == "tesseract":
        return tesseract.TesseractReader(languages)
    from ingest.parse.ocr.rapid import RapidReader

    return RapidReader()


@lru_cache(maxsize=4)
def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


