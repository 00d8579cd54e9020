"""Documents that cannot be taken, and processes of their own to which things are done while they ingest."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

WORKLOADS = Path(__file__).parent / "workloads"
PROJECT = Path(__file__).parents[2]
BATCH = 8
"""Texts that a batch has in all programs that are killed: as many may be embedded twice."""


@pytest.fixture
def served(base: Any) -> Any:
    """A published document that everybody sees, beside one that nothing happens to."""
    base.write("doc.md", document())
    base.write("other.md", "# Other\n\nSteady is the MAGPIE.\n")
    base.run()
    return base


def document(rule: str = "", word: str = "QUOKKA") -> str:
    return f"---\ntitle: Paper\n{rule}---\n# Paper\n\nThe {word} stands here.\n"


@pytest.fixture(scope="session")
def office() -> Callable[..., bytes]:
    """A small Word file; `encrypted` sets the flag that says its members are."""

    def make(text: str = "The QUOKKA stands here.", *, encrypted: bool = False) -> bytes:
        import docx

        made = docx.Document()
        made.add_heading("Paper", 1)
        made.add_paragraph(text)
        buffer = io.BytesIO()
        made.save(buffer)
        data = buffer.getvalue()
        if encrypted:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                places = [item.header_offset for item in archive.infolist()]
            changed = bytearray(data)
            for place in places:
                changed[place + 6] |= 1
            at = data.find(b"PK\x01\x02")
            while at >= 0:
                changed[at + 8] |= 1
                at = data.find(b"PK\x01\x02", at + 4)
            data = bytes(changed)
        return data

    return make


# Processes

ENVIRONMENT = {
    "INGEST_EMBED__ENGINE": "hash", "INGEST_EMBED__BATCH": str(BATCH), "INGEST_EXECUTE__EXECUTOR": "inline",
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(PROJECT),
}


@pytest.fixture(scope="session")
def start() -> Callable[..., subprocess.Popen[str]]:
    """Start a program of `workloads` on a base, in a process of its own, with the hash embedder."""

    def call(base: Any, name: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(WORKLOADS / name), str(base.docs), str(base.kb), *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **ENVIRONMENT, **environment},
        )

    return call


@pytest.fixture
def program(base: Any, start: Callable[..., subprocess.Popen[str]]) -> Callable[..., subprocess.Popen[str]]:
    """As `start`, on the test's own base."""
    return partial(start, base)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code (minus the signal that killed it), what it printed, and the calls that were watched."""

    code: int
    said: str
    calls: list[tuple[str, str]]

    @property
    def steps(self) -> list[tuple[str, int]]:
        """(step, for which time) in order, when it was traced."""
        told = re.findall(r"^step ([^:]+):(\d+) after ", self.said, re.MULTILINE)
        return [(step, int(times)) for step, times in told]


class Victims:
    """`ingest` in processes that something is done to; see `workloads/victims.py`."""

    def __init__(self, folder: Path) -> None:
        self._output = folder / "output.txt"
        self._server = subprocess.Popen(
            [sys.executable, str(WORKLOADS / "victims.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, **ENVIRONMENT},
        )

    def ingest(self, *arguments: str | Path, **asked: Any) -> Ended:
        request = {"arguments": [str(each) for each in arguments], "output": str(self._output), "unflushed": True, **asked}
        reply = self._asked(request)
        said = self._output.read_text() if self._output.exists() else ""
        return Ended(reply["code"], said, [(what, path) for what, path in reply["calls"]])

    def together(self, *commands: Sequence[str | Path]) -> list[Ended]:
        """Run several commands at once."""
        outputs = [self._output.with_suffix(f".{number}.txt") for number in range(len(commands))]
        replies = self._asked([
            {"arguments": [str(each) for each in command], "output": str(output), "unflushed": True}
            for command, output in zip(commands, outputs, strict=True)
        ])
        return [Ended(reply["code"], output.read_text(), []) for reply, output in zip(replies, outputs, strict=True)]

    def _asked(self, request: Any) -> Any:
        assert self._server.stdin and self._server.stdout
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline())

    def close(self) -> None:
        assert self._server.stdin and self._server.stdout
        self._server.stdin.close()
        self._server.wait(timeout=60)
        self._server.stdout.close()


@pytest.fixture(scope="session")
def victims(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victims]:
    started = Victims(tmp_path_factory.mktemp("victims"))
    yield started
    started.close()


# A corpus of which one sees at once in which state it is served

WORDS = ("amber", "bronze", "copper", "dun", "ecru")


class Colours:
    """A corpus that changes as a whole: after `become(n)` every document speaks of round n and of no other."""

    def __init__(self, base: Any, documents: int = 5) -> None:
        self.base = base
        self.documents = documents
        self.log = base.folder / "embedded.log"
        self.log.touch()
        self.base.set("embed", batch=BATCH)

    def become(self, number: int) -> None:
        for document in range(self.documents):
            self.base.write(f"{document:02}.md", self._text(document, number))

    def _text(self, document: int, number: int) -> str:
        colour = f"{WORDS[number % len(WORDS)]} of round{number}"
        sections = "".join(f"## Part {part}\n\nPart {part} of document {document} is {colour}.\n\n" for part in range(3))
        return f"# Document {document}\n\nCOLOUR {colour}.\n\n{sections}"

    def shows(self, generation: int | None = None) -> int | None:
        """Return the round of which every document speaks in an answer; None where nothing was ever published. Fails on a
        mixture and on documents that are missing."""
        from ingest.errors import KnowledgeBaseMissing

        try:
            pack = self.base.search("COLOUR", generation, top_k=1000)
        except KnowledgeBaseMissing:
            return None
        rounds = {word for item in pack.evidence for word in item.text.replace(".", " ").split() if word.startswith("round")}
        assert len({item.uri for item in pack.evidence}) == self.documents, "documents are missing"
        assert len(rounds) == 1, f"a mixture: {rounds}"
        return int(rounds.pop().removeprefix("round"))

    def snapshot(self) -> str:
        return str(self.base.search("COLOUR").snapshot)

    def wasted(self) -> int:
        """How many texts were embedded more than once, of those that were embedded in processes that keep the log."""
        with sqlite3.connect(self.base.kb / "cache/cache.db") as db:
            cached = db.execute("select count(*) from entries where stage like 'embed:%'").fetchone()[0]
        return sum(map(int, self.log.read_text().split())) - int(cached)


@pytest.fixture
def colours(base: Any) -> Colours:
    return Colours(base)


@pytest.fixture(scope="session")
def make_colours() -> type[Colours]:
    return Colours


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Colours], None]:
    """Have this process, too, keep the log of what it embeds."""
    from ingest.embed.hash import Hash

    passages = Hash.passages

    def begin(colours: Colours) -> None:
        def counting(self: Hash, texts: Any) -> Any:
            with colours.log.open("a") as file:
                file.write(f"{len(texts)}\n")
            return passages(self, texts)

        monkeypatch.setattr(Hash, "passages", counting)

    return begin


def replaced(kb: Path, kept: Path) -> None:
    """Make the folder `kb` what the folder `kept` is. Published files are shared, because nobody may ever write to them."""
    shutil.rmtree(kb, ignore_errors=True)
    for path in sorted(kept.rglob("*")):
        there = kb / path.relative_to(kept)
        there.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            there.mkdir(exist_ok=True)
        elif path.relative_to(kept).parts[0] in ("builds", "generations"):
            there.hardlink_to(path)
        else:
            shutil.copy2(path, there)


@pytest.fixture(scope="session")
def put_back() -> Callable[[Path, Path], None]:
    return replaced
