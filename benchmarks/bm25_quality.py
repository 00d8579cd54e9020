"""How well BM25 alone finds the right paragraph: nDCG@10 and recall@40 on XQuAD (zh, en) and CMRC2018, whole paragraphs.

Each question has one right paragraph. `as asked` looks up every term of the question; the other column is what the index does,
`query_terms`, which leaves out words that only ask. Printed for both formulas. Reads `$CONCORD_DATA`, else `../shared/data`.

    python -m benchmarks.bm25_quality
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from indexes.bm25 import reader, terms
from indexes.bm25.scoring import Formula
from indexes.bm25.writer import Bm25Writer
from ingest.model.access import Access
from ingest.model.document import Provenance
from ingest.model.predicate import Predicate
from ingest.model.row import ChunkRow, sealed
from ingest.progress import Silent
from ingest.protocols import Bm25Delta

DATA = Path(os.environ.get("CONCORD_DATA") or Path(__file__).parents[2] / "shared" / "data") / "ir"
SETS = {"XQuAD zh": "xquad/xquad.zh.json", "XQuAD en": "xquad/xquad.en.json", "CMRC2018": "cmrc2018/cmrc2018_dev.json"}
FORMULAS: tuple[Formula, ...] = ("lucene", "okapi")
DEPTH = 40


def main() -> None:
    missing = [file for file in SETS.values() if not (DATA / file).exists()]
    if missing:
        print(f"skipped: {DATA / missing[0]} is not there; set CONCORD_DATA to the folder that holds ir/")
        return
    print(f"{'':10} {'formula':8} {'nDCG@10':>8} {'as asked':>9} {'recall@40':>10}")
    for name, file in SETS.items():
        paragraphs, questions = load(DATA / file)
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder) / "build"
            rows = [row_of(number, text) for number, text in enumerate(paragraphs)]
            Bm25Writer().write(None, Bm25Delta(rows, len(rows), frozenset()), build, Silent())
            for formula in FORMULAS:
                ranks = ranked(build, formula, rows, questions, terms.query_terms)
                asked = ranked(build, formula, rows, questions, lambda text: sorted(set(terms.terms(text))))
                recall = sum(rank is not None for rank in ranks) / len(ranks)
                print(f"{name:10} {formula:8} {ndcg(ranks):8.4f} {ndcg(asked):9.4f} {recall:10.4f}")


def load(file: Path) -> tuple[list[str], list[tuple[str, int]]]:
    """The paragraphs, and each question with the number of its paragraph."""
    articles = json.loads(file.read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    questions = [(qa["question"], number) for number, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    return [paragraph["context"] for paragraph in paragraphs], questions


def ranked(
    build: Path, formula: Formula, rows: list[ChunkRow], questions: list[tuple[str, int]], look_up: Callable[[str], list[str]]
) -> list[int | None]:
    """For each question the place of its paragraph, from 0; None below the depth."""
    opened = reader.open_reader(build, formula)
    with mock.patch.object(reader, "query_terms", look_up):
        found = [[hit.chunk_id for hit in opened.search(question, Predicate(None), DEPTH)] for question, _ in questions]
    right = [rows[number].chunk_id for _, number in questions]
    return [ids.index(wanted) if wanted in ids else None for ids, wanted in zip(found, right, strict=True)]


def ndcg(ranks: list[int | None]) -> float:
    """Mean nDCG@10 with one right answer a question."""
    return sum(1 / math.log2(rank + 2) for rank in ranks if rank is not None and rank < 10) / len(ranks)


def row_of(number: int, text: str) -> ChunkRow:
    """A row with this text and nothing else to find it by."""
    return sealed({
        "chunk_id": f"urn:kb:chunk:{number:032x}", "source_id": "", "parent_id": "", "kind": "paragraph", "title": "",
        "heading_path": (), "prefix": "", "text": text, "overlap": 0, "subject": "", "units": len(text), "entity_ids": (),
        "scope": None, "family": None, "version": None, "status": "active", "valid_from": None, "valid_until": None,
        "access": Access(), "language": None, "provenance": Provenance(), "confidence": 1.0,
    })


if __name__ == "__main__":
    main()
