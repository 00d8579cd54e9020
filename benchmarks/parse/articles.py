"""The article of a web page, and nothing around it: precision, recall and F1 over runs of four words.

The measure is that of the article-extraction-benchmark of Scrapinghub (github.com/scrapinghub/article-extraction-benchmark): all
runs of four words of what an engine kept are held against those of the true article, page by page; precision and recall are means
over pages, F1 their harmonic mean. A Han character is a word here. Markdown's marks and the targets of links are no words.

Measured on made pages (see `pages`), and on that benchmark itself where its repository lies in `$CONCORD_DATA/parse/articles`
(`ground-truth.json` and `html/*.html.gz`); it is not shipped.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.measure import table
from benchmarks.parse.pages import Page

RUN = 4
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_TARGET = re.compile(r"(\[[^\]]*\])\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_RULE_LINE = re.compile(r"^\|?[\s:|-]+\|?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Kept:
    """Of one page: the share of what was kept that is article, and of the article that was kept. None where there is none."""

    precision: float | None
    recall: float | None


def kept(truth: str, markdown: str) -> Kept:
    true, seen = _runs(truth), _runs(_RULE_LINE.sub("", _TARGET.sub(r"\1", markdown)))
    both = (true & seen).total()
    return Kept(both / seen.total() if seen else None, both / true.total() if true else None)


def f1(pages: Sequence[Kept]) -> tuple[float, float, float]:
    """Return precision, recall and F1 over pages."""
    precision = fmean([one.precision for one in pages if one.precision is not None] or [0.0])
    recall = fmean([one.recall for one in pages if one.recall is not None] or [0.0])
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def public_pages(source: Path, folder: Path) -> list[Page]:
    """Unpack the pages of the public set to a folder, none where it is not there."""
    truth = source / "ground-truth.json"
    if not truth.exists():
        return []
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, item in json.loads(truth.read_text(encoding="utf-8")).items():
        file = folder / f"{name}.html"
        file.write_bytes(gzip.decompress((source / "html" / f"{name}.html.gz").read_bytes()))
        made.append(Page(file, "public set", "English", False, item.get("articleBody", "")))
    return made


def report(found: Mapping[str, Mapping[Page, Kept]]) -> str:
    """One row an engine: over all pages, and F1 of each language and form."""
    groups: dict[str, Callable[[Page], bool]] = {
        "English": lambda page: page.language == "English", "Chinese": lambda page: page.language == "Chinese",
        "names that tell": lambda page: not page.bare, "bare": lambda page: page.bare,
    }
    rows = []
    for name, pages in found.items():
        each = (f1([one for page, one in pages.items() if belongs(page)])[2] for belongs in groups.values())
        rows.append([name, len(pages), *(f"{figure:.3f}" for figure in (*f1(list(pages.values())), *each))])
    return table(["", "pages", "precision", "recall", "F1", *(f"F1 {group}" for group in groups)], rows)


def by_layout(found: Mapping[str, Mapping[Page, Kept]]) -> str:
    """One row a layout: F1 of each engine."""
    layouts = dict.fromkeys(page.layout for page in next(iter(found.values())))
    rows = [
        [layout, *(f"{f1([one for page, one in pages.items() if page.layout == layout])[2]:.3f}" for pages in found.values())]
        for layout in layouts
    ]
    return table(["layout", *found], rows)


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return Counter(tuple(words[n : n + RUN]) for n in range(max(1, len(words) - RUN + 1)) if words)
