"""The server that has the catalog fails: down, killed and restarted in the middle of a run, cut off at any moment, also at the
one commit; and two writers on two machines. Nothing lost, no mixture, nothing embedded twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import CatalogUnreachable, StorageFailed
from ingest.store.postgres_locks import Held

STEPS_MET = (
    "recovered", "planned", "staging begun", "source staged", "facts about to be staged", "facts staged", "bases checked",
    "vectors kept", "texts embedded", "indexes applied", "generation moved", "head about to move", "head moving", "head moved",
    "generation forgotten", "signatures remembered",
)
CUT_TOO = ("planned", "source staged", "texts embedded", "head about to move")
AT_ONCE = ("facts about to be staged",)


class Proxy:
    """A way to the server on loopback that can be cut. `cut_at_commit`: at the next COMMIT, before or after the server has it."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._open: list[socket.socket] = []
        self.cut_at_commit = ""
        self.is_cut = False
        self._deaf: socket.socket | None = None
        self._answered = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.is_cut:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._target))
                self._open += [client, server]
                threading.Thread(target=self._pump, args=(client, server, True), daemon=True).start()
                threading.Thread(target=self._pump, args=(server, client, False), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, asks: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if asks and self.cut_at_commit and b"COMMIT" in data:
                    when, self.cut_at_commit = self.cut_at_commit, ""
                    if when == "after":
                        self._deaf = target
                        target.sendall(data)
                        assert self._answered.wait(30)  # so it is committed
                    self.cut()
                    self.is_cut = False
                    return
                if source is self._deaf:
                    self._answered.set()
                    return
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Drop every connection, and let nobody in until `is_cut` is false again."""
        self.is_cut = True
        ends, self._open = self._open, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self.cut()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@pytest.fixture
def proxy(postgres: Any) -> Iterator[Proxy]:
    made = Proxy(postgres.port)
    yield made
    made.close()


@pytest.fixture
def shown(base: Any, postgres: Any, new_schema: Callable[[], str], make_colours: Any, counted: Callable[[Any], None]) -> Any:
    """Colours whose catalog is on the server, as they are after a first run; every text that is embedded is counted."""
    base.parts.update(catalog=postgres.url(), catalog_schema=new_schema())
    base.set("generations", keep=1)
    colours = make_colours(base)
    counted(colours)
    colours.become(0)
    base.run()
    return colours


@pytest.fixture
def doing_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str, Callable[[], None]], None]:
    """Have something happen at a step of a base's runs, after which the run goes on."""

    def arm(base: Any, step: str, what: Callable[[], None]) -> None:
        base.set("debug", stop_at=step, stop_how="raise")
        monkeypatch.setattr("ingest.steps.Stop._stop", lambda self: what())

    return arm


def run_recovers(colours: Any, number: int) -> None:
    """The next run comes to its end, and what is served is whole, of one round and never embedded twice."""
    colours.base.parts.pop("debug", None)
    colours.become(number)
    colours.base.run()
    assert colours.shows() == number
    assert colours.wasted() == 0
    assert colours.base.verify() == []  # a deep one embeds again what it samples, and would be counted


def restarted(server: Any) -> Callable[[], None]:
    def call() -> None:
        server.kill()
        server.start()

    return call


@pytest.mark.parametrize("step", [pytest.param(step, marks=() if step in AT_ONCE else pytest.mark.slow) for step in STEPS_MET])
def test_server_killed_and_restarted_at_a_step_loses_nothing(shown: Any, postgres: Any, doing_at: Any, step: str) -> None:
    doing_at(shown.base, step, restarted(postgres))
    shown.become(1)
    failed: StorageFailed | None = None
    try:
        shown.base.run()
    except StorageFailed as error:
        failed = error
        assert error.retryable
    assert shown.shows() == (1 if shown.base.head() == 2 else 0)
    assert failed is None or "Quokka" not in str(failed)
    assert shown.base.head() == (2 if failed is None else shown.base.head())
    run_recovers(shown, 1)
    run_recovers(shown, 2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_server_killed_at_a_random_moment_loses_nothing(shown: Any, postgres: Any, seed: int) -> None:
    shown.become(1)
    timer = threading.Timer(random.Random(seed).uniform(0.0, 1.0), restarted(postgres))  # noqa: S311
    timer.start()
    with suppress(StorageFailed):
        shown.base.run()
    timer.join()
    assert shown.shows() in (0, 1)
    run_recovers(shown, 1)


@pytest.mark.parametrize("step", [
    "facts about to be staged",
    *(pytest.param(step, marks=pytest.mark.slow) for step in CUT_TOO),
])
def test_network_cut_at_a_step_ends_the_run_and_the_next_one_goes_on(
    shown: Any, proxy: Proxy, postgres: Any, doing_at: Any, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.store.catalog._LOOKS_S", (0.01, 0.01))
    shown.base.parts["catalog"] = postgres.url(port=proxy.port)
    doing_at(shown.base, step, proxy.cut)
    shown.become(1)
    with pytest.raises(StorageFailed) as raised:
        shown.base.run()
    assert raised.value.retryable
    proxy.is_cut = False
    assert shown.shows() == 0
    run_recovers(shown, 1)


@pytest.mark.parametrize("when", ["before", "after"])
def test_commit_that_was_not_acknowledged_is_looked_after(
    shown: Any, proxy: Proxy, postgres: Any, doing_at: Any, when: str
) -> None:
    """Cut at the COMMIT that moves the head: where the server had it, the run is one that published."""
    shown.base.parts["catalog"] = postgres.url(port=proxy.port)

    def arm() -> None:
        proxy.cut_at_commit = when

    doing_at(shown.base, "head moving", arm)
    shown.become(1)
    if when == "after":
        report = shown.base.run()
        assert report.published and report.generation == 2
        assert shown.shows() == 1
        assert not shown.base.run().published
    else:
        with pytest.raises(CatalogUnreachable):
            shown.base.run()
        assert shown.base.head() == 1 and shown.shows() == 0
    run_recovers(shown, 1)


def test_commit_that_nobody_can_tell_of_is_not_assumed(
    shown: Any, proxy: Proxy, postgres: Any, doing_at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.store.catalog._LOOKS_S", (0.01, 0.01))
    shown.base.parts["catalog"] = postgres.url(port=proxy.port)
    doing_at(shown.base, "head moving", proxy.cut)
    shown.become(1)
    with pytest.raises(CatalogUnreachable, match="not known"):
        shown.base.run()
    proxy.is_cut = False
    run_recovers(shown, 1)


# Two machines: what one of them holds of the folder is a copy, so that no file's lock is between them


def ingest(base: Any, *arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from ingest.cli.main import main; main()", *map(str, arguments)]
    own = {
        "INGEST_CATALOG": base.parts["catalog"], "INGEST_CATALOG_SCHEMA": base.parts["catalog_schema"],
        "INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline", "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    variables = {**os.environ, **own, **environment}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=base.folder, env=variables
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out + err


def stopped(base: Any, step: str) -> subprocess.Popen[str]:
    """Start a run, and return when it has stopped itself at a step."""
    process = ingest(base, "run", base.docs, "--kb", base.kb, INGEST_DEBUG__STOP_AT=step, INGEST_DEBUG__STOP_HOW="pause")
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
            return process
        time.sleep(0.02)
    raise AssertionError(ended(process))


def test_second_machine_is_refused_until_the_first_writer_is_dead(shown: Any) -> None:
    base = shown.base
    there = base.folder / "there"
    shutil.copytree(base.kb, there)
    shown.become(1)
    first = stopped(base, "facts staged")
    code, said = ended(ingest(base, "run", base.docs, "--kb", there))
    assert code == 7 and f"pid {first.pid} on" in said and "Quokka" not in said
    first.send_signal(signal.SIGKILL)
    first.wait()
    for pipe in (first.stdout, first.stderr):
        assert pipe is not None
        pipe.close()
    code, said = ended(ingest(base, "run", base.docs, "--kb", base.kb))
    assert code == 0, said
    assert shown.shows() == 1
    assert base.verify() == []


def end_sessions(postgres: Any, which: str) -> None:
    assert postgres.sql(f"select pg_terminate_backend(pid, 5000) from pg_stat_activity where {which}") != []


@pytest.mark.parametrize("step", [pytest.param("texts embedded", marks=pytest.mark.slow), "head moving"])
def test_writer_that_lost_its_lease_publishes_nothing(shown: Any, postgres: Any, step: str) -> None:
    """It is cut off from the server while it waits, another machine publishes, and then it goes on."""
    base = shown.base
    there = base.folder / "there"
    shutil.copytree(base.kb, there)
    shown.become(1)
    first = stopped(base, step)
    end_sessions(postgres, f"application_name like 'pid {first.pid} on%'")
    if step == "head moving":  # its transaction holds the token: the other machine's run waits for that, and is then the second
        end_sessions(postgres, "state = 'idle in transaction'")
    shown.become(2)
    code, said = ended(ingest(base, "run", base.docs, "--kb", there))
    assert code == 0, said
    with base.catalog() as catalog:
        published = catalog.published(2)
    first.send_signal(signal.SIGCONT)
    code, said = ended(first)
    assert code in (1, 6) and "run again" in said
    with base.catalog() as catalog:
        assert catalog.head() == 2 and catalog.published(2) == published


def test_server_that_is_down_is_told_with_its_own_exit_code(shown: Any, postgres: Any) -> None:
    base = shown.base
    postgres.kill()
    try:
        for command in (("search", "COLOUR"), ("run", base.docs), ("verify",), ("snapshots", "list")):
            code, said = ended(ingest(base, *command, "--kb", base.kb))
            assert code == 6, (command, said)
            assert "cannot be reached" in said and "run again" in said and "Quokka" not in said and "Traceback" not in said
        code, said = ended(ingest(base, "check", "--kb", base.kb))
        assert code not in (0, 3) and "cannot be reached" in said
        code, said = ended(ingest(base, "doctor", "--kb", base.kb))
        assert "cannot be reached" in said and "Quokka" not in said and "docs/postgres.md" in said
    finally:
        postgres.start()
    assert shown.shows() == 0


def test_server_of_answers_goes_on_after_its_database_was_restarted(shown: Any, postgres: Any) -> None:
    """What rests in its pools is dead by then, and its generation is pinned anew."""
    from flows.answering import answer
    from flows.opening import reading
    from indexes.query.request import Request

    assert answer(shown.base.settings, Request("COLOUR", mode="bm25"), None).evidence
    with reading(shown.base.settings) as snapshot:
        restarted(postgres)()
        assert snapshot.catalog.head() == 1
        assert not snapshot.is_pinned()
    with reading(shown.base.settings) as snapshot:
        assert snapshot.is_pinned()


def test_lock_of_a_dead_server_is_given_up_without_a_word(postgres: Any, new_schema: Callable[[], str]) -> None:
    from ingest.store.layout import Server

    held = Held(Server(postgres.url(), new_schema()), "reads")
    assert held.is_alive()
    restarted(postgres)()
    held.release()
    assert not held.is_alive()
