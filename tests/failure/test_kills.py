"""Killed at any moment: the next run recovers by itself, nothing is mixed or lost, and at most one batch is embedded twice."""

from __future__ import annotations

import importlib.util
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import KnowledgeBaseMissing

BATCH = 8
WORDS = ("amber", "bronze", "copper", "dun", "ecru")


def steps() -> Any:
    spec = importlib.util.spec_from_file_location("ingest_counting", Path(__file__).parent / "workloads/ingest_counting.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COUNTING = steps()


class Colours:
    """A corpus that changes as a whole: after `become(n)` every document speaks of colour n and of no other."""

    def __init__(self, base: Any, documents: int) -> None:
        self.base = base
        self.documents = documents
        self.base.set("embed", batch=BATCH)

    def become(self, number: int) -> None:
        for document in range(self.documents):
            self.base.write(f"{document:02}.md", self.text(document, number))

    def text(self, document: int, number: int) -> str:
        """Half of the documents change with the number; the other half only say which they are."""
        colour = f"{WORDS[number % len(WORDS)]} of round{number}"
        sections = "".join(f"## Part {part}\n\nPart {part} of document {document} is {colour}.\n\n" for part in range(3))
        return f"# Document {document}\n\nCOLOUR {colour}.\n\n{sections}"

    def whole(self, number: int) -> bool:
        """Whether an answer shows every document in the colour of round `number`, and nothing else."""
        pack = self.base.search("COLOUR", mode="bm25", top_k=1000)
        rounds = {word for item in pack.evidence for word in item.text.replace(".", " ").split() if word.startswith("round")}
        documents = {item.uri for item in pack.evidence}
        return rounds == {f"round{number}"} and len(documents) == self.documents


@pytest.fixture
def colours(base: Any) -> Colours:
    return Colours(base, 6)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "embedded.log"
    path.touch()
    return path


def embedded(log: Path) -> int:
    return sum(map(int, log.read_text().split()))


def cached(base: Any) -> int:
    """Return how many vectors the cache holds: the texts that were ever embedded, each once."""
    import sqlite3

    with sqlite3.connect(base.kb / "cache/cache.db") as db:
        return int(db.execute("select count(*) from entries where stage like 'embed:%'").fetchone()[0])


@pytest.fixture
def counting_in() -> Iterator[Callable[[Path], None]]:
    """Count in a log what this process embeds, as the programs that are killed do."""
    from ingest.embed.hash import Hash

    passages = Hash.passages
    yield COUNTING.counting
    Hash.passages = passages  # type: ignore[method-assign]


@pytest.fixture
def counted_here(log: Path, counting_in: Callable[[Path], None]) -> None:
    counting_in(log)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> tuple[Colours, Path]:
    """A base that goes on from one kill to the next, with its log of what was embedded."""
    folder = tmp_path_factory.mktemp("walked")
    colours = Colours(make_base(folder, generations={"keep": 1}), 6)
    (folder / "embedded.log").touch()
    return colours, folder / "embedded.log"


LIKE_THEIR_NEIGHBOURS = {
    "after the lease", "after planning", "before the cache keeps chunks", "before staging", "before embedding", "after embedding",
    "after the second index", "one build in place", "before signatures are remembered",
}
"""Steps between which and the next one nothing reaches the disk that the quick suite does not see at another step."""


@pytest.mark.parametrize(
    "step", [
        pytest.param(step, marks=[pytest.mark.slow] * (step in LIKE_THEIR_NEIGHBOURS))
        for step in COUNTING.STEPS if step != "while the catalog is made"
    ],
)
def test_killed_at_every_step_of_the_protocol(
    walked: tuple[Colours, Path], start: Callable[..., Any], counting_in: Callable[[Path], None], unflushed: None, step: str
) -> None:
    colours, log = walked
    base = colours.base
    counting_in(log)
    while base.kb.exists() is False or base.head() < 2:  # the first step needs something to prune
        colours.become(0 if not base.kb.exists() else base.head())
        base.run()
    head, wasted = base.head(), embedded(log) - cached(base)
    colours.become(head)
    environment = {"INGEST_EMBED__BATCH": str(BATCH), "INGEST_GENERATIONS__KEEP": "1"}
    with start(base, "ingest_counting.py", str(log), step, **environment) as killed:
        _, said = killed.communicate(timeout=120)
    assert killed.returncode == -signal.SIGKILL, said
    published = step in COUNTING.PUBLISHED
    assert base.head() == (head + 1 if published else head)
    assert colours.whole(head if published else head - 1), "what is served is one state, whole"
    report = base.run()
    assert report.published is not published
    assert base.head() == head + 1
    assert colours.whole(head)
    assert base.verify() == []
    assert not list((base.kb / "staging").glob("*"))
    assert embedded(log) - cached(base) - wasted <= BATCH
    assert base.run().published is False


@pytest.mark.parametrize(
    "step", ["while the catalog is made", "before planning", "before staging commits", "after the first index",
             "generation in place, head not moved"],
)
def test_first_run_killed_leaves_nothing_published_and_the_next_recovers(
    colours: Colours, program: Callable[..., Any], log: Path, counted_here: None, step: str
) -> None:
    base = colours.base
    colours.become(0)
    with program("ingest_counting.py", str(log), step, INGEST_EMBED__BATCH=str(BATCH)) as killed:
        _, said = killed.communicate(timeout=120)
    assert killed.returncode == -signal.SIGKILL, said
    for ask in (lambda: base.search("COLOUR"), base.check, base.verify):
        with pytest.raises(KnowledgeBaseMissing):
            ask()
    assert base.run().generation == 1
    assert colours.whole(0)
    assert base.verify() == []
    assert embedded(log) - cached(base) <= BATCH


def random_kills(colours: Colours, program: Callable[..., Any], log: Path, kills: int, seed: int) -> dict[str, Any]:
    """Kill runs over a changing corpus at random moments; check everything after each. Returns the figures."""
    base, chance = colours.base, random.Random(seed)  # noqa: S311  # moments, not secrets
    colours.become(0)
    started = time.perf_counter()
    with program("ingest_counting.py", str(log), INGEST_EMBED__BATCH=str(BATCH)) as first:
        assert first.stdout is not None and first.stdout.readline() == "begun\n"
        begun = time.perf_counter()
        assert first.wait(timeout=240) == 0
    figures: dict[str, Any] = {
        "kills": 0, "finished before the kill": 0, "published at the kill": 0, "embedded twice": 0, "most at once": 0,
        "seconds of a whole run": round(time.perf_counter() - begun, 2), "to start": round(begun - started, 2),
    }
    length, wasted, served = time.perf_counter() - begun, 0, 0
    for number in range(1, kills + 1):
        colours.become(number)
        head = base.head()
        with program("ingest_counting.py", str(log), INGEST_EMBED__BATCH=str(BATCH)) as victim:
            assert victim.stdout is not None and victim.stdout.readline() == "begun\n"
            try:
                victim.wait(timeout=chance.uniform(0, 1.1 * length))
                figures["finished before the kill"] += 1
            except subprocess.TimeoutExpired:
                victim.kill()
                victim.wait()
                figures["kills"] += 1
        if base.head() > head:
            figures["published at the kill"] += 1
            served = number
        assert colours.whole(served), f"after kill {number}: a mixture, or not what was published"
        base.run()
        served = number
        assert colours.whole(number)
        assert base.verify() == []
        twice = embedded(log) - cached(base) - wasted
        assert twice <= BATCH, f"kill {number}: {twice} texts were embedded twice"
        figures["most at once"] = max(figures["most at once"], twice)
        wasted += twice
    figures["embedded twice"] = wasted
    return figures


def test_killed_at_random_moments(colours: Colours, program: Callable[..., Any], log: Path, counted_here: None) -> None:
    random_kills(colours, program, log, kills=4, seed=20260101)


@pytest.mark.slow
def test_killed_thirty_times_at_random_moments(
    base: Any, program: Callable[..., Any], log: Path, counted_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = random_kills(Colours(base, 20), program, log, kills=30, seed=7)
    with capsys.disabled():
        print("\n30 kills:", ", ".join(f"{name} {value}" for name, value in figures.items()))
    assert figures["kills"] >= 20
