"""Things that are true of files made for this, and must be found: text hidden in several ways, encodings declared rightly and
wrongly, a table over seven pages, pages turned on their side.

What is true is read from the script that made them (`gen_fixtures.py` beside them) and from their own bytes, decoded by the codec
that their names tell.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lxml import html
from rapidfuzz.distance import Indel

from benchmarks.measure import table

Seen = Mapping[str, Any]
"""What `engines/concord_seen.py` writes of a file."""

Fact = tuple[str, bool, str]
"""What is promised, whether it is kept, and what was found."""

_NOTHING: Seen = {"text": "", "tables": [], "omissions": []}
_ALIKE = 0.98
"""Running headers stand at the side of a turned page, where they are not told from text."""
_ENCODED = re.compile(r"(?:text|html)_(?:wrongmeta_)?([a-z0-9_-]+)\.(?:txt|html)")
_HIDDEN = re.compile(r"HIDDEN-\w+")


def facts(folder: Path, seen: Mapping[Path, Seen]) -> list[Fact]:
    """Return what was asked, whether it is so, and a figure or what is there instead."""
    by_name = {file.name: one for file, one in seen.items() if file.parent == folder}
    return [*_hidden(folder, by_name), *_encodings(folder, by_name), *_pages(by_name)]


def report(found: list[Fact]) -> str:
    return table(["promise", "", "found"], [[what, "kept" if ok else "**broken**", said] for what, ok, said in found])


def _hidden(folder: Path, seen: Mapping[str, Seen]) -> Iterator[Fact]:
    made = sorted(set(_HIDDEN.findall((folder / "gen_fixtures.py").read_text(encoding="utf-8"))))
    one = seen.get("hidden_text_6ways.pdf", {**_NOTHING, "text": " ".join(made)})
    recorded = " ".join(f"{item['where']} {item['sample']}" for item in one["omissions"])
    dropped = [name for name in made if name not in one["text"]]
    told = [name for name in dropped if name in recorded]
    yield "hidden text is not in the text", dropped == made, f"{len(dropped)} of the {len(made)} ways that the file has"
    yield "hidden text is told with its place", told == made, f"{len(told)} of {len(made)}"


def _encodings(folder: Path, seen: Mapping[str, Seen]) -> Iterator[Fact]:
    files = [(file, match[1]) for file in sorted(folder.iterdir()) if (match := _ENCODED.fullmatch(file.name))]
    wrong = [
        file.name for file, codec in files
        if file.name not in seen or _letters(_decoded(file, codec)) != _letters(seen[file.name]["text"])
    ]
    said = f"{len(files) - len(wrong)} of {len(files)}" + "".join(f", not {name}" for name in wrong)
    yield "text and pages are decoded, whatever they declare", not wrong, said


def _decoded(file: Path, codec: str) -> str:
    text = codecs.decode(file.read_bytes(), codec)
    return "".join(map(str, html.fromstring(text.partition("</head>")[2]).itertext())) if file.suffix == ".html" else text


def _letters(text: str) -> str:
    """The marks of a question and its answer do not count: they may become structure."""
    return "".join(filter(str.isalnum, re.sub("[问答]：", "", text)))


def _pages(seen: Mapping[str, Seen]) -> Iterator[Fact]:
    for name in ("zh_table_across_pages_header_repeat.pdf", "zh_table_across_pages_no_repeat.pdf"):
        rows = [len(one) for one in seen.get(name, _NOTHING)["tables"]]
        yield f"{name} has one table of 121 rows", rows == [121], f"rows of tables: {rows}"
    straight, turned = (
        _letters(seen.get(name, _NOTHING)["text"]) for name in ("encrypted_owner_only.pdf", "zh_rotated_pages.pdf")
    )
    alike = float(Indel.normalized_similarity(straight, turned)) if straight else 0.0
    yield "pages turned by 90, 180 and 270 degrees read as those that are not", alike > _ALIKE, f"{alike:.3f} alike"
    once = seen.get("duplicate_text_layer.pdf", _NOTHING)["text"].count("Duplicated glyph layer heading")
    yield "text that is drawn twice is there once", once == 1, f"{once} times"
    left = seen.get("zh_mixed_text_scan.pdf", _NOTHING)["omissions"]
    said = "; ".join(f"{one['kind']}, {one['where']}" for one in left)
    yield "a scanned page among others is told where it is not read", "page 2" in said, said or "nothing told"
