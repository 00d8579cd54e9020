"""Every seam of the product. A Protocol's docstring is its contract; one contract suite runs on every implementation.

    Connector   what is below a root, and its bytes    ingest.sources, and whoever installs one (docs/connectors.md)
    Parser      bytes -> Document                      ingest.parse
    Embedder    texts -> unit vectors                  ingest.embed
    IndexWriter base build + delta -> sealed build     indexes.vector | bm25 | graph
    IndexReader sealed build -> hits, and its own account of what it holds
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ingest.model.document import Document
from ingest.model.edge import Edge
from ingest.model.generation import Build, IndexKind
from ingest.model.predicate import Predicate
from ingest.model.row import ChunkRow
from ingest.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Listed:
    """Something that a connector lists. `path` is its path below the root, with `/`; `key` is what the connector opens it by.

    `token`: what changes whenever the bytes do (a strong etag, a version, an instant of writing that has passed). Equal tokens of
    one path only ever save reading; empty: it must be read to tell. `size` in bytes where the listing says it.
    """

    path: str
    key: str
    token: str = ""
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Unlisted:
    """Something that is there and no source. `reason` completes "it is no source: ...". With `kept`, it could not be looked at:
    what is known at `path` and below it is not gone."""

    path: str
    reason: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Fetched:
    """Bytes, whole and as they were at one moment, with the token of exactly these bytes (empty: none that can be trusted).

    `media_type`: what the source says they are, used where the path has no suffix; empty where it says nothing.
    """

    data: bytes
    token: str = ""
    media_type: str = ""


class Connector(Protocol):
    """A kind of place that sources lie in. One object serves one root for one run; `read` and `find` are called by several
    threads at once (`at_once` of the root's settings), `list` by one.

    Errors are those of Python: ConnectionError and TimeoutError may pass and are tried again, FileNotFoundError and
    PermissionError are not; any other OSError is final. `ingest.errors.DocumentTooLarge` where more than `most` bytes would be
    read. No message names a credential.
    """

    def listing(self, known: Mapping[str, str], within: str | None = None) -> Iterator[Listed | Unlisted]:
        """Everything below the root, in any order, sidecars and `.ingestignore` files too.

        `known`: path -> the token under which it was last read, for places that are asked "still the same?". `within`: the file
        or folder, as `ingest.sources.names` spells paths, that is looked at; what is neither there nor right in a folder above it
        need not be listed. A listing that stops half-way must raise: what is not listed is gone."""
        ...

    def read(self, listed: Listed, most: int) -> Fetched:
        """All bytes of one thing, at most `most`."""
        ...

    def find(self, path: str) -> Listed | None:
        """What is at `path` now, asked of one path by itself; None where nothing is, or where this cannot be asked."""
        ...

    def close(self) -> None: ...


class Parser(Protocol):
    """Turns the bytes of one document into a Document.

    Pure: no file system (libraries that insist on a path get a private temporary file), no network, no clock. `name` is the
    file's name and only a hint; the bytes decide. Raises a DocumentError and nothing else for a document that it cannot take.
    """

    fingerprint: str

    def __call__(self, data: bytes, name: str) -> Document: ...


class Embedder(Protocol):
    """Turns texts into unit vectors, float32, shape [n, dimensions], row i for text i.

    A vector depends on its own text only, never on its batch; equal calls on one machine give equal bytes. `fingerprint`
    names weights, engine and anything else that changes vectors. Queries and passages may be encoded differently.
    """

    fingerprint: str
    dimensions: int
    window: int
    """Tokens that one forward pass takes; longer texts are averaged over windows."""

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens of the window each passage takes; empty where the engine does not tell."""
        ...

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class Reranker(Protocol):
    """Tells how well texts answer a query, looking at both at once. Seen by few texts a query, because that is slow."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One finite number a text, in their order; higher is better. Raises ModelUnavailable when it cannot tell."""
        ...


@dataclass(frozen=True, slots=True)
class Hit:
    """A found row. Scores of one index compare only with each other; higher is better. Ties are broken by chunk id."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """What BM25 found, and how well the query meets the rows that the caller may see.

    `ceiling`: the score that no row exceeds, what one would have that held every term of the query without end. `codes`: chunk id
    -> how many of the query's codes (`indexes.bm25.codes`) the row holds, for codes that few admitted rows hold; these rows need
    not be among the hits. `weights`: term of the query -> what it could add to a score at most; their sum is the ceiling.
    """

    hits: list[Hit]
    ceiling: float = 0.0
    codes: dict[str, int] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that a query asks for. `ways`: what may stand for it (names of one thing, translations of one word), each as the
    terms that a row must hold together. How often a row has it is how often it has the rarest of these terms, of all ways
    together, and how many rows have it is counted so, too: each way by its share, 1 where there are none (structured queries with
    the probabilities of translations, Darwish and Oard 2003). So a rare translation does not make a common word a rare one.
    `weight`: beside the others. `once`: it counts whole, however often and in how long a text a row has it."""

    ways: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...] = ()
    weight: float = 1.0
    once: bool = False


@dataclass(frozen=True, slots=True)
class RowVector:
    """A row on its way into the vector index, with its unit vector."""

    row: ChunkRow
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorDelta:
    """`rows` is consumed once, in order, streamed; `count` is its length, for progress. Removed ids need not be held."""

    rows: Iterable[RowVector]
    count: int
    removed: frozenset[str]
    dimensions: int


@dataclass(frozen=True, slots=True)
class Bm25Delta:
    rows: Iterable[ChunkRow]
    count: int
    removed: frozenset[str]


@dataclass(frozen=True, slots=True)
class GraphDelta:
    """What changed for the graph. Rows bring the nodes (source, parent, chunk, entities) and the edges between them: source
    `has_parent` parent, parent `has_child` chunk, chunk `mentions` entity. `edges` are the others: links and assertions."""

    rows: Iterable[ChunkRow]
    count: int
    removed: frozenset[str]
    edges: Iterable[Edge]
    removed_edges: frozenset[str]
    """Edge ids."""


Delta = TypeVar("Delta", contravariant=True)


class IndexWriter(Protocol[Delta]):
    """Makes a sealed build. `Delta` is `VectorDelta`, `Bm25Delta` or `GraphDelta`.

    `fingerprint` names the format, the engine's version and every setting that changes what is stored.

    `write(base, delta, target)`: `target` does not exist yet and lies on the same file system as `base`; it is private until
    published, and may be deleted at any moment before. `base` (None: from empty) is a published build and is never modified,
    though its files may be hard-linked where this writer never writes them in place. A row whose id is both removed and added
    replaces. On return every file is written and closed (the caller fsyncs and renames). Returns chunk_id -> content hash of
    every row written, computed from what was asked for, before it is written: what `IndexReader.contents` must give back.
    Answers and scores depend only on the set of rows in effect, never on how it was reached.
    """

    kind: IndexKind
    fingerprint: str

    def write(self, base: Path | None, delta: Delta, target: Path, progress: Progress) -> dict[str, str]: ...


class IndexReader(Protocol):
    """Reads one sealed build: any number of readers, in any number of processes, at once. Close it.

    Opening raises BuildCorrupt, naming the file, when a file is missing, cut or of another format.
    """

    def pairs(self) -> Iterator[tuple[str, str]]:
        """(chunk_id, row_checksum) of every row that the index *actually holds*, read from what searches use."""

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """chunk_id -> hash of the stored content itself, derived now from the bytes that searches use, never from a stored
        hash: the vector, the postings, the node with its columns and edges. Ids that are not held are left out."""

    def close(self) -> None: ...


Aspects = dict[str, Any]
"""What an index stores of one row, by aspect: `row_checksum`, the columns of `FilterColumns`, and what is its own (`vector`;
`terms`, `length`; `title`, `heading`, `parent_id`, `entity_ids`, `leaving`, `arriving`)."""


class Inspected(IndexReader, Protocol):
    """A reader that also tells in which aspect a row differs from another. For few rows, and for verifying only."""

    def described(self, chunk_ids: Sequence[str]) -> dict[str, Aspects]:
        """chunk_id -> what the index stores of it, read from what searches use. Ids that are not held are left out; aspects that
        cannot be read are."""

    def false_gates(self) -> list[str]:
        """Ids of gates whose columns are not those that the id was made of; empty where an index has none."""


class VectorReader(IndexReader, Protocol):
    def search(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> list[Hit]:
        """The `limit` rows nearest by dot product among those the predicate admits, exact, best first."""

    def by_language(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> dict[str, list[Hit]]:
        """What `search` finds among the rows of each language by itself (`zh` of zh-CN too; empty: of none); languages without
        rows are left out."""

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """chunk_id -> the vector that is held, float32. Ids that are not held are left out."""


class Bm25Reader(IndexReader, Protocol):
    """Words are weighed over the rows that the caller may see (`Predicate.caller`): how many these are, how long, and how many of
    them hold a term. Every number that is told is that of a build without the others, to the last bit. What else a predicate
    narrows to changes which rows are ranked, and no weight."""

    def search(self, query: str, predicate: Predicate, limit: int) -> list[Hit]:
        """The best rows among those the predicate admits, score > 0 only. Any text is a query; none is a syntax error."""

    def rank(self, query: str, predicate: Predicate, limit: int) -> Ranked:
        """What `search` finds, with what fusion needs to weigh it."""

    def meets(self, asked: Sequence[Asked], named: Sequence[Asked], share: float, predicate: Predicate, limit: int) -> Ranked:
        """The rows that have most of what is asked and of what is named, each measured in parts of what a row could have. What is
        named has `share` of the whole, or all of it where nothing is asked, so that 1 is the ceiling (0 where there is neither).
        Codes and weights of terms are not told. A way that no row has which the caller may see counts as one that there is
        not."""

    def having(self, ways: Collection[Sequence[str]], chunk_ids: Collection[str]) -> frozenset[str]:
        """Those of some rows that hold all terms of one of some ways."""

    def held(self, terms: Collection[str], predicate: Predicate) -> frozenset[str]:
        """Those of some terms that a row holds which the predicate admits."""

    def codes_like(self, code: str, predicate: Predicate, limit: int) -> list[str]:
        """The codes, as terms, that rows hold which the predicate admits and that are one slip away from `code` (see
        `indexes.bm25.slips`), likelier slips first, then in order; `code` itself is none."""

    def versions(self, predicate: Predicate) -> frozenset[str]:
        """The versions of the rows that the predicate admits, those without one left aside."""

    def families(self, versions: Collection[str], predicate: Predicate) -> frozenset[str]:
        """The families, those without one left aside, of the rows that the predicate admits and that have one of some versions;
        an empty version is none."""

    def dated(self, predicate: Predicate) -> bool:
        """Whether a row that the predicate admits has a window with at least one side."""


class GraphReader(IndexReader, Protocol):
    def neighbors(
        self, nodes: Sequence[str], relations: Sequence[str] | None, predicate: Predicate, limit: int, reverse: bool = False
    ) -> list[Edge]:
        """Edges out of (or, reversed, into) `nodes`, ordered by (subject, relation, object), at most `limit` for each node.

        An edge shows when its evidence does: a chunk that the predicate admits; a source of which it admits some chunk; for
        `REGISTRY`, when each entity at its ends is mentioned by some chunk that it admits; a `near_duplicate`, when both of its
        chunks are admitted. Edges whose other end is absent
        (a link to a document that is not in the base) are left out. Edges made from rows carry the chunk as evidence."""

    def edges(self) -> Iterator[Edge]:
        """Every edge of `GraphDelta.edges` held, dangling ones too; not those made from rows."""

    def edge_ids(self) -> Iterator[str]:
        """The ids under which they are stored; `edges()` re-derives, so the two can be compared."""


__all__ = ["Asked", "Aspects", "Bm25Delta", "Bm25Reader", "Build", "Connector", "Embedder", "Fetched", "GraphDelta",
           "GraphReader", "Hit", "IndexReader", "IndexWriter", "Inspected", "Listed", "Parser", "Ranked", "Reranker",
           "RowVector", "Unlisted", "VectorDelta", "VectorReader"]
