"""Killed at random moments, whatever it is doing: nothing lost, nothing mixed, and nobody has to repair anything."""

from __future__ import annotations

import contextlib
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from flows.history import let_go

ALL, TWENTIETH = 300, 15
COMMANDS = ("run", "run", "run", "run", "rollback", "prune")


class Kills:
    """A base over a corpus that changes, on which commands are killed one after the other."""

    def __init__(self, colours: Any, victims: Any, seed: int) -> None:
        self.colours, self.base, self._victims = colours, colours.base, victims
        self._chance = random.Random(seed)  # noqa: S311  # moments, not secrets
        self.figures: Counter[str] = Counter()
        self.longest: dict[str, float] = {}
        colours.become(0)
        self.base.run()
        self._wasted = colours.wasted()

    def kill(self, number: int) -> None:
        """Change the documents, kill a command, and see that what is served is the state before or after it, and that the next
        run brings the documents as they are."""
        colours, before = self.colours, number - 1
        command = self._chance.choice(COMMANDS)
        then = self._rounds()[-1]
        after = {"run": number, "rollback": then, "prune": before}[command]
        colours.become(number)
        self._killed(command)
        shows = colours.shows()
        assert shows in (before, after), f"kill {number} of {command}: round {shows} of {before} or {after}"
        self.figures["published at the kill"] += shows != before
        if let_go(self.base.settings):
            self.figures["holds released"] += 1
        self.base.run()
        assert colours.shows() == number, f"kill {number} of {command}"
        assert self.base.verify() == [], f"kill {number} of {command}"
        twice = colours.wasted() - self._wasted
        assert twice <= 8, f"kill {number} of {command}: {twice} texts were embedded twice"
        self._wasted += twice
        self.figures["texts embedded twice"] += twice

    def _rounds(self) -> list[int]:
        """The rounds of the kept generations, newest first."""
        return [self.colours.shows(generation) for generation in self.base.generations()]

    def _killed(self, command: str) -> None:
        arguments = {
            "run": ("run", self.base.docs), "rollback": ("snapshots", "rollback", str(self.base.generations()[-1])),
            "prune": ("snapshots", "prune", "--keep", "1"),
        }[command]
        moment = self._chance.uniform(0, 1.1 * self.longest.get(command, 1.0))
        started = time.perf_counter()
        ended = self._victims.ingest(
            *arguments, "--kb", self.base.kb, embedded=str(self.colours.log), kill_after=moment,
        )
        if ended.code == -9:
            self.figures[f"{command} killed"] += 1
            self.figures["kills"] += 1
        else:
            assert ended.code in (0, 2), ended.said  # 2: a rollback to the only generation
            self.figures["finished before"] += 1
            self.longest[command] = time.perf_counter() - started


def told(kills: Kills) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(kills.figures.items()))


@pytest.fixture
def kills(base: Any, make_colours: Any, victims: Any, counted: Callable[[Any], None]) -> Callable[[int], Kills]:
    def begin(seed: int) -> Kills:
        colours = make_colours(base)
        counted(colours)
        return Kills(colours, victims, seed)

    return begin


def test_killed_fifteen_times_at_random(kills: Callable[[int], Kills]) -> None:
    made = kills(20260101)
    for number in range(1, TWENTIETH + 1):
        made.kill(number)


@pytest.mark.slow
def test_killed_three_hundred_times_at_random(kills: Callable[[int], Kills], capsys: pytest.CaptureFixture[str]) -> None:
    made = kills(7)
    number = 0
    while made.figures["kills"] < ALL:
        number += 1
        made.kill(number)
    with capsys.disabled():
        print(f"\n{ALL} random kills: 0 lost, 0 mixed, 0 manual repairs; {told(made)}")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_worker_that_is_killed_costs_nothing(
    base: Any, colours: Any, start: Callable[..., Any], office: Callable[..., bytes], seed: int
) -> None:
    """Once, by whoever needed its memory: the document or the batch that it had is given to another."""
    chance = random.Random(seed)  # noqa: S311
    colours.become(1)
    for number in range(4):
        base.write(f"word{number}.docx", office(f"The WOMBAT stands in {number}."))
    environment = {"INGEST_EXECUTE__EXECUTOR": "processes", "INGEST_EXECUTE__WORKERS": "2"}
    with start(base, "ingest_limited.py", **environment) as run:
        driver, victim, until = psutil.Process(run.pid), None, time.monotonic() + 60
        wanted = chance.randrange(2)
        while victim is None and run.poll() is None and time.monotonic() < until:
            workers = driver.children(recursive=True)
            victim = workers[wanted] if len(workers) > wanted else None
        if victim is not None:
            time.sleep(chance.uniform(0, 1))
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()
        _, said = run.communicate(timeout=120)
    assert run.returncode == 0, said
    assert len(base.found("WOMBAT", top_k=100)) == 4
    assert colours.shows() == 1
    assert base.verify() == []
