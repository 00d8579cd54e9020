"""Who cuts: ours in this process, the peers in their own environment, all over the same Markdown."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.chunking.world.papers import Paper
from benchmarks.ingest_peers import PEERS, PROJECT, QUIET
from ingest.chunk.structure import chunk
from ingest.model.chunk import Chunked
from ingest.parse.route import parse
from ingest.settings import ChunkPart, ParsePart

OURS, SMALL = "concord", "concord-small"
PEER_NAMES = ("langchain-200", "langchain", "llamaindex-200", "llamaindex", "chonkie-200", "chonkie", "docling-200", "docling")
"""With a number: tokens of the embedder. Without: the sizes a splitter comes with (chonkie's 2,048 are characters)."""

SETTINGS = {OURS: ChunkPart(), SMALL: ChunkPart(child_min=80, child_max=150)}
"""The second has pieces about as long as those of `langchain-200` come out, which stay far below their limit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` is what was cut, `embed` what is embedded, `lead` characters at its start repeat what stands elsewhere, `context` is
    what a reader is given when it is found."""

    paper: str
    text: str
    embed: str
    context: str
    lead: int = 0
    chunk_id: str = ""
    parent_id: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """`seconds` of processor time for cutting (not parsing, for those that take a parsed document: ours)."""

    pieces: list[Piece]
    seconds: float


def cut(name: str, papers: Sequence[Paper], model: Path) -> Cut:
    return ours(papers, SETTINGS[name]) if name in SETTINGS else _peer(name, papers, model)


def ours(papers: Sequence[Paper], settings: ChunkPart) -> Cut:
    """What has no title is bare text, not Markdown."""
    documents = [parse(paper.text.encode(), f"{paper.title}.md" if paper.title else "bare.txt", ParsePart()) for paper in papers]
    started = time.process_time()
    made = [
        chunk(document, source_id=paper.name, title=document.title or paper.title, settings=settings)
        for paper, document in zip(papers, documents, strict=True)
    ]
    seconds = time.process_time() - started
    return Cut([piece for paper, one in zip(papers, made, strict=True) for piece in _pieces(paper, one)], seconds)


def _pieces(paper: Paper, chunked: Chunked) -> list[Piece]:
    contexts = {parent.parent_id: parent.text for parent in chunked.parents}
    return [
        Piece(paper.name, one.text, one.embed_text, contexts[one.parent_id], one.overlap, one.chunk_id, one.parent_id)
        for one in chunked.children
    ]


def _peer(name: str, papers: Sequence[Paper], model: Path) -> Cut:
    asked = {"splitter": name, "model": str(model), "papers": [{"name": paper.name, "text": paper.text} for paper in papers]}
    environment = {**os.environ, **QUIET, "PYTHONPATH": str(PROJECT), "OMP_NUM_THREADS": "1"}
    command = [str(PEERS / "bin" / "python"), str(PROJECT / "benchmarks" / "peers" / "splitters.py")]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} failed: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return Cut([Piece(one["paper"], one["text"], one["embed"], one["embed"]) for one in answer["pieces"]], answer["seconds"])
