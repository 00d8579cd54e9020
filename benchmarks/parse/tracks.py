"""The documents whose truth is known: PDFs rendered from Markdown, in English and in Chinese, in three styles.

Read from `$CONCORD_DATA`, else `../shared/data`, folder `parse`: `<set>/pdf/NAME.pdf` beside `<set>/gt/NAME.md`. The last letter
of a name is its style.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

DATA = Path(os.environ.get("CONCORD_DATA") or Path(__file__).parents[3] / "shared" / "data") / "parse"
TRACKS: Mapping[str, str] = MappingProxyType({"odl_render": "S", "zh_render": "C"})
"""Set -> the letter it goes by in the tables: S English, C Chinese."""
STYLES: Mapping[str, str] = MappingProxyType({"A": "A ruled", "B": "B borderless", "C": "C two columns"})


@dataclass(frozen=True, slots=True)
class Rendered:
    """One PDF and the Markdown it was rendered from."""

    track: str
    pdf: Path
    truth: Path

    @property
    def style(self) -> str:
        return self.pdf.stem[-1]


def rendered(sets: Iterable[str], wanted: Iterable[str] = ()) -> list[Rendered]:
    """Return the documents of the sets; with `wanted`, those whose name, less its ending, ends in one of these words: `110A`,
    or `A` for a style."""
    ends = tuple(wanted)
    found = [
        Rendered(name, pdf, DATA / name / "gt" / f"{pdf.stem}.md")
        for name in sets for pdf in sorted((DATA / name / "pdf").glob("*.pdf"))
        if not ends or pdf.stem.endswith(ends)
    ]
    return [one for one in found if one.truth.exists()]
