"""The disk refuses: every call that writes below the knowledge base fails in turn, as SQLite tests itself.

With EIO one call fails; with ENOSPC it and all that need room after it. Whatever failed: the run says so with a remedy, or
could do without; what is served is the old state or the new one, whole; and the next run needs no help.
"""

from __future__ import annotations

import errno
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GROWING = {"write", "open", "mkdir", "link"}
RANDOM_NAME = re.compile(r"[0-9a-f]{24,32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\.atomicwrite\w+|[0-9a-z]{24}(?=-)")


def sort_of(path: str) -> str:
    """A path without what is random in it; of the engine's many alike folders, the file's name."""
    path = RANDOM_NAME.sub("#", path)
    before, inside, name = path.partition("/shard/segments/#/")
    return f"{before}{inside}**/{name.rpartition('/')[2]}" if inside else path


class Faults:
    """An incremental run that is made again and again from the same base, each time with another call that fails."""

    def __init__(self, base: Any, colours: Any, victims: Any, put_back: Any) -> None:
        self.base, self.colours, self._victims, self._put_back = base, colours, victims, put_back
        for number in (1, 2):
            colours.become(number)
            base.run()
        colours.become(3)
        self._before = base.folder / "before"
        shutil.copytree(base.kb, self._before)
        self._watched = base.folder / "watched"  # the knowledge base alone below it, so that nothing else is counted
        whole = self._ingest()
        assert whole.code == 0, whole.said
        self.snapshot = colours.snapshot()
        self.calls = [(what, sort_of(path)) for what, path in whole.calls]

    def _ingest(self, **fail: int) -> Any:
        asked = {"fail": fail} if fail else {}
        return self._victims.ingest(
            "run", self.base.docs, "--kb", self.base.kb, watch=str(self.base.kb), unflushed=False,
            environment={"INGEST_GENERATIONS__KEEP": "1"}, **asked,
        )

    def asked(self, **fail: int) -> Any:
        """Ask a question in a process in which a call that could change a file fails."""
        watched = {"watch": str(self.base.kb), **({"fail": fail} if fail else {})}
        return self._victims.ingest("search", "COLOUR", "--mode", "vector", "--kb", self.base.kb, **watched)

    def reads(self, number: int) -> None:
        self._put_back(self.base.kb, self._before)
        ended = self.asked(number=number, errno=errno.EIO, on=0)
        assert ended.code == 0 or "ingest: StorageFailed" in ended.said, f"call {number}: {ended.said}"
        assert self.base.verify() == [], f"call {number}: {ended.said}"

    def places(self, *kinds: str) -> list[int]:
        """The first and the last call of each sort on each file, by number."""
        first: dict[tuple[str, str], int] = {}
        last: dict[tuple[str, str], int] = {}
        for number, call in enumerate(self.calls, 1):
            if call[0] in kinds or not kinds:
                first.setdefault(call, number)
                last[call] = number
        return sorted({*first.values(), *last.values()})

    def survives(self, number: int, code: int, *, on: bool) -> str:
        """Have one call fail and check everything; return how the run ended."""
        self._put_back(self.base.kb, self._before)
        ended = self._ingest(number=number, errno=code, on=int(on))
        where = f"call {number} ({' '.join(self.calls[number - 1])}) with {errno.errorcode[code]}: {ended.said[-2000:]}"
        assert ended.code in (0, 1), where
        assert "Traceback" not in ended.said, where
        assert "panic" not in ended.said, where
        if ended.code == 1:
            assert "ingest: StorageFailed" in ended.said, where
            assert str(self.base.kb) in ended.said, f"no file is named: {where}"
            assert re.search(r"free (disk )?space|check", ended.said), f"no remedy: {where}"
        shows = self.colours.shows()
        assert shows == 3 if ended.code == 0 else shows in (2, 3), where
        assert self.base.verify() == [], where
        self.base.run()
        assert self.colours.shows() == 3, where
        assert self.colours.snapshot() == self.snapshot, where
        assert self.base.verify() == [], where
        return "told" if ended.code else "done without"


@pytest.fixture(scope="module")
def faults(
    tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any], make_colours: Any, victims: Any, put_back: Any
) -> Faults:
    folder: Path = tmp_path_factory.mktemp("faults")
    base = make_base(folder, generations={"keep": 1})
    return Faults(base, make_colours(base, 3), victims, put_back)


def test_all_kinds_of_writes_are_seen(faults: Faults) -> None:
    """The engine's and SQLite's too: what is not seen would not be failed."""
    seen = {(what, path.partition("/")[0], path.rpartition(".")[2]) for what, path in faults.calls}
    assert {("sync", "catalog.db-wal", "db-wal"), ("write", "cache", "db-wal"), ("write", "staging", "parquet"),
            ("sync", "staging", "mmap"), ("rename", "generations", "generations/3")} <= seen


@pytest.mark.parametrize("seed", range(6))
def test_one_call_that_fails_is_told_and_loses_nothing(faults: Faults, unflushed: None, seed: int) -> None:
    faults.survives(random.Random(seed).choice(faults.places()), errno.EIO, on=False)  # noqa: S311  # a sample, no secret


@pytest.mark.parametrize("seed", range(3))
def test_disk_that_is_full_from_a_moment_on_is_told_and_loses_nothing(faults: Faults, unflushed: None, seed: int) -> None:
    faults.survives(random.Random(seed).choice(faults.places(*GROWING)), errno.ENOSPC, on=True)  # noqa: S311


def test_reader_for_whom_the_disk_fails_changes_nothing(faults: Faults, unflushed: None) -> None:
    """The engine mends in place what it cannot open, so it must not be given what is published."""
    last = len(faults.asked().calls)
    for number in random.Random(1).sample(range(1, last + 1), 3):  # noqa: S311
        faults.reads(number)


@pytest.mark.slow
def test_reader_for_whom_any_call_fails_changes_nothing(faults: Faults, unflushed: None) -> None:
    for number in range(1, len(faults.asked().calls) + 1):
        faults.reads(number)


@pytest.mark.slow
def test_every_call_that_fails_is_told_and_loses_nothing(faults: Faults, unflushed: None) -> None:
    for number in faults.places():
        faults.survives(number, errno.EIO, on=False)


@pytest.mark.slow
def test_disk_that_is_full_from_any_moment_on_is_told_and_loses_nothing(faults: Faults, unflushed: None) -> None:
    for number in faults.places(*GROWING):
        faults.survives(number, errno.ENOSPC, on=True)
