"""Recall, precision and IoU of characters at five pieces: the rules of the public project `chunking_evaluation`.

For each question with its excerpts: recall is the part of them that the five nearest pieces cover; precision that part of the
pieces' characters; IoU the covered excerpts over pieces and what was missed. All corpora are one collection. A piece is found in
its corpus by its letters and digits, so that a splitter that drops or rewrites markup is not held for having lost text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.chunking.contenders import Piece
from benchmarks.chunking.vectors import Vectors
from benchmarks.chunking.world.papers import Paper
from benchmarks.measure import table

RETRIEVED = 5
Range = tuple[int, int]


def corpora(folder: Path) -> list[Paper]:
    """Without a title of their own: the public project hands splitters bare text."""
    return [Paper(path.stem, "", path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.md"))]


def questions(folder: Path) -> list[tuple[str, str, list[Range]]]:
    """(question, corpus, excerpts), of the corpora that are there: one of the public set may not be passed on."""
    there = {path.stem for path in folder.glob("*.md")}
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        (row["question"], row["corpus_id"], [(one["start_index"], one["end_index"]) for one in json.loads(row["references"])])
        for row in rows if row["corpus_id"] in there
    ]


class Places:
    """Finds pieces in a corpus."""

    def __init__(self, text: str) -> None:
        self._at = [index for index, character in enumerate(text) if character.isalnum()]
        self._bare = "".join(text[index] for index in self._at).casefold()
        self._cursor = 0

    def of(self, piece: Piece) -> list[Range]:
        """Ranges of characters, joined where they touch. What is repeated in front is looked for before the rest."""
        body = self._found(piece.text[piece.lead :], self._cursor)
        if body:
            self._cursor = body[0][2] + 1  # the next piece begins further on, though it may overlap this one
        lead = self._found(piece.text[: piece.lead], 0, max(self._cursor - 1, 0)) if piece.lead else []
        return union([(start, end) for start, end, _ in (*lead, *body)])

    def _found(self, text: str, start: int, before: int | None = None) -> list[tuple[int, int, int]]:
        """(start, end, place among the letters) of the whole text, else of its lines."""
        whole = self._one(text, start, before)
        if whole:
            return [whole]
        lines = (self._one(line, start, before) for line in text.splitlines())
        return [line for line in lines if line]

    def _one(self, text: str, start: int, before: int | None) -> tuple[int, int, int] | None:
        bare = "".join(filter(str.isalnum, text)).casefold()
        if not bare:
            return None
        place = self._bare.rfind(bare, 0, before + len(bare)) if before is not None else self._bare.find(bare, start)
        if place < 0:
            place = self._bare.find(bare)
        return (self._at[place], self._at[place + len(bare) - 1] + 1, place) if place >= 0 else None


def union(ranges: Sequence[Range]) -> list[Range]:
    made: list[Range] = []
    for start, end in sorted(ranges):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(made[-1][1], end))
        else:
            made.append((start, end))
    return made


def size(ranges: Sequence[Range]) -> int:
    return sum(end - start for start, end in ranges)


def common(left: Sequence[Range], right: Sequence[Range]) -> list[Range]:
    found = [(max(a, c), min(b, d)) for a, b in left for c, d in right]
    return union([one for one in found if one[0] < one[1]])


def measured(
    pieces: Sequence[Piece], papers: Sequence[Paper], folder: Path, vectors: Vectors
) -> tuple[float, float, float, float]:
    """Return mean recall, precision, IoU, and the share of pieces that were found in their corpus."""
    import numpy as np

    places = {paper.name: Places(paper.text) for paper in papers}
    where = [places[piece.paper].of(piece) for piece in pieces]
    asked = questions(folder)
    scores = vectors.queries([question for question, _, _ in asked]) @ vectors.passages([piece.embed for piece in pieces]).T
    totals = np.zeros(3)
    for (_, corpus, excerpts), row in zip(asked, scores, strict=True):
        best = np.argsort(-row, kind="stable")[:RETRIEVED]
        covered = size(common(excerpts, union([one for at in best if pieces[at].paper == corpus for one in where[at]])))
        retrieved = sum(size(where[at]) for at in best)
        wanted = size(excerpts)
        totals += (covered / wanted, covered / max(retrieved, 1), covered / max(retrieved + wanted - covered, 1))
    recall, precision, iou = totals / len(asked)
    return float(recall), float(precision), float(iou), sum(map(bool, where)) / len(where)


def report(found: dict[str, tuple[float, float, float, float]], pieces: dict[str, list[Piece]]) -> str:
    rows = [
        [name, f"{len(pieces[name]):,}", *(f"{value:.3f}" for value in figures[:3]), f"{figures[3]:.1%}"]
        for name, figures in found.items()
    ]
    return table(["", "pieces", "recall", "precision", "IoU", "located"], rows)
