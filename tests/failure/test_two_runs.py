"""One writer: a second run at the same time is refused at once, readers are not."""

from __future__ import annotations

import os
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
