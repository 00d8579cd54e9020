"""The lease: one writer, released by death, never stolen; readers keep a generation from being pruned."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.errors import LeaseHeld, StorageFailed
from ingest.store.layout import Layout
from ingest.store.lease import alone, lease, share

HOLD = """
import sys, time
from pathlib import Path
from ingest.store.layout import Layout
from ingest.store.lease import lease
with lease(Layout(Path(sys.argv[1]))):
    print("held", flush=True)
    time.sleep(600)
"""


def test_second_writer_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "kb")
    with lease(layout), pytest.raises(LeaseHeld, match=f"pid {os.getpid()}") as raised, lease(layout):
        pass
    assert raised.value.exit_code == 7
    with lease(layout):
        pass


def test_killed_writer_leaves_the_lease_free(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "kb")
    with subprocess.Popen([sys.executable, "-c", HOLD, str(layout.folder)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(LeaseHeld, match=f"pid {holder.pid}"), lease(layout):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with lease(layout):
        pass


def test_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageFailed, match="--kb"), lease(Layout(tmp_path / "file" / "kb")):
        pass


def test_readers_share_and_pruning_waits_for_them(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert share(path) is None
    path.touch()
    first, second = share(path), share(path)
    assert first is not None and second is not None
    with alone(path) as mine:
        assert mine is False
    os.close(first)
    os.close(second)
    with alone(path) as mine:
        assert mine is True
        assert share(path) is None
