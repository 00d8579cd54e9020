"""olmOCR's unit tests of pages: this text is there, that one is not, this stands before that, this cell is beside that one.

The rules are those of its documentation (github.com/allenai/olmocr, olmocr/bench): text is compared without Markdown emphasis,
with white space folded, in Unicode NFC, with plain quotation marks and hyphens, and may differ in `max_diffs` characters. A test
passes or fails; there is nothing between. Formulas are left out (no engine here writes LaTeX), and so are tests of pages that are
not there.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from benchmarks.measure import table
from benchmarks.parse.markup import grids

KINDS = ("present", "absent", "order", "table", "baseline")
_TRANSLATED = str.maketrans(
    {**dict.fromkeys("‘’‚", "'"), **dict.fromkeys("“”„", '"'), **dict.fromkeys("–—‑‒−", "-"), "＿": "_", "µ": "μ"}
)
_TAGS = re.compile(r"</?[bi]>")
_MARKS = tuple(re.compile(rf"{re.escape(mark)}(.*?){re.escape(mark)}") for mark in ("**", "__", "*", "_"))
_AROUND: Mapping[str, tuple[int, int]] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


@dataclass(frozen=True, slots=True)
class Unit:
    """One test, of one page."""

    name: str
    kind: str
    pdf: Path
    asked: Mapping[str, Any] = field(hash=False)


def units(folder: Path) -> list[Unit]:
    """Return the tests whose PDF lies in the folder."""
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            asked = json.loads(line) if line.strip() else {}
            if asked.get("type") in KINDS and (folder / asked["pdf"]).exists():
                found.append(Unit(asked["id"], asked["type"], folder / asked["pdf"], asked))
    return found


def passes(unit: Unit, markdown: str) -> bool:
    return _CHECKS[unit.kind](unit.asked, markdown)


def report(passed: Mapping[str, Mapping[Unit, bool]]) -> str:
    """One row an engine: how many tests of each kind pass."""
    every = list(next(iter(passed.values())))
    counts = Counter(unit.kind for unit in every)
    kinds = [kind for kind in KINDS if counts[kind]]
    rows = []
    for name, results in passed.items():
        good = Counter(unit.kind for unit, ok in results.items() if ok)
        rows.append([name, *(f"{good[kind]} of {counts[kind]}" for kind in kinds), f"{good.total()} of {len(every)}",
                     f"{good.total() / len(every):.3f}"])
    return table(["", *("blank page" if kind == "baseline" else kind for kind in kinds), "all", "pass rate"], rows)


def normal(text: str) -> str:
    """Return a text as it is compared."""
    text = _TAGS.sub("", re.sub(r"<br\s*/?>", " ", text))
    for mark in _MARKS:
        text = mark.sub(r"\1", text)
    return unicodedata.normalize("NFC", " ".join(text.split())).translate(_TRANSLATED)


def starts(text: str, wanted: str, most: int) -> list[int]:
    """Return where a text begins, give or take `most`, that differs from the wanted one in at most `most` characters.

    Sellers' algorithm: the edit distance of the wanted text to whatever ends at each place."""
    if not most:
        return [match.start() for match in re.finditer(f"(?={re.escape(wanted)})", text)]
    letters = np.array([ord(letter) for letter in text])
    above = np.zeros(len(text) + 1, dtype=np.int64)
    steps = np.arange(len(text) + 1)
    for row, letter in enumerate(wanted, 1):
        line = np.empty_like(above)
        line[0] = row
        line[1:] = np.minimum(above[:-1] + (letters != ord(letter)), above[1:] + 1)
        above = np.minimum.accumulate(line - steps) + steps
    return [int(place) - len(wanted) for place in np.nonzero(above <= most)[0]]


def _present(asked: Mapping[str, Any], markdown: str) -> bool:
    text, wanted = normal(markdown), normal(asked["text"])
    if not asked.get("case_sensitive", True):
        text, wanted = text.lower(), wanted.lower()
    first, last = asked.get("first_n"), asked.get("last_n")
    if first or last:
        text = (text[:first] if first else "") + (text[-last:] if last else "")
    return bool(starts(text, wanted, asked.get("max_diffs", 0)))


def _order(asked: Mapping[str, Any], markdown: str) -> bool:
    text, most = normal(markdown), asked.get("max_diffs", 0)
    before, after = (starts(text, normal(asked[which]), most) for which in ("before", "after"))
    return bool(before and after) and min(before) < max(after)


def _table(asked: Mapping[str, Any], markdown: str) -> bool:
    """A cell of some table has the text, and so has what stands beside it; a heading stands anywhere above, or to the left."""
    most = asked.get("max_diffs", 0)

    def like(cell: str, wanted: str) -> bool:
        return bool(Levenshtein.distance(normal(cell), normal(wanted), score_cutoff=most) <= most)

    def holds(grid: Sequence[Sequence[str]], row: int, column: int) -> bool:
        for side, (down, across) in _AROUND.items():
            if asked.get(side) and not any(like(cell, asked[side]) for cell in _beside(grid, row + down, column + across)):
                return False
        top, left = asked.get("top_heading"), asked.get("left_heading")
        under = not top or any(like(above[column], top) for above in grid[:row])
        return under and (not left or any(like(cell, left) for cell in grid[row][:column]))

    return any(
        like(cell, asked["cell"]) and holds(grid, i, j)
        for grid in grids(markdown) for i, row in enumerate(grid) for j, cell in enumerate(row)
    )


def _beside(grid: Sequence[Sequence[str]], row: int, column: int) -> Iterator[str]:
    if 0 <= row < len(grid) and 0 <= column < len(grid[row]):
        yield grid[row][column]


def _blank(asked: Mapping[str, Any], markdown: str) -> bool:
    letters = sum(letter.isalnum() for letter in markdown)
    return letters <= asked["max_length"] if "max_length" in asked else letters > 0


_CHECKS: Mapping[str, Callable[[Mapping[str, Any], str], bool]] = {
    "present": _present, "absent": lambda asked, markdown: not _present(asked, markdown), "order": _order, "table": _table,
    "baseline": _blank,
}
