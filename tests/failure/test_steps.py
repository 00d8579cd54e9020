"""Killed at every named step of everything that writes: the next command recovers by itself, and nothing is mixed or lost."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import OnHold
from ingest.steps import STEPS


@dataclass(frozen=True)
class Scenario:
    """A command on a base that `rounds` runs made; it serves the round `serves` afterwards. The documents are in round `edited`.

    `quick`: the steps at which the quick suite kills it, which are those after which something else lies on the disk. The long
    one kills it at all that it reaches, for the first time and for the last."""

    rounds: int
    command: tuple[str, ...]
    serves: int
    edited: int
    quick: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    before: str = ""


RUN = ("run", "DOCS")
SCENARIOS: dict[str, Scenario] = {
    "first run": Scenario(0, RUN, 1, 1, (
        "catalog opened", "root registered", "chunks kept", "source staged", "vectors made", "build written", "generation moved",
    )),
    "incremental run": Scenario(2, RUN, 3, 3, (
        "facts staged", "texts embedded", "build flushed", "build moved", "head about to move", "head moving", "head moved",
        "generation forgotten", "build removed",
    ), {"INGEST_GENERATIONS__KEEP": "1"}),
    "run with nothing to do": Scenario(1, RUN, 1, 1, ()),
    "rollback": Scenario(3, ("snapshots", "rollback", "2"), 2, 3, ("hold set", "head moved")),
    "rollback that opens nothing": Scenario(3, ("snapshots", "rollback", "1"), 1, 3, ("rollback staged", "build moved")),
    "release": Scenario(2, ("snapshots", "release"), 1, 2, ("hold lifted",), before="held"),
    "repair": Scenario(2, ("verify", "--repair"), 2, 2, ("build moved",), before="damaged"),
    "import": Scenario(0, ("snapshots", "import", "ARCHIVE"), 2, 2, ("facts staged", "build moved")),
    "prune": Scenario(3, ("snapshots", "prune", "--keep", "1"), 3, 3, ("generation folder removed",)),
}


@dataclass(frozen=True)
class Undisturbed:
    """A scenario made once without disturbance: what its base was before, the steps in order, and what came of it."""

    scenario: Scenario
    before: Path
    served: int | None
    steps: list[tuple[str, int]]
    snapshot: str
    wasted: int


class Theatre:
    """One base, put into the state in which each scenario begins as often as is asked."""

    def __init__(self, base: Any, colours: Any, victims: Any, put_back: Any) -> None:
        self.base, self.colours, self._victims, self._put_back = base, colours, victims, put_back
        self._folder = base.folder / "before"
        self._round = 0
        self._ready: dict[str, Undisturbed] = {}
        self._archive = base.folder / "second.tar.zst"
        self._keep("0")
        for number in (1, 2, 3):
            self._become(number)
            base.run()
            self._keep(str(number))
            if number == 2:
                ended = victims.ingest("snapshots", "export", self._archive, "--with-cache", "--kb", base.kb)
                assert ended.code == 0, ended.said

    def ready(self, name: str) -> Undisturbed:
        if name not in self._ready:
            self._ready[name] = self._prepared(SCENARIOS[name])
        return self._ready[name]

    def ingest(self, scenario: Scenario, **debug: str) -> Any:
        environment = {**scenario.environment, **{f"INGEST_DEBUG__{key.upper()}": value for key, value in debug.items()}}
        places = {"DOCS": self.base.docs, "ARCHIVE": self._archive}
        arguments = [places.get(each, each) for each in scenario.command]
        return self._victims.ingest(
            *arguments, "--kb", self.base.kb, environment=environment, embedded=str(self.colours.log)
        )

    def begin(self, ready: Undisturbed) -> None:
        self._begin(ready.scenario, ready.before)

    def _begin(self, scenario: Scenario, before: Path) -> None:
        self._put_back(self.base.kb, before / "kb")
        shutil.copy(before / "embedded.log", self.colours.log)
        self._become(scenario.edited)

    def _become(self, number: int) -> None:
        if self._round != number:
            self.colours.become(number)
            rule = "allowed_users: [lin]" if number > 1 else "title: Plan"  # closed since the first round
            self.base.write("secret.md", f"---\n{rule}\n---\n# Plan\n\nA SECRET.\n")
            self._round = number

    def _keep(self, name: str) -> Path:
        kept: Path = self._folder / name
        if self.base.kb.exists():
            shutil.copytree(self.base.kb, kept / "kb")
        else:
            (kept / "kb").mkdir(parents=True)
        shutil.copy(self.colours.log, kept / "embedded.log")
        return kept

    def _prepared(self, scenario: Scenario) -> Undisturbed:
        before: Path = self._folder / str(scenario.rounds)
        self._begin(scenario, before)
        if scenario.before == "held":
            from flows.history import go_back

            go_back(self.base.settings, 1)
        if scenario.before == "damaged":
            with self.base.catalog() as catalog:
                build = catalog.published(catalog.head()).manifest.build("vector")
            gates = self.base.kb / "builds/vector" / build.id / "gates.json"
            data = gates.read_bytes()
            gates.unlink()  # it is shared with what is kept
            gates.write_bytes(data[:-1] + b"x")
        if scenario.before:
            before = self._keep(scenario.before)
        served = self.colours.shows()
        wasted = self.colours.wasted() if served is not None else 0
        whole = self.ingest(scenario, trace="true")
        assert whole.code == 0, whole.said
        assert self.colours.shows() == scenario.serves
        assert self.base.verify() == []
        return Undisturbed(scenario, before, served, whole.steps, self.colours.snapshot(), wasted)


@pytest.fixture(scope="module")
def theatre(
    tmp_path_factory: pytest.TempPathFactory, make_base: Any, make_colours: Any, victims: Any, office: Any, put_back: Any
) -> Theatre:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("indexes.generation.seal.flush_path", lambda path: None)
        base = make_base(tmp_path_factory.mktemp("steps"))
        base.write("word.docx", office())
        return Theatre(base, make_colours(base), victims, put_back)


@pytest.mark.parametrize(("name", "step"), [(name, step) for name, scenario in SCENARIOS.items() for step in scenario.quick])
def test_killed_at_a_step(
    theatre: Theatre, counted: Callable[[Any], None], unflushed: None, name: str, step: str
) -> None:
    counted(theatre.colours)
    recovers(theatre, theatre.ready(name), step, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_killed_at_every_step_for_the_first_and_the_last_time(
    theatre: Theatre, counted: Callable[[Any], None], unflushed: None, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    counted(theatre.colours)
    ready = theatre.ready(name)
    last = dict(ready.steps)
    kills = [(step, time) for step, times in last.items() for time in sorted({1, times})]
    for step, time in kills:
        recovers(theatre, ready, step, time)
    with capsys.disabled():
        print(f"\n{name}: {len(kills)} kills at {len(last)} steps: 0 lost, 0 mixed, 0 manual repairs")


def test_every_step_that_is_listed_is_reached_by_a_scenario_and_no_other(theatre: Theatre) -> None:
    """So the long suite kills at every step of the list."""
    assert {step for name in SCENARIOS for step, _ in theatre.ready(name).steps} == set(STEPS)


def recovers(theatre: Theatre, ready: Undisturbed, step: str, time: int) -> None:
    """Kill a scenario at a step, and check what is served then, and that the next command needs no help."""
    scenario, colours, base = ready.scenario, theatre.colours, theatre.base
    where = f"{step}:{time}"
    theatre.begin(ready)
    order = [each for each, _ in ready.steps]
    published = "head moved" in order and ready.steps.index((step, time)) >= order.index("head moved")
    killed = theatre.ingest(scenario, stop_at=where)
    assert killed.code == -signal.SIGKILL, f"{where}: {killed.said}"
    assert colours.shows() == (scenario.serves if published else ready.served), f"{where}: neither the old nor the new state"
    if published or (ready.served is not None and scenario.before != "damaged"):
        assert base.verify() == [], where
    again(theatre, scenario, where, published=published)
    assert colours.shows() == scenario.serves, where
    assert colours.snapshot() == ready.snapshot, f"{where}: another digest than without the kill"
    assert base.verify() == [], where
    assert not list((base.kb / "staging").glob("*")), where
    assert (base.found("SECRET") == []) is (scenario.serves > 1 or scenario.command[0] == "snapshots"), where
    assert colours.wasted() - ready.wasted <= 8, f"{where}: more than a batch was embedded twice"


def again(theatre: Theatre, scenario: Scenario, where: str, *, published: bool) -> None:
    """Do what somebody does who does not know how far the command came: the same again."""
    if scenario.command == RUN:
        report = theatre.base.run()
        assert report.published == (not published and scenario.edited != scenario.rounds), where
    elif scenario.command[:2] == ("snapshots", "rollback"):
        if published:
            with pytest.raises(OnHold):
                theatre.base.run()
        else:
            assert theatre.base.run().published is False, f"{where}: nothing was rolled back, so nothing is held"
            assert theatre.ingest(scenario).code == 0, where
    else:
        ended = theatre.ingest(scenario)
        there = scenario.command[:2] == ("snapshots", "import") and published
        assert ended.code == (2 if there else 0), f"{where}: {ended.said}"
        if there:
            assert theatre.base.run().published is False, f"{where}: what was imported are the documents as they are here"
