"""What the product says about a base: verify, check, search and repair, each by its command, in this process.

`examine` is given one tampering: it copies the base, tampers with the copy, looks at it with everything there is, repairs it and
looks again. Answers are compared with those that the untouched base gives to the same callers at the same questions.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import orjson

from benchmarks.tampering import corpus
from benchmarks.tampering.behind import Behind
from benchmarks.tampering.concord import Tampering, tamperings
from ingest.model.access import Principal
from ingest.model.evidence import Evidence
from ingest.settings import Settings

QUESTIONS = (
    "payment due days warranty", "云脉网关最多承载多少连接", "passphrase of the vault QUOKKA", "董事会 收购 报价",
    "larkfield licences cancel", "苏州机房 停机维护", "how long are audit logs kept", "ERR_1042 配额", "心跳 切换",
)
CALLERS = {
    "anybody": Principal(), "sre": Principal(roles=("sre",)), "board": Principal(level=3),
    "larkfield": Principal(tenant="larkfield"),
}
MODES = ("bm25", "vector")
"""Hybrid answers are made of these two."""
SHOWN = ("docs/manual-2.zh.md", "docs/partners.en.md", "urn:kb:entity:norrvik", "urn:kb:entity:yungate")
_AT_ONCE = -(10**18)
"""Files are trusted by their signature as soon as they are written, so that the catalog remembers them."""

ENVIRONMENT = {"INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The class of the error that ended it."""
        return self.err.strip().rpartition("\n")[2].partition(": ")[2].partition(":")[0] if self.err else ""


Answers = dict[str, "dict[str, Any] | str"]
"""Question -> what came of it, comparable; an error as a text that begins with `error`."""


@dataclass(slots=True)
class Seen:
    """What came of one tampering. Drift as `verify --json` gives it; `None`: that ended in an error, told in `errors`."""

    name: str
    touched: list[str]
    drift: dict[str, list[dict[str, Any]] | None] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    check: str = ""
    refused: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    after: dict[str, Any] = field(default_factory=dict)

    def found(self, level: str) -> bool:
        """Whether verify at this level said that something is wrong, by naming drift or by an error."""
        return self.drift[level] != []

    def kinds(self, level: str) -> list[str]:
        return sorted({str(item["kind"]) for item in self.drift[level] or ()})

    def named(self, level: str) -> bool:
        """Whether all that was touched and has an id was named by it."""
        told = {id for item in self.drift[level] or () for id in item["ids"]}
        return set(self.touched) <= told


def run(*arguments: str) -> Ended:
    """Run `ingest` with these arguments in this process."""
    from ingest.cli.main import main

    kept, before = [os.dup(1), os.dup(2)], sys.argv
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.argv = ["ingest", *arguments]
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        except Exception as error:  # a traceback is what a user would see
            code = 1
            print(f"ingest: {type(error).__name__}: {error}", file=sys.stderr)
        finally:
            sys.argv = before
            sys.stdout.flush()
            sys.stderr.flush()
            for descriptor, number in zip(kept, (1, 2), strict=True):
                os.dup2(descriptor, number)
                os.close(descriptor)
        out.seek(0)
        err.seek(0)
        return Ended(code, out.read().decode(), err.read().decode(errors="replace"))


def make(folder: Path) -> None:
    """Publish the base that is tampered with: `docs`, `kb` of three generations, `backups/<generation>`."""
    (folder / "seed.yaml").write_text(corpus.REGISTRY, encoding="utf-8")
    (folder / "ingest.toml").write_text('[entities]\nseeds = ["seed.yaml"]\n', encoding="utf-8")
    (folder / "backups").mkdir()
    for number, documents in enumerate([corpus.DOCUMENTS, *corpus.CHANGES], 1):
        corpus.write(folder / "docs", documents)
        with mock.patch("ingest.sources.content.SETTLED_NS", _AT_ONCE):
            ended = run("run", str(folder / "docs"), *_where(folder, folder / "kb"), "--json")
        if ended.code:
            raise RuntimeError(f"the base could not be made: {ended.err}")
        copy_base(folder / "kb", folder / "backups" / str(number))


def copy_base(source: Path, target: Path) -> None:
    from indexes.vector.copy import copy_sparse

    copy_sparse(source, target)


def _where(folder: Path, kb: Path) -> tuple[str, ...]:
    return "--kb", str(kb), "--config", str(folder / "ingest.toml")


class Looker:
    """Looks at copies of the base in `folder`."""

    def __init__(self, folder: Path, levels: Sequence[str]) -> None:
        self.folder = folder
        self.levels = levels
        with self.copied() as kb:
            self.answers = self.ask(kb)
            self.snapshot = _snapshot(kb)
        self.readers: dict[str, set[str]] = {caller: set() for caller in CALLERS}  # caller -> what was found for it
        for question, answer in self.answers.items():
            if isinstance(answer, dict):
                self.readers[question.partition("|")[0]].update(answer["uris"])

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """A copy of the base; the base itself is never opened, so that several may copy it at once."""
        with tempfile.TemporaryDirectory(prefix="concord-tampered-") as folder:
            copy_base(self.folder / "kb", Path(folder) / "kb")
            yield Path(folder) / "kb"

    def examine(self, tampering: Tampering, *, repair: bool = True) -> Seen:
        """Do it to a copy and look at that; the copy is thrown away."""
        with self.copied() as kb:
            seen = Seen(tampering.name, list(tampering.act(Behind(kb))))
            self._look(seen, kb, tampering.generation)
            if repair:
                self._repair(seen, kb, tampering.generation)
            return seen

    def _look(self, seen: Seen, kb: Path, generation: int | None) -> None:
        for level in self.levels:
            seen.drift[level], seen.errors[level] = self.verify(kb, level, generation)
        seen.check = self.check(kb)
        self._compare(seen, self.ask(kb))

    def _compare(self, seen: Seen, answers: Answers) -> None:
        for question, before in self.answers.items():
            after = answers[question]
            if after == before:
                continue
            if isinstance(after, str):
                seen.refused.append(question)
                continue
            seen.differs.append(question)
            if self._leaks(question, after):
                seen.leaks.append(question)

    def _leaks(self, question: str, answer: dict[str, Any] | str) -> bool:
        """Whether a caller is shown a document that no question of theirs found in the untouched base."""
        return isinstance(answer, dict) and not set(answer["uris"]) <= self.readers[question.partition("|")[0]]

    def _repair(self, seen: Seen, kb: Path, generation: int | None) -> None:
        ended = run("verify", "--repair", "--deep", *_where(self.folder, kb), "--json")
        told = json.loads(ended.out) if ended.out.startswith("{") else {}
        drift, error = self.verify(kb, self.levels[-1], generation)
        answers = self.ask(kb)
        seen.after = {
            "drift": drift, "error": error, "snapshot": _snapshot(kb) == self.snapshot, "answers": answers == self.answers,
            "leaks": [question for question in answers if self._leaks(question, answers[question])],
            "repaired": told.get("repaired"), "left": told.get("left"), "said": ended.err.strip() if not told else "",
        }

    def verify(self, kb: Path, level: str, generation: int | None) -> tuple[list[dict[str, Any]] | None, str]:
        """Return (drift, error) of `ingest verify` at a level; the drift is None where it ended in an error."""
        options = [*([f"--{level}"] if level not in ("default", "all") else ["--deep", "--all"] if level == "all" else [])]
        if generation is not None:
            options += ["--generation", str(generation)]
        ended = run("verify", *options, *_where(self.folder, kb), "--json")
        if not ended.out.startswith("{"):
            return None, f"exit {ended.code} {ended.error}".strip()
        told = json.loads(ended.out)
        return [*told["drift"], *told["unknown"]], ""

    def check(self, kb: Path) -> str:
        ended = run("check", *_where(self.folder, kb), "--json")
        if not ended.out.startswith("{"):
            return f"exit {ended.code} {ended.error}".strip()
        return str(json.loads(ended.out)["status"])

    def ask(self, kb: Path) -> Answers:
        """Ask every question in every mode for every caller, and what some ids stand for."""
        from flows.answering import query_embedder
        from flows.opening import reading
        from ingest.settings import load

        settings = load(self.folder / "ingest.toml", {"kb": str(kb)})
        try:
            with reading(settings) as snapshot:
                embedder = query_embedder(settings, snapshot)
                return dict(_answers(snapshot, embedder, settings))
        except Exception as error:  # nothing at all is answered
            return {question: f"error {type(error).__name__}: {error}" for question in _questions()}


def _questions() -> Iterator[str]:
    for caller in CALLERS:
        yield from (f"{caller}|{mode}|{question}" for mode in MODES for question in QUESTIONS)
        yield from (f"{caller}|show|{id}" for id in SHOWN)


def _answers(snapshot: Any, embedder: Any, settings: Settings) -> Iterator[tuple[str, dict[str, Any] | str]]:
    from indexes.query.evidence import search
    from indexes.query.request import Request, predicate_of
    from indexes.query.visible import Visible

    for asked in _questions():
        caller, mode, question = asked.split("|")
        who = CALLERS[caller]
        try:
            if mode == "show":
                request = Request("", principal=who, statuses=None)
                shown = Visible(snapshot, predicate_of(request, snapshot, instant=None)).show(question)
                yield asked, {"uris": [], "found": json.loads(orjson.dumps(shown))}
            else:
                request = Request(question, mode=mode, principal=who)  # type: ignore[arg-type]
                found = search(snapshot, embedder, request, settings.search).evidence
                yield asked, {"uris": sorted({item.uri for item in found}), "found": [_said(item) for item in found]}
        except Exception as error:  # what a user would see as an error of this one question
            yield asked, f"error {type(error).__name__}: {error}"


def _said(item: Evidence) -> list[Any]:
    return [item.chunk_id, item.text, item.context, item.title, list(item.heading_path), item.valid_until, list(item.entity_ids)]


def _snapshot(kb: Path) -> str:
    """Return the snapshot digest of the head; empty where there is none that can be read."""
    try:
        return Behind(kb).manifest.snapshot
    except Exception:  # a base that cannot be read has none
        return ""


def looking(folder: str, levels: Sequence[str], flush: bool) -> Callable[[int], Seen]:
    """Factory for worker processes: number of a tampering -> what was seen. `flush` False: do not wait for the disk."""
    os.environ.update(ENVIRONMENT)
    if not flush:
        from indexes.generation import seal

        seal.flush_path = lambda path: None
    looker = Looker(Path(folder), levels)
    listed = tamperings(Path(folder) / "backups")
    return lambda number: looker.examine(listed[number])


def look_at_all(
    folder: Path, numbers: Sequence[int], levels: Sequence[str], *, flush: bool = True, workers: int = 0
) -> list[Seen]:
    """Examine tamperings in worker processes, in order. One that kills its process is seen as that."""
    from ingest.execute import map_unordered

    work = partial(looking, str(folder), levels, flush)
    names = [one.name for one in tamperings(folder / "backups")]
    found: dict[int, Seen] = {}
    for outcome in map_unordered(work, numbers, executor="processes", workers=workers, timeout=300):
        if outcome.value is None:
            raise RuntimeError(f"{names[outcome.item]}: {outcome.error}")
        found[outcome.item] = outcome.value
    return [found[number] for number in numbers]
