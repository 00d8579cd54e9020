"""The rows of the tables in a chunk's text, by the heading of each column.

Chunks write a row as its cells with ` | ` between, under the row of headings, which every piece of a long table repeats; or,
where the headings are long, as `heading: cell` lines with an empty line between rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CELLS = re.compile(r"\s*\|\s*")
_LABELLED = re.compile(r"^([^:：|]{1,80})[:：]\s+?(.+)$")


def rows(text: str) -> Iterator[dict[str, str]]:
    """Yield heading -> cell for every row that can be told."""
    header: list[str] | None = None
    labelled: dict[str, str] = {}
    for line in [*text.splitlines(), ""]:
        cells = _CELLS.split(line.strip().strip("|").strip())
        if len(cells) > 1 and not all(set(cell) <= set("-: ") for cell in cells):
            if header is None or len(header) != len(cells):
                header = cells
            elif cells != header:
                yield dict(zip(header, cells, strict=True))
            continue
        found = _LABELLED.match(line.strip())
        if found:
            labelled[found[1].strip()] = found[2].strip()
        elif not line.strip():
            header = None
            if len(labelled) > 1:
                yield labelled
            labelled = {}
