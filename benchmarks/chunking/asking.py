"""The set of questions: made papers in two languages, the project's fixtures, and rendered pages where they are there.

Every contender is handed the same documents as Markdown. Fixtures of other formats are parsed first, so that what is compared is
cutting, not parsing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from benchmarks.chunking.world.papers import Paper, Question, World
from ingest.cli.markdown import pieces
from ingest.parse.route import parse
from ingest.settings import ParsePart

LANGUAGES = ("zh", "en")
CORPUS = Path(__file__).parents[2] / "fixtures" / "corpus"
_READ = (".md", ".html", ".txt")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_GIVEN = Path(__file__).parent / "world" / "given.yaml"
_MARKUP = re.compile(r"[^\w]|_")


def everything(data: Path) -> tuple[list[Paper], list[Question]]:
    """Return all papers and questions; those on the pages below `data`/zh_render only where it is there."""
    worlds = [World(language) for language in LANGUAGES]
    papers = [paper for world in worlds for paper in world.papers]
    questions = [question for world in worlds for question in world.questions()]
    given: list[dict[str, Any]] = yaml.safe_load(_GIVEN.read_text(encoding="utf-8"))
    rendered = {f"gt/{path.name}": path for path in sorted((data / "zh_render" / "gt").glob("*.md"))}
    files = [path for path in sorted(CORPUS.rglob("*")) if path.suffix in _READ]
    fixtures = {path.relative_to(CORPUS).as_posix(): path for path in files}
    papers += [Paper(name, path.stem, path.read_text(encoding="utf-8")) for name, path in rendered.items()]
    papers += [_fixture(name, path) for name, path in fixtures.items()]
    known = rendered | fixtures
    questions += [
        Question(one["category"], one["language"], one["ask"], one["paper"], tuple(one["needs"]))
        for one in given if one["paper"] in known
    ]
    return papers, questions


def plain(text: str) -> str:
    """Return letters and digits only, in lower case: what is the same however a splitter writes tables, code and emphasis."""
    return _MARKUP.sub("", text).casefold()


def _fixture(name: str, path: Path) -> Paper:
    if path.suffix == ".md":
        text = _FRONT_MATTER.sub("", path.read_text(encoding="utf-8"))
        return Paper(name, path.stem, text)
    document = parse(path.read_bytes(), path.name, ParsePart())
    return Paper(name, document.title or path.stem, "\n\n".join(pieces(document)) + "\n")
