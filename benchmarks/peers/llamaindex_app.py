"""LlamaIndex's IngestionPipeline over a folder of Markdown: its node parser, its docstore with upserts and deletes, rows in
one SQLite table. Docstore and cache are kept as it keeps them, as JSON.

    python llamaindex_app.py DOCS STATE        prints {"embedded": texts embedded in this run}
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import Document
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import MarkdownNodeParser
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQuery, VectorStoreQueryResult
from pydantic import PrivateAttr
from rows import Rows

from ingest.embed.hash import Hash

BATCH = 500


class HashEmbedding(BaseEmbedding):
    """The embedder that everybody here uses."""

    _embedder: Hash = PrivateAttr(default_factory=Hash)
    _embedded: int = PrivateAttr(default=0)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self._embedded += len(texts)
        vectors: list[list[float]] = self._embedder.passages(texts).tolist()
        return vectors

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    @property
    def embedded(self) -> int:
        return self._embedded


class SqliteStore(BasePydanticVectorStore):
    """The least that the pipeline needs of a store: add nodes, delete those of a document."""

    stores_text: bool = True
    _rows: Rows = PrivateAttr()

    def __init__(self, rows: Rows) -> None:
        super().__init__(stores_text=True)
        self._rows = rows

    @property
    def client(self) -> Any:
        return self._rows

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:
        import numpy as np

        self._rows.put(
            (node.node_id, node.ref_doc_id or "", node.get_content(), np.asarray(node.get_embedding(), "<f4").tobytes())
            for node in nodes
        )
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **_: Any) -> None:
        self._rows.delete("path", [ref_doc_id])

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:
        raise NotImplementedError


def main() -> None:
    docs, state = Path(sys.argv[1]), Path(sys.argv[2])
    embedding = HashEmbedding(embed_batch_size=BATCH)
    pipeline = IngestionPipeline(
        transformations=[MarkdownNodeParser(), embedding], docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
    )
    kept = state / "pipeline"
    if kept.exists():
        pipeline.load(str(kept))
    state.mkdir(parents=True, exist_ok=True)
    pipeline.vector_store = SqliteStore(Rows(state / "rows.sqlite"))
    pipeline.run(documents=read(docs))
    pipeline.persist(str(kept))
    print(json.dumps({"embedded": embedding.embedded}))


def read(docs: Path) -> list[Document]:
    return [
        Document(text=path.read_text(encoding="utf-8"), doc_id=path.relative_to(docs).as_posix())
        for path in sorted(docs.rglob("*.md"))
    ]


if __name__ == "__main__":
    main()
