"""The power goes: whatever was not synced is lost, and what is served is the old generation or the new one, whole.

The calls of one command are watched, and at each of them two disks are kept as a power cut would leave them: a strict one that
lost every name and byte that was not synced, and a hasty one that has every name and lost the bytes
(`workloads/powercut.py`). SQLite's own syncs are among what is watched. Syncs are answered without being made.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.history import let_go

COMMANDS = {
    "first run": (0, ("run", "DOCS"), 1, 1), "incremental run": (2, ("run", "DOCS"), 3, 3),
    "rollback": (2, ("snapshots", "rollback", "1"), 1, 2), "prune": (2, ("snapshots", "prune", "--keep", "1"), 2, 2),
    "import": (0, ("snapshots", "import", "ARCHIVE"), 2, 2),
}
"""Name -> rounds made before, command, round that it serves, round that the documents are in."""
QUICK = 3
"""Cuts of a command in the quick suite."""


class Cuts:
    """One command, and every disk that a power cut during it could leave."""

    def __init__(self, name: str, base: Any, colours: Any, victims: Any) -> None:
        rounds, command, self.serves, edited = COMMANDS[name]
        self.base, self.colours = base, colours
        for number in range(1, rounds + 1):
            colours.become(number)
            base.run()
        colours.become(edited)
        self.served = colours.shows()
        self._disk = base.folder / "disk"  # what is watched: the folder in which the knowledge base is
        self._kept = base.folder / "cuts"
        archive = base.folder / "other" / "second.tar.zst"
        if "ARCHIVE" in command:
            there, base.kb = base.kb, archive.parent / "kb"
            base.run()
            assert victims.ingest("snapshots", "export", archive, "--kb", base.kb).code == 0
            base.kb = there
        arguments = [{"DOCS": str(base.docs), "ARCHIVE": str(archive)}.get(each, each) for each in command]
        self.rerun = arguments
        ended = victims.ingest(
            *arguments, "--kb", base.kb, watch=str(self._disk), cuts=str(self._kept), unflushed=False,
            environment={"INGEST_GENERATIONS__KEEP": "1"} if name == "incremental run" else {},
        )
        assert ended.code == 0, ended.said
        self.snapshot = colours.snapshot()
        moved = [number for number, (what, path) in enumerate(ended.calls, 1) if what == "rename" and "generations/" in path]
        # The head moves with the first sync of the catalog's log after the generation's folder is in its place.
        self.head = min((
            number for number, (what, path) in enumerate(ended.calls, 1)
            if moved and number > moved[-1] and (what, path) == ("sync", "kb/catalog.db-wal")
        ), default=0)
        self.cuts = [json.loads(line) for line in (self._kept / "cuts.jsonl").read_text().splitlines()]

    def check(self, cut: dict[str, Any], disk: str) -> None:
        """Put the disk that a cut left in the place of the one that was, and see what is served and whether it goes on."""
        where = f"cut before call {cut['number']} ({cut['what']} {cut['path']}), {disk} disk"
        shutil.rmtree(self._disk)
        self._disk.mkdir()
        for path, digest in sorted(cut[disk].items()):
            place = self._disk / path
            if digest is None:
                place.mkdir()
            elif digest == "empty":
                place.touch()
            elif ".db" in place.name:
                shutil.copyfile(self._kept / "bytes" / digest, place)
            else:  # nobody writes to these again, and copying the holes of an engine's files takes longer than all the rest
                place.hardlink_to(self._kept / "bytes" / digest)
        shows = self.colours.shows()
        done = cut["number"] == -1 or (self.head and cut["number"] > self.head)
        assert shows == self.serves if done else shows in (self.served, self.serves), where
        if shows is not None:
            assert self.base.verify() == [], where
        if self.rerun[0] == "run":
            self.base.run()
            assert self.colours.shows() == self.serves, where
            assert self.colours.snapshot() == self.snapshot, where
        else:
            if shows is not None:
                let_go(self.base.settings)
            self.base.run()
        assert self.base.verify() == [], where


@pytest.fixture(scope="module")
def cuts(
    tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any], make_colours: Any, victims: Any
) -> Callable[[str], Cuts]:
    made: dict[str, Cuts] = {}

    def of(name: str) -> Cuts:
        if name not in made:
            folder: Path = tmp_path_factory.mktemp(name.replace(" ", "-"))
            base = make_base(folder)
            (folder / "disk").mkdir()
            base.kb = folder / "disk" / "kb"
            made[name] = Cuts(name, base, make_colours(base, 3), victims)
        return made[name]

    return of


@pytest.mark.parametrize("name", COMMANDS)
def test_power_that_goes_once_the_head_has_moved_leaves_the_new_generation(
    cuts: Callable[[str], Cuts], unflushed: None, name: str
) -> None:
    made = cuts(name)
    first = next(cut for cut in made.cuts if cut["number"] > made.head)
    made.check(first, "strict")
    made.check(made.cuts[-1], "hasty")


@pytest.mark.parametrize("name", ["first run", "incremental run"])
def test_power_that_goes_at_some_moment_leaves_one_whole_generation(
    cuts: Callable[[str], Cuts], unflushed: None, name: str
) -> None:
    made = cuts(name)
    chance = random.Random(name)  # noqa: S311  # a sample, no secret
    for cut in chance.sample(made.cuts, QUICK):
        made.check(cut, chance.choice(["strict", "hasty"]))


@pytest.mark.slow
@pytest.mark.parametrize("disk", ["strict", "hasty"])
@pytest.mark.parametrize("name", COMMANDS)
def test_power_that_goes_at_any_moment_leaves_one_whole_generation(
    cuts: Callable[[str], Cuts], unflushed: None, name: str, disk: str
) -> None:
    made = cuts(name)
    seen = set()
    for cut in made.cuts:
        left = json.dumps(cut[disk], sort_keys=True)
        if left not in seen:
            seen.add(left)
            made.check(cut, disk)
