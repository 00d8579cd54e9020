"""haiku.rag over a folder of Markdown, by its import of prepared documents: a section is a chunk, and brings its vector.

    python haiku_rag_app.py write DOCS DB             imports every document (again: its rows are replaced)
    python haiku_rag_app.py tamper SUBJECT DB OLDER   changes its tables with LanceDB itself; `subjects` lists what it can do
    python haiku_rag_app.py vacuum DB                 what it does by itself now and then
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel
from haiku.rag.client import HaikuRAG
from haiku.rag.config import AppConfig
from haiku.rag.store.models.chunk import Chunk

from ingest.embed.hash import DIMENSIONS, Hash

CONFIG: dict[str, Any] = {
    "embeddings": {"model": {"provider": "openai", "name": "hash", "vector_dim": DIMENSIONS, "base_url": "http://127.0.0.1:9/v1"}},
    "storage": {"auto_vacuum": False},
}
"""The endpoint is never asked: vectors come with the chunks, and the doctor is told to leave providers out."""

OPEN, OTHER = "Payment is due", "Audit logs"


async def write(docs: Path, db: Path) -> None:
    async with HaikuRAG(db, AppConfig.model_validate(CONFIG), create=True) as client:
        for path in sorted(docs.glob("*.md")):
            known = await client.get_document_by_uri(path.name)
            if known is not None and known.id is not None:
                await client.delete_document(known.id)
            document, chunks = read(path)
            await client.import_document(document, chunks, uri=path.name, title=path.stem)
        await client.vacuum()  # brings its full-text index up to date, as its doctor would ask for


async def vacuum(db: Path) -> None:
    async with HaikuRAG(db, AppConfig.model_validate(CONFIG)) as client:
        await client.vacuum()


def read(path: Path) -> tuple[DoclingDocument, list[Chunk]]:
    document = DoclingDocument(name=path.stem)
    body = path.read_text(encoding="utf-8").rpartition("\n---\n")[2]
    chunks, heading = [], ""
    for block in filter(None, (part.strip() for part in body.split("\n\n"))):
        if block.startswith("#"):
            heading = block.lstrip("# ")
            document.add_heading(heading)
        else:
            item = document.add_text(DocItemLabel.TEXT, block)
            about = {"doc_item_refs": [item.self_ref], "headings": [heading], "labels": ["text"], "page_numbers": []}
            chunks.append(Chunk(content=block, metadata=about, order=len(chunks)))
    for chunk, vector in zip(chunks, Hash().passages([chunk.content for chunk in chunks]), strict=True):
        chunk.embedding = vector.tolist()
    return document, chunks


# Tampering

Act = Callable[[Path, Path], Awaitable[None]]


def on(table: str, change: Callable[[Any], Awaitable[None]]) -> Act:
    async def act(db: Path, older: Path) -> None:
        connection = await lancedb.connect_async(db)
        await change(await connection.open_table(table))

    return act


async def _row(table: Any, text: str) -> dict[str, Any]:
    (row,) = await table.query().where(f"content like '%{text}%'").to_list()
    return dict(row)


async def lose(table: Any) -> None:
    await table.delete(f"content like '%{OPEN}%'")


async def lose_all(table: Any) -> None:
    row = await _row(table, OPEN)
    await table.delete(f"document_id = '{row['document_id']}'")


async def haunt(table: Any) -> None:
    await table.add([{**await _row(table, OPEN), "id": "ghost", "content": "A ghost.", "content_fts": "A ghost."}])


async def haunt_nowhere(table: Any) -> None:
    await table.add([{**await _row(table, OPEN), "id": "ghost", "document_id": "gone"}])


async def reword(table: Any) -> None:
    row = await _row(table, OPEN)
    changed = {key: row[key].replace("thirty", "ninety") for key in ("content", "content_fts")}
    await table.update(where=f"id = '{row['id']}'", updates=changed)


async def swap(table: Any) -> None:
    rows = [await _row(table, OPEN), await _row(table, OTHER)]
    for row, other in zip(rows, rows[::-1], strict=True):
        await table.update(where=f"id = '{row['id']}'", updates={"vector": [float(x) for x in other["vector"]]})


async def turn(table: Any) -> None:
    row = await _row(table, OPEN)
    await table.update(where=f"id = '{row['id']}'", updates={"vector": np.roll(row["vector"], 1).tolist()})


async def empty(table: Any) -> None:
    row = await _row(table, OPEN)
    await table.update(where=f"id = '{row['id']}'", updates={"vector": [0.0] * DIMENSIONS})


async def restamp(table: Any) -> None:
    (row,) = await table.query().where("id = 'settings'").to_list()
    settings = json.loads(row["settings"])
    settings["embeddings"]["model"]["name"] = "another"
    await table.update(where="id = 'settings'", updates={"settings": json.dumps(settings)})


async def mix(db: Path, older: Path) -> None:
    shutil.rmtree(db / "chunks.lance")
    shutil.copytree(older / "chunks.lance", db / "chunks.lance")


async def restore(db: Path, older: Path) -> None:
    shutil.rmtree(db)
    shutil.copytree(older, db)


def _data(db: Path) -> Path:
    return max((db / "chunks.lance" / "data").iterdir(), key=lambda path: path.stat().st_mtime_ns)


async def flip(db: Path, older: Path) -> None:
    """Flip a bit of one number of a vector."""
    connection = await lancedb.connect_async(db)
    table = await connection.open_table("chunks")
    for path in sorted((db / "chunks.lance" / "data").iterdir()):
        data = bytearray(path.read_bytes())
        for row in await table.query().to_list():
            place = data.find(np.asarray(row["vector"], "<f4").tobytes()[:64])
            if place >= 0:
                data[place + 2] ^= 1
                path.write_bytes(data)
                return
    raise LookupError("no vector was found in the files")


async def cut(db: Path, older: Path) -> None:
    path = _data(db)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


SUBJECTS: dict[str, Act] = {
    "lost chunk": on("chunks", lose),
    "lost chunk: all of a document": on("chunks", lose_all),
    "ghost chunk": on("chunks", haunt),
    "ghost chunk: of a document that is not there": on("chunks", haunt_nowhere),
    "altered text": on("chunks", reword),
    "swapped vectors": on("chunks", swap),
    "altered vector": on("chunks", turn),
    "altered vector: all zeros": on("chunks", empty),
    "catalog row deleted": on("documents", lose),
    "stale stamp": on("settings", restamp),
    "mixed builds": mix,
    "flipped byte": flip,
    "truncated file": cut,
    "restored old directory": restore,
}


def main() -> None:
    match sys.argv[1:]:
        case ["subjects"]:
            print(json.dumps(list(SUBJECTS)))
        case ["write", docs, db]:
            asyncio.run(write(Path(docs), Path(db)))
        case ["vacuum", db]:
            asyncio.run(vacuum(Path(db)))
        case ["tamper", subject, db, older]:
            asyncio.run(SUBJECTS[subject](Path(db), Path(older)))  # type: ignore[arg-type]  # a coroutine each
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
