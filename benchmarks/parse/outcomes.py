"""What becomes of every file of five collections that were gathered to break parsers: one `ingest run` over all of them.

The outcome of each is held against what the bytes themselves say, looked at with PDFium alone: nothing in them, no PDF at all, a
password, no character on any page, or readable. A run that ends, with every file in its class, is the promise.

Of each PDF that was parsed the share of its letters and digits that Concord kept, in the text or beside it, is told as well. A
line that comes back on other pages with another number, as page headers do, counts once.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]

from benchmarks.measure import table

FOLDERS = ("generated", "docling", "unstructured", "opendataloader", "olmocr")
CLASSES = ("ok", "no text", "empty", "encrypted", "corrupt", "unsupported", "too big", "crash or hang")
_NOT_DOCUMENTS = {".py", ".jsonl"}
_BY_ERROR = {
    "DocumentEncrypted": "encrypted", "DocumentCorrupt": "corrupt", "DocumentUnsupported": "unsupported",
    "DocumentTooLarge": "too big", "ParserFailed": "crash or hang",
}
_IMAGES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"II*\0", b"MM\0*")
_MOST_SECONDS = 1800
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run made of a file, what its bytes say it should be, and the run's message where it failed."""

    file: Path
    expected: str
    found: str
    message: str

    @property
    def right(self) -> bool:
        return self.found == self.expected


def files(data: Path) -> list[Path]:
    """Return the documents of all collections; scripts and the tests beside them are none."""
    return [
        file for folder in FOLDERS for file in sorted((data / folder).glob("*")) if file.suffix not in _NOT_DOCUMENTS
    ]


def outcomes(data: Path) -> list[Outcome]:
    """Run `ingest` over the collections. Raises RuntimeError when the run itself does not come to its end."""
    roots = [str(data / folder) for folder in FOLDERS if (data / folder).is_dir()]
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as scratch:
        command = [str(Path(sys.executable).with_name("ingest")), "run", *roots, "--kb", f"{scratch}/kb", "--json"]
        run = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "INGEST_EMBED__ENGINE": "hash"}, timeout=_MOST_SECONDS,
            check=False,
        )
    if run.returncode not in (0, 4):
        raise RuntimeError(f"the run ended with {run.returncode}: {run.stderr[-500:]}")
    failures = {failure["uri"]: failure for failure in json.loads(run.stdout)["failures"]}
    return [_outcome(file, failures.get(f"{file.parent.name}/{file.name}")) for file in files(data)]


def _outcome(file: Path, failure: Mapping[str, Any] | None) -> Outcome:
    expected = expected_class(file)
    if failure is None:
        return Outcome(file, expected, "ok", "")
    if failure["error"] == "DocumentEmpty":
        return Outcome(file, expected, "no text" if file.stat().st_size else "empty", failure["message"])
    return Outcome(file, expected, _BY_ERROR.get(failure["error"], failure["error"]), failure["message"])


def expected_class(file: Path) -> str:
    """Return what the bytes say, as a second opinion. Names are believed nowhere but to tell the kind of text formats."""
    head = file.read_bytes()[:1024]
    if not head:
        return "empty"
    if head.startswith(_IMAGES):
        return "unsupported"
    if b"%PDF-" not in head:
        return "ok"
    try:
        return "ok" if any(_page_texts(file)) else "no text"
    except pypdfium2.PdfiumError as error:
        return "encrypted" if "password" in str(error).lower() else "corrupt"


def by_folder(found: Sequence[Outcome]) -> str:
    """One row a collection and kind of file: how many are in each class, and how many of them should be."""
    rows = []
    keys = dict.fromkeys((one.file.parent.name, one.file.suffix.lstrip(".")) for one in found)
    for folder, kind in keys:
        mine = [one for one in found if (one.file.parent.name, one.file.suffix.lstrip(".")) == (folder, kind)]
        counts = Counter(one.found for one in mine)
        right = sum(one.right for one in mine)
        rows.append([folder, kind, len(mine), *(counts[name] or "" for name in CLASSES), f"{right} of {len(mine)}"])
    return table(["collection", "kind", "files", *CLASSES, "right class"], rows)


def wrong(found: Sequence[Outcome]) -> str:
    """The files that are not in their class, none when all are."""
    lines = [
        f"- {one.file.parent.name}/{one.file.name}: {one.found}, should be {one.expected}. {one.message}"
        for one in found if not one.right
    ]
    return "\n".join(lines) or "Every file is in the class that its bytes say."


def kept(file: Path, seen: Mapping[str, Any]) -> float:
    """Return the share of a PDF's letters and digits that is in the text or beside it."""
    raw: Counter[str] = Counter()
    told: set[str] = set()
    for page in _page_texts(file):
        for line in page.splitlines():
            masked = re.sub(r"\d+", "0", line.strip())
            if masked not in told:
                told.add(masked)
                raw.update(filter(str.isalnum, line))
    there = Counter(letter for text in (seen["text"], *seen["beside"]) for letter in text)
    return 1 - (raw - there).total() / max(1, raw.total())


def least_kept(shares: Mapping[Path, float], seen: Mapping[Path, Mapping[str, Any]]) -> str:
    """The files of which most is missing, with what the parse report says was left out."""
    rows = []
    for file, share in sorted(shares.items(), key=lambda item: item[1])[:_SHOWN]:
        left = Counter(one["kind"] for one in seen[file]["omissions"] for _ in range(one["count"]))
        rows.append([f"{file.parent.name}/{file.name}", f"{share:.3f}", ", ".join(f"{n} {kind}" for kind, n in left.items())])
    return table(["file", "letters and digits kept", "told as left out"], rows)


def _page_texts(file: Path) -> Iterator[str]:
    document = pypdfium2.PdfDocument(file)
    try:
        for page in document:
            text = page.get_textpage()
            yield text.get_text_range().strip()
            text.close()
            page.close()
    finally:
        document.close()
