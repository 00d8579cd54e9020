"""One writer: a second run at the same time is refused at once, readers are not."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from flows.history import drop, go_back, let_go
from flows.opening import writing
from ingest.errors import LeaseHeld


def test_second_run_is_refused_and_told_who_is_writing(base: Any) -> None:
    base.write("手册.md")
    base.run()
    base.write("more.md", "# More\n\nThe QUOKKA.\n")
    with writing(base.settings):
        for call in (base.run, lambda: go_back(base.settings, 1), lambda: let_go(base.settings), lambda: drop(base.settings, 1)):
            with pytest.raises(LeaseHeld, match=f"pid {os.getpid()}") as raised:
                call()
            assert raised.value.exit_code == 7
        assert base.found("机柜") == ["手册.md"]
        assert base.verify() == []
        assert base.check().status == "stale"
    assert base.run().published
    assert base.found("QUOKKA") == ["more.md"]


def test_run_that_lost_its_lease_cannot_publish(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hosts on a file system without locks: the token decides at the commit point."""
    from ingest.errors import StorageFailed

    base.write("手册.md")
    base.run()
    base.write("more.md", "# More\n\nThe QUOKKA.\n")
    import flows.commit

    proven = flows.commit.prove

    def taken_over(*arguments: Any) -> None:
        proven(*arguments)
        with base.catalog() as catalog:
            catalog.set_meta("token", "another host's")

    with monkeypatch.context() as patched:
        patched.setattr("flows.commit.prove", taken_over)
        with pytest.raises(StorageFailed, match="another run"):
            base.run()
    assert base.head() == 1
    assert base.found("QUOKKA") == []
    assert base.run().published
    assert base.found("QUOKKA") == ["more.md"]
    assert base.verify() == []


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 30))])
def test_everything_that_writes_at_once_leaves_one_whole_state(
    base: Any, make_colours: Any, victims: Any, tmp_path: Path, seed: int
) -> None:
    """Whoever comes first has the lease; the others are told so, and none of them spoils anything."""
    colours = make_colours(base, 3)
    archive = tmp_path / "first.tar.zst"
    for number in (1, 2, 3):
        colours.become(number)
        base.run()
        if number == 1:
            assert victims.ingest("snapshots", "export", archive, "--kb", base.kb).code == 0
    colours.become(4)
    commands = [
        ("run", base.docs), ("run", base.docs, "--rehash"), ("snapshots", "rollback", "1"), ("snapshots", "release"),
        ("snapshots", "prune", "--keep", "1"), ("verify", "--repair"), ("snapshots", "import", archive),
        ("search", "COLOUR", "--mode", "bm25"), ("verify",), ("check",),
    ]
    random.Random(seed).shuffle(commands)  # noqa: S311
    for command, ended in zip(commands, victims.together(*((*each, "--kb", base.kb) for each in commands)), strict=True):
        said = f"{command}: {ended.code}: {ended.said}"
        assert "Traceback" not in ended.said, said
        name = command[0] if command[0] != "snapshots" else command[1]
        # 1: the generation to go back to was pruned; 2: a knowledge base is there; 3: stale; 6: cannot tell; 7: lease or hold
        may = {"run": (0, 7), "rollback": (0, 1, 7), "release": (0, 7), "prune": (0, 7), "import": (2, 7), "search": (0,),
               "check": (0, 3, 6), "verify": (0, 7) if "--repair" in command else (0, 1)}[name]
        assert ended.code in may, said
        if ended.code == 7:
            assert "another run is writing" in ended.said or "on hold" in ended.said, said
        if ended.code == 1:
            assert "NotFound" in ended.said, said
    assert colours.shows() in (1, 3, 4)
    assert base.verify() == []
    let_go(base.settings)
    base.run()
    assert colours.shows() == 4
    assert base.verify() == []
