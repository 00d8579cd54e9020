"""LangChain's `index()` over a folder of Markdown: its Markdown splitter, its SQL record manager, rows in one SQLite table.

    python langchain_app.py DOCS STATE        prints {"embedded": texts embedded in this run}
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from langchain_classic.indexes import SQLRecordManager, index
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import MarkdownTextSplitter
from rows import Rows

from ingest.embed.hash import Hash

CHUNK_CHARACTERS = {"zh": 300, "en": 800}
"""The splitter counts characters; Chinese ones take three bytes."""


class SqliteStore(VectorStore):
    """The least that `index()` needs of a store: add and delete by id."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.embedder = Hash()
        self.embedded = 0

    def add_documents(self, documents: list[Document], *, ids: list[str], **_: Any) -> list[str]:
        texts = [document.page_content for document in documents]
        self.embedded += len(texts)
        vectors = self.embedder.passages(texts)
        self.rows.put(
            (id, document.metadata["source"], document.page_content, vector.tobytes())
            for id, document, vector in zip(ids, documents, vectors, strict=True)
        )
        return ids

    def delete(self, ids: list[str] | None = None, **_: Any) -> bool:
        self.rows.delete("id", ids or [])
        return True

    def similarity_search(self, query: str, k: int = 4, **_: Any) -> list[Document]:
        raise NotImplementedError

    @classmethod
    def from_texts(cls, *_: Any, **__: Any) -> SqliteStore:
        raise NotImplementedError


def main() -> None:
    docs, state = Path(sys.argv[1]), Path(sys.argv[2])
    state.mkdir(parents=True, exist_ok=True)
    manager = SQLRecordManager("bench", db_url=f"sqlite:///{state / 'records.sqlite'}")
    manager.create_schema()
    store = SqliteStore(Rows(state / "rows.sqlite"))
    index(read(docs), manager, store, batch_size=500, cleanup="full", source_id_key="source", key_encoder="sha256")
    print(json.dumps({"embedded": store.embedded}))


def read(docs: Path) -> list[Document]:
    chunks = []
    for path in sorted(docs.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        size = CHUNK_CHARACTERS["en" if text.isascii() else "zh"]
        splitter = MarkdownTextSplitter(chunk_size=size, chunk_overlap=0)
        chunks.extend(splitter.create_documents([text], [{"source": path.relative_to(docs).as_posix()}]))
    return chunks


if __name__ == "__main__":
    main()
