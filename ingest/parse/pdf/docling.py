"""docling's whole pipeline instead of a feed and our structure pass: its layout and table models, where somebody set them up.

It needs PyTorch, which Concord never brings, and a folder of model weights; nothing is downloaded. What it makes of a document is
mapped by `docling_document`, without docling's own classes.
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ingest.errors import ConcordError, DocumentCorrupt, ModelUnavailable
from ingest.model.canonical import digest_of
from ingest.model.document import Document
from ingest.parse.draft import paired
from ingest.settings import ParsePart

PACKAGES = ("docling", "torch")


def missing(settings: ParsePart) -> str:
    """Return in words what docling lacks on this machine, and what to do; empty where it can work. Nothing is imported."""
    absent = [package for package in PACKAGES if find_spec(package) is None]
    if absent:
        return (
            f"parse.pdf_engine = docling needs {' and '.join(absent)}, which Concord does not bring (PyTorch is large); install "
            "them with: pip install docling, or set parse.pdf_engine = auto"
        )
    if not settings.docling_models:
        return (
            "parse.pdf_engine = docling needs its model weights on disk; fetch them where there is a network with: "
            "docling-tools models download -o FOLDER, and set parse.docling_models to that folder"
        )
    if not Path(settings.docling_models).is_dir():
        return f"parse.docling_models = {settings.docling_models} is not a folder; point it to docling's model weights"
    return ""


def mark(settings: ParsePart) -> str:
    """Return what tells one set of weights from another: the names and sizes of their files."""
    folder = Path(settings.docling_models) if settings.docling_models else None
    if folder is None or not folder.is_dir():
        return "missing"
    files = sorted((str(file.relative_to(folder)), file.stat().st_size) for file in folder.rglob("*") if file.is_file())
    return digest_of([list(file) for file in files])[:16]


def parse(data: bytes, name: str, settings: ParsePart, media_type: str, parser: str, said: dict[str, Any]) -> Document:
    """Have docling read a PDF. `said`: the document's own metadata. Raises ModelUnavailable and DocumentCorrupt."""
    from ingest.parse.pdf.docling_document import mapped

    if lacking := missing(settings):
        raise ModelUnavailable(lacking)
    try:
        made = mapped(_converted(data, settings))
    except ConcordError:
        raise
    except Exception as error:
        raise DocumentCorrupt(
            f"docling cannot read {name} ({type(error).__name__}: {str(error)[:160]}); print it to a new PDF, or set "
            "parse.pdf_engine = auto"
        ) from error
    blocks, links = paired(made.blocks, made.links)
    return Document(
        media_type=media_type, parser=parser, title=said.get("title") or made.title, blocks=blocks,
        links=links, omissions=made.omissions, embedded=said, pages=made.pages,
    )


def _converted(data: bytes, settings: ParsePart) -> dict[str, Any]:
    """Return docling's document as JSON types."""
    # By name, not by import statement: docling is the user's to install, and no requirement of ours.
    converter = import_module("docling.document_converter")
    options = import_module("docling.datamodel.pipeline_options")
    formats = import_module("docling.datamodel.base_models").InputFormat
    pipeline = options.PdfPipelineOptions(artifacts_path=settings.docling_models, do_ocr=settings.ocr != "off")
    with tempfile.TemporaryDirectory(prefix="concord-docling-") as folder:
        file = Path(folder) / "document.pdf"
        file.write_bytes(data)
        engine = converter.DocumentConverter(format_options={formats.PDF: converter.PdfFormatOption(pipeline_options=pipeline)})
        exported: dict[str, Any] = engine.convert(file).document.export_to_dict()
    return exported
