"""Locks that hold for every machine: one lease a schema, readers' pins, and what becomes of them when a connection is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import LeaseHeld, StorageFailed
from ingest.store.layout import Layout
from ingest.store.lease import generation_alone, lease, share_generation

HOLD = """
import sys, time
from ingest.store.layout import Server
from ingest.store.postgres_locks import lease_of
with lease_of(Server(sys.argv[1], sys.argv[2])):
    print("held", flush=True)
    time.sleep(600)
"""


def elsewhere(layout: Layout, folder: Path) -> Layout:
    """The same base, as a machine that does not see the files' locks has it."""
    return replace(layout, folder=folder)


def generation(layout: Layout, number: int) -> None:
    layout.generation(number).mkdir(parents=True)
    layout.reader_lock(number).touch()


def lose_sessions(postgres: Any, of: str) -> None:
    found = postgres.sql(f"select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name like '{of}%'")
    assert found == [(True,)]


def test_writer_elsewhere_is_refused_and_told_who_holds_it(on_server: Callable[[], Layout], tmp_path: Path) -> None:
    layout = on_server()
    there = elsewhere(layout, tmp_path / "there")
    with lease(layout), pytest.raises(LeaseHeld, match=f"pid {os.getpid()} on .* since 20") as raised, lease(there):
        pass
    assert raised.value.exit_code == 7
    with lease(there), lease(on_server()):
        pass  # free again, and another schema's is another lease


def test_killed_writer_elsewhere_leaves_the_lease_free(on_server: Callable[[], Layout]) -> None:
    layout = on_server()
    assert layout.server is not None
    command = [sys.executable, "-c", HOLD, layout.server.url, layout.server.schema]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(LeaseHeld, match=f"pid {holder.pid}"), lease(layout):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with lease(layout):
        pass


def test_lease_that_was_lost_is_noticed(on_server: Callable[[], Layout], postgres: Any) -> None:
    with lease(on_server()) as held:
        held.check()
        lose_sessions(postgres, f"pid {os.getpid()} on")
        with pytest.raises(StorageFailed, match="lease"):
            held.check()


def test_readers_elsewhere_share_and_pruning_waits_for_them(on_server: Callable[[], Layout], tmp_path: Path) -> None:
    layout = on_server()
    there = elsewhere(layout, tmp_path)
    for each in (layout, there):
        generation(each, 1)
    assert share_generation(layout, 2) is None
    first, second = share_generation(layout, 1), share_generation(there, 1)
    assert first is not None and second is not None
    first.close()
    with generation_alone(layout, 1) as mine:
        assert mine is False
    second.close()
    with generation_alone(layout, 1) as mine:
        assert mine is True
        assert share_generation(there, 1) is None
    with share_generation(there, 1) as third:  # type: ignore[union-attr]
        assert third.is_held()


def test_reader_notices_that_its_generation_is_not_kept_any_more(on_server: Callable[[], Layout], postgres: Any) -> None:
    layout = on_server()
    generation(layout, 1)
    with share_generation(layout, 1) as pinned:  # type: ignore[union-attr]
        assert pinned.is_held()
        lose_sessions(postgres, "reads generation 1")
        assert not pinned.is_held()
