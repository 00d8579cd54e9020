"""What is seen of an answer when its features are taken, and whether it was one: for made questions, those that are kept for
calibration, and the shared sets."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.answers.world.everything import FIXTURES
from benchmarks.retrieval import DATA, both, ingested, name_of, xquad
from benchmarks.retrieval import LANGUAGES as XQUAD
from benchmarks.sufficiency.made import LANGUAGES, Asked, Holed, holds
from flows.answering import query_embedder
from flows.evaluation.question import read
from flows.evaluation.ranks import ranks_of
from flows.opening import reading
from flows.pipeline import Options, run
from indexes.generation.snapshot import Snapshot
from indexes.query.evidence import search
from indexes.query.features import Features
from indexes.query.request import Request
from ingest.progress import Silent
from ingest.protocols import Embedder
from ingest.settings import Settings, load

AS_OF = "2026-06-01T00:00:00Z"
_SEED = 5
_PLANNED = ("alias", "cross-lingual", "negation")
"""What only a plan explains: other names, and clauses that deny."""


@dataclass(frozen=True, slots=True)
class Seen:
    """`answered`: whether a piece of the evidence answers. `near`: what folds are made by."""

    kind: str
    language: str
    near: str
    answered: bool
    features: Features


def made(folder: Path, each: int) -> list[Seen]:
    """Questions to the holed world, `each` of a kind of fact and language."""
    worlds = [Holed(language, each) for language in LANGUAGES]
    settings = _published(folder, {name: text for world in worlds for name, text in world.papers.items()})
    with reading(settings) as snapshot:
        embedder = query_embedder(settings, snapshot)
        return [_seen(snapshot, embedder, settings, asked) for world in worlds for asked in world.questions()]


def calibration(settings: Settings, name: str) -> Iterator[Seen]:
    """The questions of a file of fixtures/eval, of the base that `benchmarks.answers` makes; those of the first calibration set
    once more without a plan, as if nothing were known of their names, but for those that only a plan explains."""
    with reading(settings) as snapshot:
        embedder = query_embedder(settings, snapshot)
        for question in read(FIXTURES / "eval" / f"{name}.jsonl"):
            request = Request(question.query, question.mode, 20, question.principal, question.as_of, tokens=10**6)
            pack = search(snapshot, embedder, request, settings.search)
            known = [id for named in pack.trace["plan"].get("entities", ()) for id in named["entity_ids"]]
            near = next(iter([*known, *(need.uri for need in question.expected.needs), question.query]))
            for kind, asked in ((question.category, pack), *(
                [(f"{question.category}, no plan", search(snapshot, embedder, replace(request, planned=False), settings.search))]
                if name == "calibration" and question.category not in _PLANNED else []
            )):
                if "sufficiency" in asked.trace:
                    found = any(ranks_of(question.expected.needs, asked.evidence))
                    yield Seen(kind, question.language, near, found, features_of(asked.trace))


def natural(folder: Path) -> Iterator[Seen]:
    """The questions of fixtures/eval/natural.jsonl to the documents of fixtures/natural, of which nothing is registered."""
    settings = load(None, {"kb": str(folder / "kb")}, {})
    run(settings, Options((FIXTURES / "natural",)), Silent())
    with reading(settings) as snapshot:
        embedder = query_embedder(settings, snapshot)
        for question in read(FIXTURES / "eval" / "natural.jsonl"):
            pack = search(snapshot, embedder, Request(question.query, as_of=question.as_of or AS_OF), settings.search)
            found = any(ranks_of(question.expected.needs, pack.evidence))
            yield Seen(question.category, question.language, question.query, found, features_of(pack.trace))


def shared(folder: Path, most: int) -> Iterator[Seen]:
    """XQuAD in both languages, across them and in a collection of both, and CMRC: `most` questions of each with their paragraph,
    and without it."""
    sets = [xquad(language) for language in XQUAD]
    for documents in sets:
        settings = ingested(documents, folder / documents.language)
        for asked in sets:
            yield from _removed(
                settings, asked.questions, most, f"XQuAD {asked.language} to {documents.language}", asked.language
            )
    mixed, parts = both(sets)
    settings = ingested(mixed, folder / mixed.language)
    for part in parts:
        yield from _removed(settings, part.questions, most, f"XQuAD {part.name}", part.language)
    settings, questions = _cmrc(folder / "cmrc")
    yield from _removed(settings, questions, most, "CMRC", "zh")


def _published(folder: Path, papers: dict[str, str]) -> Settings:
    settings = load(None, {"kb": str(folder / "kb")}, {})
    if not (folder / "kb").exists():
        for name, text in papers.items():
            file = folder / "docs" / f"{name}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        run(settings, Options((folder / "docs",)), Silent())
    return settings


def _seen(snapshot: Snapshot, embedder: Embedder, settings: Settings, asked: Asked) -> Seen:
    pack = search(snapshot, embedder, Request(asked.text, as_of=AS_OF), settings.search)
    answered = any(holds(asked, item.uri, item.title + item.text + item.context) for item in pack.evidence)
    return Seen(asked.kind, asked.language, asked.near, answered, features_of(pack.trace))


def _removed(
    settings: Settings, questions: Iterable[tuple[str, int]], most: int, kind: str, language: str
) -> Iterator[Seen]:
    chosen = random.Random(f"{kind} {_SEED}").sample(list(questions), most)  # noqa: S311  # no secret
    with reading(settings) as snapshot:
        embedder = query_embedder(settings, snapshot)
        every = {json.loads(fact.payload)["path"]: fact.id for fact in snapshot.catalog.facts("sources", snapshot.generation)}
        for text, paragraph in chosen:
            request = Request(text, as_of=AS_OF)
            right = name_of(paragraph)
            pack = search(snapshot, embedder, request, settings.search)
            found = any(item.uri.endswith(right) for item in pack.evidence)
            yield Seen(kind, language, text, found, features_of(pack.trace))
            others = tuple(sorted(id for path, id in every.items() if path != right))
            without = search(snapshot, embedder, replace(request, sources=others), settings.search)
            yield Seen(f"{kind}, removed", language, text, False, features_of(without.trace))


def features_of(trace: dict[str, Any]) -> Features:
    """The features that a pack was judged by, as its trace tells them."""
    return Features(**trace["sufficiency"])


def _cmrc(folder: Path) -> tuple[Settings, list[tuple[str, int]]]:
    articles = json.loads((DATA / "cmrc2018" / "cmrc2018_dev.json").read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    questions = [(qa["question"], number) for number, paragraph in enumerate(paragraphs) for qa in paragraph["qas"]]
    texts = {name_of(number)[:-3]: paragraph["context"] + "\n" for number, paragraph in enumerate(paragraphs)}
    return _published(folder, texts), questions


def kept(file: Path, look: Callable[[], Iterable[Seen]]) -> list[Seen]:
    """What was seen, from `file` where it is, else looked at and written there."""
    if not file.exists():
        file.write_text("".join(json.dumps(asdict(each)) + "\n" for each in look()), encoding="utf-8")
    lines = file.read_text(encoding="utf-8").splitlines()
    return [Seen(**{**(said := json.loads(line)), "features": Features(**said["features"])}) for line in lines]
