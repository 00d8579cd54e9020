"""CocoIndex over a folder of Markdown: split, embed (memoised a chunk, as its own embedder does), rows in one SQLite table.

    python cocoindex_app.py DOCS STATE [full]        prints {"embedded": texts embedded in this run}

`full` reprocesses everything, as its `update --full-reprocess` does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cocoindex as coco
from cocoindex.connectors import localfs, sqlite
from cocoindex.ops.text import RecursiveSplitter
from cocoindex.resources.chunk import Chunk
from cocoindex.resources.file import FileLike, PatternFilePathMatcher
from cocoindex.resources.id import IdGenerator

from ingest.embed.hash import Hash

DOCS, STATE = Path(sys.argv[1]), Path(sys.argv[2])
CHUNK_BYTES = 800
DATABASE = coco.ContextKey[sqlite.ManagedConnection]("database")

embedder = Hash()
splitter = RecursiveSplitter()
embedded = 0


@dataclass
class Row:
    id: int
    path: str
    text: str
    vector: bytes


@coco.lifespan
def lifespan(builder: coco.EnvironmentBuilder) -> Iterator[None]:
    builder.settings.db_path = STATE / "coco.db"
    builder.provide_with(DATABASE, sqlite.managed_connection(STATE / "rows.sqlite", load_vec=False))
    yield


@coco.fn.as_async(batching=True, max_batch_size=64)
def embed_batch(texts: list[str]) -> list[bytes]:
    global embedded
    embedded += len(texts)
    return [vector.tobytes() for vector in embedder.passages(texts)]


@coco.fn(memo=True)
async def embed(text: str) -> bytes:
    return await embed_batch(text)


@coco.fn
async def process_chunk(chunk: Chunk, path: str, ids: IdGenerator, table: sqlite.TableTarget[Row]) -> None:
    table.declare_row(row=Row(await ids.next_id(chunk.text), path, chunk.text, await embed(chunk.text)))


@coco.fn(memo=True)
async def process_file(file: FileLike, table: sqlite.TableTarget[Row]) -> None:
    text = await file.read_text()
    chunks = splitter.split(text, chunk_size=CHUNK_BYTES, language="markdown")
    await coco.map(process_chunk, chunks, str(file.file_path.path), IdGenerator(), table)


@coco.fn
async def app_main() -> None:
    table = await sqlite.mount_table_target(DATABASE, "rows", await sqlite.TableSchema.from_class(Row, ["path", "id"]))
    files = localfs.walk_dir(DOCS, recursive=True, path_matcher=PatternFilePathMatcher(included_patterns=["**/*.md"]))
    await coco.mount_each(process_file, files.items(), table)


if __name__ == "__main__":
    STATE.mkdir(parents=True, exist_ok=True)
    app = coco.App(coco.AppConfig(name="bench"), app_main)
    app.update_blocking(report_to_stdout=False, full_reprocess="full" in sys.argv[3:])
    print(json.dumps({"embedded": embedded}))
