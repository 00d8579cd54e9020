"""The server stops, or the line to it is cut, anywhere in a run: what was published is served, and the next run goes on."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from ingest.errors import ServerUnavailable

RUN = """
import sys
from pathlib import Path
from flows.pipeline import Options, run
from ingest.progress import Silent
from ingest.settings import Settings
run(Settings.model_validate_json(sys.argv[1]), Options((Path(sys.argv[2]),), allow_mass_delete=True), Silent())
"""
MOVE = """
import sys
from flows.moving import move
from ingest.progress import Silent
from ingest.settings import Settings
move(Settings.model_validate_json(sys.argv[1]), "qdrant", Silent())
"""
QUERIES = ("云脉网关 安装", "connections", "两路电源")


class Line:
    """A line to the server that can be cut. The adapter opens a connection for each request on loopback, so they are counted.

    `cut_from`: no request gets through from this one on; `lost`: answers to these are thrown away, the server has done its work.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.whole()
        threading.Thread(target=self._accept, daemon=True).start()

    def whole(self) -> None:
        self.requests = 0
        self.cut_from: float = float("inf")
        self.lost: frozenset[int] = frozenset()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                incoming, _ = self._listening.accept()
            except OSError:
                return
            self.requests += 1
            threading.Thread(target=self._carry, args=(incoming, self.requests), daemon=True).start()

    def _carry(self, incoming: socket.socket, number: int) -> None:
        with incoming:
            if number >= self.cut_from:
                return
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as outgoing:
                back = threading.Thread(target=_pump, args=(outgoing, None if number in self.lost else incoming), daemon=True)
                back.start()
                threading.Thread(target=_pump, args=(incoming, outgoing), daemon=True).start()
                back.join()
                # Closing alone would wait for the thread that still reads from it.
                incoming.shutdown(socket.SHUT_RDWR)
                outgoing.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, target: socket.socket | None) -> None:
    try:
        while data := source.recv(65536):
            if target is None:
                return  # the answer has begun, so the work was done
            target.sendall(data)
    except OSError:
        pass


@pytest.fixture
def line(qdrant_url: str) -> Iterator[Line]:
    made = Line(int(qdrant_url.rpartition(":")[2]))
    yield made
    made.close()


def _on(base: Any, url: str, retries: int = 0) -> Any:
    base.set("index", backend="qdrant", qdrant_url=url, retries=retries, timeout_seconds=20)
    return base


def _answers(base: Any) -> list[Any]:
    return [
        [(item.chunk_id, round(item.scores.fused or 0, 3)) for item in base.search(query, mode="hybrid").evidence]
        for query in QUERIES
    ]


@pytest.mark.parametrize("places", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_a_line_cut_anywhere_leaves_the_old_and_the_next_run_goes_on(base: Any, line: Line, places: int) -> None:
    _on(base, line.url)
    base.write("gateway.md")
    base.write("other.md", "# 其他\n\n备份每日凌晨两点执行。\n")
    base.run()
    line.whole()
    base.write("probe.md", "# Probe\n\nNothing but a probe.\n")
    base.run()
    whole = line.requests
    assert whole > 20
    words = ("wombat", "quokka", "zephyr", "kestrel", "larkfield", "bluebird", "marten", "osprey")
    cuts = range(1, whole, -(-whole // places)) if places > 2 else (3, whole // 2)
    for turn, (at, word) in enumerate(zip(cuts, words, strict=False)):
        before, head = _answers(base), base.head()
        base.write("gateway.md", base.docs.joinpath("gateway.md").read_text() + f"\n增补第 {turn} 条：{word} 已启用。\n")
        line.whole()
        line.cut_from = at
        published = False
        try:
            published = base.run().published
        except ServerUnavailable as error:
            assert error.retryable and error.exit_code == 6 and "index.qdrant_url" in str(error)
        line.whole()
        if not published:
            assert base.head() == head and _answers(base) == before and base.found(word) == []
            again = base.run()
            assert (again.published, again.embedded) == (True, 0), "finished work is kept"
        assert base.found(word) == ["gateway.md"]
    assert base.verify(deep=True) == []


def test_answers_that_are_lost_on_the_way_are_asked_for_again(base: Any, line: Line) -> None:
    _on(base, line.url, retries=3)
    line.lost = frozenset(range(2, 120, 4))
    base.write("gateway.md")
    base.run()
    base.write("gateway.md", base.docs.joinpath("gateway.md").read_text().replace("20000", "30000"))
    line.requests = 0
    base.run()
    line.whole()
    assert base.verify(deep=True) == [] and base.found("30000") == ["gateway.md"]


def test_searching_without_the_server_says_so(base: Any, line: Line) -> None:
    _on(base, line.url)
    base.write("gateway.md")
    base.run()
    line.cut_from = 0
    for mode in ("bm25", "vector", "hybrid"):
        with pytest.raises(ServerUnavailable, match=r"does not answer.*start it"):
            base.search("网关", mode=mode)
    line.whole()
    assert base.found("网关") == ["gateway.md"]


def test_a_server_that_hangs_is_given_up(base: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        _on(base, f"http://127.0.0.1:{silent.getsockname()[1]}")
        base.set("index", timeout_seconds=1)
        base.write("gateway.md")
        with pytest.raises(ServerUnavailable, match="ReadTimeout"):
            base.run()


def test_a_server_killed_and_started_again_holds_what_was_published(
    base: Any, qdrant_process: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INGEST_QDRANT_KEY", "sesame")
    shim = qdrant_process("sesame")
    _on(base, shim.url)
    base.write("gateway.md")
    base.run()
    before = _answers(base)
    shim.kill()
    base.write("more.md", "# More\n\nOf wombats.\n")
    with pytest.raises(ServerUnavailable):
        base.run()
    shim.start()
    assert _answers(base) == before and base.verify(deep=True) == []
    assert base.run().embedded == 0 and base.found("wombats") == ["more.md"]


@pytest.mark.parametrize("step", ["build written:2", pytest.param("head about to move", marks=pytest.mark.slow)])
def test_a_move_killed_half_way_has_not_happened(base: Any, qdrant_url: str, step: str) -> None:
    from flows.moving import move
    from ingest.progress import Silent

    base.write("gateway.md")
    snapshot, before = base.run().snapshot, _answers(base)
    base.set("index", qdrant_url=qdrant_url)
    settings = base.settings.model_copy(update={"debug": base.settings.debug.model_copy(update={"stop_at": step})})
    done = subprocess.run([sys.executable, "-c", MOVE, settings.model_dump_json()], env=os.environ, timeout=120)
    assert done.returncode == -9
    assert base.head() == 1 and _answers(base) == before and base.verify() == []
    moved = move(base.settings, "qdrant", Silent())
    assert (moved.snapshot, _answers(base), base.verify(deep=True)) == (snapshot, before, [])


@pytest.mark.parametrize("step", [
    "build written:2",
    *(pytest.param(step, marks=pytest.mark.slow) for step in ("build written:1", "head about to move", "head moved")),
])
def test_a_run_killed_at_a_step_is_recovered(base: Any, qdrant_url: str, step: str) -> None:
    _on(base, qdrant_url)
    base.write("gateway.md")
    base.run()
    before = _answers(base)
    base.write("more.md", "# More\n\nOf wombats.\n")
    base.delete("gateway.md")
    base.write("renamed.md")
    settings = base.settings.model_copy(update={"debug": base.settings.debug.model_copy(update={"stop_at": step})})
    done = subprocess.run([sys.executable, "-c", RUN, settings.model_dump_json(), base.docs], env=os.environ, timeout=120)
    assert done.returncode == -9
    if step != "head moved":
        assert _answers(base) == before
    report = base.run(allow_mass_delete=True)
    assert report.embedded == 0
    assert base.found("wombats") == ["more.md"] and base.found("两路电源") == ["renamed.md"]
    assert base.verify(deep=True) == []
