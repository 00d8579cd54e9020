"""How much an edit costs: 200 single edits, each of one document, and the texts that have to be embedded anew.

Every edit brings a word of its own, so what it changed can be told from what merely moved: `needless` are new texts without that
word (for a deletion, all but one). A renamed heading's own subtree is excluded where a splitter puts headings in front of pieces.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chunking.contenders import SETTINGS, Piece, cut
from benchmarks.chunking.world.papers import Paper
from benchmarks.measure import table

DOCUMENTS, EDITS = 50, 200
KINDS = ("insert", "delete", "change", "section", "rename")
_SENTENCE = re.compile(r"[^。.!?！？\n]{12,}[。.!?！？](?=\s|[^\s\w]|[\u4e00-\u9fff]|$)")
_HEADING = re.compile(r"^#{2,4} .+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Edit:
    kind: str
    before: Paper
    after: Paper
    mark: str


def edits(papers: Sequence[Paper], seed: int = 3) -> list[Edit]:
    draw = random.Random(seed)  # noqa: S311  # no secret
    fit = [paper for paper in papers if len(_SENTENCE.findall(paper.text)) > 3 and _HEADING.search(paper.text)]
    chosen = draw.sample(fit, DOCUMENTS)
    kinds = [KINDS[(at // DOCUMENTS + at) % len(KINDS)] for at in range(EDITS)]
    return [_edited(chosen[at % DOCUMENTS], kind, f"quux{at:03}z", draw) for at, kind in enumerate(kinds)]


def _edited(paper: Paper, kind: str, mark: str, draw: random.Random) -> Edit:
    text = paper.text
    prose = list(_SENTENCE.finditer(_without_code(text)))
    place = draw.choice(prose)
    chinese = any("\u4e00" <= character <= "\u9fff" for character in text[:300])
    sentence = f"另外请注意 {mark} 的设置。" if chinese else f" Mind the setting {mark} as well."
    if kind == "insert":
        made = text[: place.end()] + sentence + text[place.end() :]
    elif kind == "delete":
        made = text[: place.start()] + text[place.end() :]
    elif kind == "change":
        made = text[: place.start()] + place[0][: len(place[0]) // 2] + f" {mark}" + place[0][-1] + text[place.end() :]
    elif kind == "section":
        first = _HEADING.search(text)
        at = first.start() if first else 0
        heading = f"附记 {mark}" if chinese else f"A remark {mark}"
        made = f"{text[:at]}## {heading}\n\n{sentence.strip() * 3}\n\n{text[at:]}"
    else:
        renamed = draw.choice(list(_HEADING.finditer(_without_code(text)))).end()
        made = f"{text[:renamed]} {mark}{text[renamed:]}"
    return Edit(kind, paper, Paper(paper.name, paper.title, made), mark)


def _without_code(text: str) -> str:
    """The same length, code and tables blanked."""
    blanked = re.sub(r"^```.*?^```", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^[|<].*$", lambda found: " " * len(found[0]), blanked, flags=re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cost:
    """`needed` texts hold the edit, `needless` do not; `moved`: rows of the same text below another parent (ours only)."""

    kind: str
    needed: int
    needless: int
    moved: int


def measured(name: str, made: Sequence[Edit], model: Path) -> list[Cost]:
    """Every edited document is handed over under a name of its own, so that one call cuts them all."""
    befores = {edit.before.name: edit.before for edit in made}
    afters = [Paper(f"{at}", edit.after.title, edit.after.text) for at, edit in enumerate(made)]
    before, after = _by_paper(cut(name, list(befores.values()), model).pieces), _by_paper(cut(name, afters, model).pieces)
    costs = []
    for at, edit in enumerate(made):
        old, new = before[edit.before.name], after[str(at)]
        fresh = Counter(piece.embed for piece in new) - Counter(piece.embed for piece in old)
        needed = sum(count for text, count in fresh.items() if edit.mark in text)
        needless = fresh.total() - needed - (1 if edit.kind == "delete" and fresh else 0)
        costs.append(Cost(edit.kind, needed, needless, _moved(old, new) if name in SETTINGS else 0))
    return costs


def _moved(old: Sequence[Piece], new: Sequence[Piece]) -> int:
    """Pieces of equal text whose parent says something else."""
    contexts = Counter((piece.embed, piece.context) for piece in old)
    texts = {piece.embed for piece in old}
    return sum(1 for piece in new if piece.embed in texts and (piece.embed, piece.context) not in contexts)


def _by_paper(pieces: Sequence[Piece]) -> dict[str, list[Piece]]:
    found: dict[str, list[Piece]] = {}
    for piece in pieces:
        found.setdefault(piece.paper, []).append(piece)
    return found


def report(found: dict[str, list[Cost]]) -> str:
    rows = []
    for name, costs in found.items():
        needless = sorted(cost.needless for cost in costs)
        by_kind = [_mean([cost.needless for cost in costs if cost.kind == kind]) for kind in KINDS]
        rows.append([
            name, _mean([cost.needed for cost in costs]), _mean(needless), needless[int(len(needless) * 0.95)], needless[-1],
            f"{sum(one <= 2 for one in needless) / len(needless):.1%}", *by_kind, _mean([cost.moved for cost in costs]),
        ])
    heading = ["", "texts that hold the edit", "needless, mean", "95 %", "most", "at most 2", *KINDS, "rows below another parent"]
    return table(heading, rows)


def _mean(values: Sequence[int]) -> str:
    return f"{sum(values) / max(len(values), 1):.2f}"
