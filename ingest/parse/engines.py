"""Which engines read documents on this machine: what `auto` stands for, and whether what is named is here.

A parser's fingerprint tells what it resolved to, so a setting's word (`auto`, or the name of what it means here) shapes nothing.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from ingest.errors import EngineUnavailable, ExtraMissing, ModelUnavailable
from ingest.parse.ocr import engine as ocr
from ingest.settings import ParsePart

KINDS = {"pdf": "pdf_engine", "ocr": "ocr"}
"""Kind of engine, as manifests record it -> the setting that chooses it."""


def resolved(settings: ParsePart) -> ParsePart:
    """Return the settings with every engine named: what `auto` means on this machine. Nothing is imported."""
    chosen = {"ocr": ocr.resolved(settings.ocr, settings.ocr_languages)}
    if settings.pdf_engine == "auto":
        chosen["pdf_engine"] = "pymupdf" if settings.accept_agpl and is_here("pdf", "pymupdf", settings) else "liteparse"
    return settings.model_copy(update=chosen)


def named(settings: ParsePart) -> dict[str, str]:
    """Return kind -> engine of settings in which every engine is named."""
    return {kind: getattr(settings, field) for kind, field in KINDS.items()}


def is_here(kind: str, engine: str, settings: ParsePart) -> bool:
    """Whether an engine can be used on this machine. Cheap: nothing is imported."""
    if kind == "ocr":
        return ocr.is_here(engine, settings.ocr_languages)
    if engine == "docling":
        from ingest.parse.pdf.docling import missing

        return not missing(settings)
    return _installed(engine)


def required(settings: ParsePart) -> None:
    """Raise ExtraMissing, ModelUnavailable or EngineUnavailable for an engine that the settings name and that is not here."""
    if settings.ocr == "tesseract" and not is_here("ocr", "tesseract", settings):
        raise EngineUnavailable(
            "parse.ocr = tesseract, and the program or one of its language packs is not installed (Debian: tesseract-ocr "
            f"tesseract-ocr-chi-sim; parse.ocr_languages = {', '.join(settings.ocr_languages)})"
        )
    if settings.ocr == "rapidocr" and not is_here("ocr", "rapidocr", settings):
        raise ExtraMissing("parse.ocr = rapidocr", "ocr")
    if settings.pdf_engine == "pymupdf" and not is_here("pdf", "pymupdf", settings):
        raise ExtraMissing("parse.pdf_engine = pymupdf", "pymupdf")
    if settings.pdf_engine == "docling":
        from ingest.parse.pdf.docling import missing

        if lacking := missing(settings):
            raise ModelUnavailable(lacking)


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
