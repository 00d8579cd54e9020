"""Every invariant of chunking on every file below the folders named (`../shared/data/parse` and `fixtures` where none is).

    python -m benchmarks.chunk_invariants [PATH ...]

Each file is parsed and cut twice; what the chunker promises (`ingest/chunk/invariants.py`) is then told from the document alone,
and the second time must have the ids of the first. Prints how many documents, parents and children were checked, the sizes they
have, and every violation; exit code 1 where there is one. Files that no parser takes are counted, not checked.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ingest.chunk.invariants import violations
from ingest.chunk.structure import chunk
from ingest.errors import ConcordError
from ingest.model.chunk import Chunked
from ingest.model.document import Document
from ingest.parse.isolate import parse_guarded
from ingest.settings import ChunkPart, ParsePart

FOLDERS = (Path("../shared/data/parse"), Path("fixtures"))
_CHILD, _PARENT = range(120, 331), range(400, 1101)


@dataclass
class Counts:
    """`small`: children and parents outside their range although their section, pair or document is not smaller."""

    documents: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    children: int = 0
    parents: int = 0
    sized: Counter[str] = field(default_factory=Counter)
    violations: int = 0


def main(paths: list[str]) -> int:
    counts = Counts()
    for file in _files([Path(path) for path in paths] or [folder for folder in FOLDERS if folder.is_dir()]):
        _check(file, counts)
    share = 100 * (1 - counts.violations / max(counts.documents, 1))
    print(f"documents checked {counts.documents}, not readable {counts.unread.total()} ({_listed(counts.unread)})")
    print(f"children checked  {counts.children}, parents {counts.parents}")
    print(f"all invariants hold in {share:.1f} % of documents")
    for what, low, high in (("children", _CHILD[0], _CHILD[-1]), ("parents", _PARENT[0], _PARENT[-1])):
        fit, whole, other = (counts.sized[f"{what} {kind}"] for kind in ("fit", "whole", "other"))
        held = 100 * (fit + whole) / max(fit + whole + other, 1)
        alone = 100 * fit / max(fit + other, 1)
        print(f"{what:9} {low}-{high} units: {fit}; a whole section or document that is smaller: {whole}; others: {other} "
              f"({held:.1f} % as they should be, {alone:.1f} % without the whole ones)")
    return 1 if counts.violations else 0


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _listed(unread: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(unread.items()))


def _check(file: Path, counts: Counts) -> None:
    try:
        document = _parsed(file)
    except ConcordError as error:
        counts.unread[type(error).__name__] += 1
        return
    source = f"urn:kb:source:{file.name}"
    settings = ChunkPart()
    made = chunk(document, source_id=source, title=document.title or "", settings=settings)
    problems = violations(document, made, settings, source)
    again = _parsed(file)
    if chunk(again, source_id=source, title=again.title or "", settings=settings) != made:
        problems.append("parsed and cut once more, it has other chunks")
    counts.documents += 1
    counts.children += len(made.children)
    counts.parents += len(made.parents)
    counts.violations += bool(problems)
    _size(made, counts)
    for problem in problems:
        print(f"{file}: {problem}")


def _parsed(file: Path) -> Document:
    return parse_guarded(file.read_bytes(), file.name, ParsePart())


def _size(made: Chunked, counts: Counts) -> None:
    sections = Counter(child.heading_path for child in made.children)
    for child in made.children:
        fit = child.units in _CHILD
        whole = child.units < _CHILD[0] and (sections[child.heading_path] == 1 or child.kind == "faq")
        counts.sized["children fit" if fit else "children whole" if whole else "children other"] += 1
    for parent in made.parents:
        fit = parent.units in _PARENT
        whole = parent.units < _PARENT[0] and _is_section(made, parent.parent_id)
        counts.sized["parents fit" if fit else "parents whole" if whole else "parents other"] += 1


def _is_section(made: Chunked, parent: str) -> bool:
    """Whether a parent holds all children of one section and of those below it."""
    own = [child for child in made.children if child.parent_id == parent]
    path = own[0].heading_path
    below = sum(child.heading_path[: len(path)] == path for child in made.children)
    return len(made.parents) == 1 or (all(child.heading_path[: len(path)] == path for child in own) and below == len(own))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
