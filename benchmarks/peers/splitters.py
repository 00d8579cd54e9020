"""Cuts documents with a splitter of LangChain, LlamaIndex, chonkie or docling: one JSON object in, one out.

In: `{"splitter": "langchain-200", "model": folder, "papers": [{"name", "text"}]}`. Out: `{"seconds": ..., "pieces": [{"paper",
"text", "embed"}]}`; `embed` is what its maker would have embedded. A number behind the name is a size in tokens, counted as the
embedder of the comparison counts; without one a splitter has the sizes it comes with.
"""

from __future__ import annotations

import json
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

from ingest.embed.unigram import Unigram

Cut = Callable[[str], Iterator[tuple[str, str]]]
_WINDOW = 510


def counter(model: Path) -> Callable[[str], int]:
    pieces = (model / "pieces.txt").read_bytes().decode().split("\n")
    scores = array("f", (model / "scores.f32").read_bytes())
    normal = {int(point): text for point, text in json.loads((model / "normal.json").read_bytes()).items()}
    unknown = json.loads((model / "concord.json").read_bytes())["tokens"]["unknown"]
    count = Unigram(pieces, scores.tolist(), normal, unknown)
    return lru_cache(maxsize=200_000)(lambda text: len(count(text)))


def langchain(size: int | None, count: Callable[[str], int]) -> Cut:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    limits: dict[str, Any] = {"chunk_size": size, "chunk_overlap": 0, "length_function": count} if size else {}
    splitter = RecursiveCharacterTextSplitter(**limits)
    return lambda text: ((part, part) for part in splitter.split_text(text))


def llamaindex(size: int | None, count: Callable[[str], int]) -> Cut:
    from llama_index.core.node_parser import SentenceSplitter

    limits: dict[str, Any] = {"chunk_size": size, "chunk_overlap": size // 10} if size else {}
    splitter = SentenceSplitter(tokenizer=lambda text: range(count(text)), **limits)
    return lambda text: ((part, part) for part in splitter.split_text(text))


def chonkie(size: int | None, count: Callable[[str], int]) -> Cut:
    from chonkie import RecursiveChunker

    splitter = RecursiveChunker(tokenizer=count, chunk_size=size) if size else RecursiveChunker()
    return lambda text: ((part.text, part.text) for part in splitter.chunk(text))


def docling(size: int | None, count: Callable[[str], int]) -> Cut:
    from docling.backend.md_backend import MarkdownDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer

    class Tokens(BaseTokenizer):
        def count_tokens(self, text: str) -> int:
            return count(text)

        def get_max_tokens(self) -> int:
            return size or _WINDOW

        def get_tokenizer(self) -> Any:
            return count

    chunker = HybridChunker(tokenizer=Tokens())

    def cut(text: str) -> Iterator[tuple[str, str]]:
        data = BytesIO(text.encode())
        source = InputDocument(path_or_stream=data, format=InputFormat.MD, backend=MarkdownDocumentBackend, filename="a.md")
        document = MarkdownDocumentBackend(in_doc=source, path_or_stream=BytesIO(text.encode())).convert()
        for part in chunker.chunk(document):
            yield part.text, chunker.contextualize(part)

    return cut


SPLITTERS = {"langchain": langchain, "llamaindex": llamaindex, "chonkie": chonkie, "docling": docling}


def main() -> None:
    asked = json.load(sys.stdin)
    name, _, size = asked["splitter"].partition("-")
    cut = SPLITTERS[name](int(size) if size else None, counter(Path(asked["model"])))
    found = []
    started = time.process_time()
    for paper in asked["papers"]:
        parts = list(cut(paper["text"]))
        found.append((paper["name"], parts))
    seconds = time.process_time() - started
    pieces = [{"paper": paper, "text": text, "embed": embed} for paper, parts in found for text, embed in parts]
    json.dump({"seconds": seconds, "pieces": pieces}, sys.stdout)


if __name__ == "__main__":
    main()
