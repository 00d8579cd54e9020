"""opendataloader-pdf's Markdown with its defaults: one Java process for all files, as its documentation advises."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import opendataloader_pdf  # type: ignore[import-not-found]

from benchmarks.parse.engines.turn import Told, target, turn_all


def convert_all(files: Sequence[Path], folder: Path) -> Told:
    """Files are given under numbers for names, since it names its output by them and two sets may hold the same."""
    started = time.perf_counter()
    failure: str | None = None
    with tempfile.TemporaryDirectory() as scratch:
        taken = {}
        for number, file in enumerate(files):
            taken[file] = Path(scratch) / f"{number:05}.pdf"
            shutil.copyfile(file, taken[file])
        try:
            given = [str(one) for one in taken.values()]
            opendataloader_pdf.convert(given, output_dir=f"{scratch}/out", format="markdown", image_output="off", quiet=True)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"[:300]
        seconds = (time.perf_counter() - started) / max(1, len(files))
        told: Told = {}
        for file, copy in taken.items():
            made = Path(scratch) / "out" / f"{copy.stem}.md"
            if made.exists():
                shutil.copyfile(made, target(folder, file))
            told[str(file)] = {"seconds": seconds, "failure": None if made.exists() else failure or "it wrote nothing"}
    return told


if __name__ == "__main__":
    turn_all(convert_all)
