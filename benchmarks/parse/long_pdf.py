"""A PDF of 3,000 pages, made here: how long it takes, how much memory, and whether every character arrives.

Each page has a running header, a page number and paragraphs, every fifth a heading, every twentieth a ruled table. Each sentence
carries a number of its own, so that what is missing can be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fpdf import FPDF

from benchmarks.measure import table
from benchmarks.parse.contenders import Contender, Turned, turn

PAGES = 3000
_SENTENCES = 16
_STATEMENTS = (
    "The setting {} is read once when the gateway starts and kept until an operator restarts it.",
    "Whoever changes {} in production opens a ticket first, and names the person who looks on.",
    "A value of {} that cannot be read is reported at start-up; the default is taken instead.",
    "Backups of {} are taken each night and proven by restoring them on the second Monday.",
    "Nothing listens on {} before the certificates were checked and the clock was set.",
    "Alarms that name {} go to the engineer on call within two minutes, day and night.",
    "Since the last edition {} has been measured in milliseconds where seconds stood before.",
)
"""Seven, so that no page begins as the page before: what comes back at one height on every page is a running header."""
_PATTERNS = [*(re.escape(one).replace(r"\{\}", r"(SE-\d{6})") for one in _STATEMENTS), r"Section (HD-\d{6})", r"(TB-\d{6})"]
_WHOLE = re.compile("|".join(_PATTERNS))


def write(file: Path, pages: int = PAGES) -> set[str]:
    """Write the PDF and return the marks that are in its body, each once."""
    pdf = FPDF(format="A4")
    marks: set[str] = set()
    for number in range(pages):
        pdf.add_page()
        pdf.set_font("Helvetica", size=8)
        pdf.text(20, 12, "Operations handbook, third edition")
        pdf.text(100, 288, str(number + 1))
        height = 25.0
        for mark, kind, text in _content(number):
            marks.add(mark)
            pdf.set_font("Helvetica", "B" if kind == "heading" else "", 14 if kind == "heading" else 10)
            if kind == "cell":
                pdf.rect(20, height - 5, 60, 7)
                pdf.rect(80, height - 5, 60, 7)
                pdf.text(82, height, "enabled")
            pdf.text(22 if kind == "cell" else 20, height, text)
            height += 7
            if kind == "heading" or text.endswith("."):
                height += 4
    pdf.output(str(file))
    return marks


def _content(page: int) -> Iterator[tuple[str, str, str]]:
    """Yield (mark, kind, text) for what stands on a page."""
    if page % 5 == 0:
        yield f"HD-{page:06}", "heading", f"{page // 50 + 1}.{page % 50 // 5 + 1} Section HD-{page:06}"
    for number in range(_SENTENCES):
        place = page * _SENTENCES + number
        mark = f"SE-{place:06}"
        yield mark, "text", _STATEMENTS[place % len(_STATEMENTS)].format(mark)
    if page % 20 == 10:
        for number in range(5):
            mark = f"TB-{page * 5 + number:06}"
            yield mark, "cell", mark


def measure(engines: list[Contender], folder: Path) -> str:
    """One row an engine."""
    file = folder / "long.pdf"
    marks = write(file)
    rows = []
    for one in engines:
        turned = turn(one, [file], folder / one.name)
        rows.append([one.name, *_row(turned, file, marks)])
    found = "sentences, headings and cells found whole"
    return table(["", f"{PAGES:,} pages: seconds", "CPU seconds", "pages a CPU s", "peak MB", found], rows)


def _row(turned: Turned, file: Path, marks: set[str]) -> list[str]:
    text = " ".join(turned.markdown(file).split())
    found = {mark for match in _WHOLE.finditer(text) for mark in match.groups() if mark} & marks
    return [
        f"{turned.seconds[file]:.1f}", f"{turned.cpu:.1f}", f"{PAGES / turned.cpu:.0f}", f"{turned.memory / 2**20:.0f}",
        turned.failures.get(file, f"{len(found):,} of {len(marks):,}"),
    ]
