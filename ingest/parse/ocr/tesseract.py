"""Tesseract, the program: a picture through a pipe, a table of words back."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from ingest.errors import EngineUnavailable, ParserFailed
from ingest.model.language import join_lines
from ingest.parse.ocr.lines import Read

if TYPE_CHECKING:
    from ingest.parse.ocr.lines import Picture

PROGRAM = "tesseract"
PACKS = {"zh": "chi_sim", "zh-hant": "chi_tra", "en": "eng", "ja": "jpn", "ko": "kor", "de": "deu", "fr": "fra", "es": "spa"}
"""Languages as settings name them -> the program's names of its packs; any other name is a pack's own."""
GAP = 1.5
"""In heights of a word: words further apart are texts of their own, for they may be cells or columns."""

_WORD = "5"
"""Level of a word in the table."""


class TesseractReader:
    """The program with the packs of some languages. Raises EngineUnavailable where it or a pack is missing."""

    name = "tesseract"

    def __init__(self, languages: tuple[str, ...]) -> None:
        self._program = program()
        packs = [PACKS.get(language.lower(), language) for language in languages]
        if missing := [pack for pack in packs if pack not in installed_packs()]:
            raise EngineUnavailable(
                f"tesseract has no language pack {', '.join(missing)}; install it (Debian: tesseract-ocr-"
                f"{missing[0].replace('_', '-')}), or change parse.ocr_languages"
            )
        self._packs = "+".join(packs)

    def read(self, picture: Picture) -> list[Read]:
        height, width = picture.shape
        header = f"P5\n{width} {height}\n255\n".encode()
        # --psm 1 would turn pages by itself, and with a pack of its own.
        command = [self._program, "stdin", "stdout", "-l", self._packs, "--psm", "3", "tsv"]
        try:
            done = subprocess.run(  # noqa: S603  # a program of the machine's, with arguments of ours
                command, input=header + picture.tobytes(), capture_output=True, check=False,
                env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            )
        except OSError as error:
            raise EngineUnavailable(f"tesseract cannot be started ({error.strerror}); check its installation") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ParserFailed(f"tesseract gave up on a page ({said[-1][:200] if said else done.returncode})")
        return list(_lines(done.stdout.decode("utf-8", "replace")))


@lru_cache(maxsize=1)
def program() -> str:
    """Return the path of the program. Raises EngineUnavailable."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise EngineUnavailable("tesseract is not installed; install it (Debian: tesseract-ocr tesseract-ocr-chi-sim)")
    return found


@lru_cache(maxsize=1)
def version() -> str:
    """Return the program's version as it tells it. Raises EngineUnavailable."""
    return _said("--version").split("\n", 1)[0].removeprefix("tesseract").strip()


@lru_cache(maxsize=1)
def installed_packs() -> frozenset[str]:
    """Return the names of the language packs that the program finds."""
    return frozenset(line.strip() for line in _said("--list-langs").splitlines()[1:])


def _said(option: str) -> str:
    try:
        done = subprocess.run([program(), option], capture_output=True, text=True, check=False)  # noqa: S603  # as above
    except OSError as error:
        raise EngineUnavailable(f"tesseract cannot be started ({error.strerror}); check its installation") from error
    return done.stdout or done.stderr


def _lines(table: str) -> list[Read]:
    """Make lines of the words of one line that stand close. Columns: level, page, block, paragraph, line, word, left, top,
    width, height, confidence of 100, text."""
    rows = [row for line in table.splitlines()[1:] if len(row := line.split("\t")) == 12 and row[0] == _WORD and row[11].strip()]
    made = []
    for _, words in groupby(rows, key=lambda row: row[1:5]):
        open_words: list[Read] = []
        for row in words:
            x, y, width, height = (float(value) for value in row[6:10])
            word = Read(row[11].strip(), x, y, x + width, y + height, max(float(row[10]), 0.0) / 100)
            if open_words and word.x0 - open_words[-1].x1 > GAP * max(word.y1 - word.y0, open_words[-1].y1 - open_words[-1].y0):
                made.append(_together(open_words))
                open_words = []
            open_words.append(word)
        if open_words:
            made.append(_together(open_words))
    return made


def _together(words: list[Read]) -> Read:
    letters = sum(len(word.text) for word in words)
    return Read(
        join_lines("\n".join(word.text for word in words)), min(word.x0 for word in words), min(word.y0 for word in words),
        max(word.x1 for word in words), max(word.y1 for word in words),
        sum(len(word.text) * word.confidence for word in words) / letters,
    )
