"""Run `ingest` again and again, each time in a process that something is done to, without paying for a start each time.

Everything is imported once here; a request, one line of JSON on stdin, forks a process that runs the command line with the
arguments, and what became of it is a line of JSON on stdout. Keys of a request:

    arguments   of `ingest`                      environment  variables besides those there are
    output      file for what it prints          embedded     file: append how many texts each call embeds
    most        bytes that a file may have       unflushed    true: builds are not synced, because no power is cut
    watch       folder below which calls are counted, with `fail` {number, errno, on}: the call of this number fails, and with
                `on` all that need room after it; `cuts` folder: keep there what a power cut could leave at each call
    kill_after  seconds after which it is killed
    umask       of its files

Reply: {"code": exit code or minus the signal, "calls": [[what, path], ...]}. A list of requests is done at once, and its reply
is a list of such.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from powercut import Disk
from syscalls import GROWING, Call, Watch, watched

IMPORTED = (
    "flows.changes", "flows.checking", "flows.commit", "flows.gather", "flows.history", "flows.pipeline", "flows.repair",
    "indexes.bm25.reader", "indexes.bm25.writer", "indexes.graph.reader", "indexes.graph.writer", "indexes.vector.reader",
    "indexes.vector.writer", "ingest.chunk.structure", "ingest.cli.main", "ingest.cli.progress", "ingest.embed.hash",
    "ingest.parse.markdown", "ingest.parse.office.word", "ingest.parse.text",
)


def main() -> None:
    imported()
    for line in sys.stdin:
        asked = json.loads(line)
        reply = [{"code": code} for code in together(asked)] if isinstance(asked, list) else done(asked)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


def imported() -> None:
    """Import what a run imports. Nothing may start a thread: a forked process has only the one that forked."""
    for name in IMPORTED:
        importlib.import_module(name)
    from ingest.parse.isolate import parse_guarded
    from ingest.settings import ParsePart

    parse_guarded(b"# Warm\n\nText.\n", "warm.md", ParsePart())
    assert threading.active_count() == 1
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a library started a thread"


def forked(asked: dict[str, Any]) -> tuple[int, socket.socket]:
    """Start a process that does what is asked; return its id and the socket over which it hands over who watches it."""
    near, far = socket.socketpair()
    child = os.fork()
    if child == 0:
        near.close()
        code = 1
        try:
            code = victim(asked, far)
        finally:
            os._exit(code)
    far.close()
    return child, near


def together(asked: list[dict[str, Any]]) -> list[int]:
    """Do several things at once and return their exit codes."""
    started = [forked(each) for each in asked]
    codes = []
    for child, near in started:
        _, status = os.waitpid(child, 0)
        near.close()
        codes.append(os.waitstatus_to_exitcode(status))
    return codes


def done(asked: dict[str, Any]) -> dict[str, Any]:
    """Do what one line asks and return the reply."""
    child, near = forked(asked)
    timer = threading.Timer(asked["kill_after"], os.kill, (child, signal.SIGKILL)) if "kill_after" in asked else None
    if timer is not None:
        timer.start()
    calls: list[tuple[str, str]] = []
    if "watch" in asked:
        disk = Disk(Path(asked["watch"]), Path(asked["cuts"])) if "cuts" in asked else None
        failing = Failing(asked.get("fail"), calls, disk)
        Watch(Path(asked["watch"]), failing.decide).until_the_end(near)
        if disk is not None:
            disk.close()
    _, status = os.waitpid(child, 0)
    near.close()
    if timer is not None:
        timer.cancel()
        timer.join()
    return {"code": os.waitstatus_to_exitcode(status), "calls": calls}


class Failing:
    """Decides which calls fail, and keeps all of them."""

    def __init__(self, fail: dict[str, int] | None, calls: list[tuple[str, str]], disk: Disk | None) -> None:
        self._fail, self._calls, self._disk = fail, calls, disk

    def decide(self, call: Call) -> int:
        self._calls.append((call.what, call.path))
        if self._disk is not None:
            self._disk.before(call)
        if self._fail is None:
            return 0
        hit = call.number == self._fail["number"]
        later = self._fail.get("on") and call.number > self._fail["number"] and call.what in GROWING
        return self._fail["errno"] if hit or later else 0


def victim(asked: dict[str, Any], hand_over: socket.socket) -> int:
    """In the forked process: run the command line and return its exit code."""
    from ingest.cli.main import main as ingest
    from ingest.embed.hash import Hash

    output = os.open(asked["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.update(asked.get("environment", {}))
    if "embedded" in asked:
        counting(Hash, Path(asked["embedded"]))
    if asked.get("unflushed"):
        import indexes.generation.seal

        indexes.generation.seal.flush_path = lambda path: None
    os.umask(asked.get("umask", 0o022))
    if "most" in asked:
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked["most"], asked["most"]))
    if "watch" in asked:
        watched(hand_over)
    hand_over.close()
    sys.argv = ["ingest", *asked["arguments"]]
    try:
        ingest()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        return 70
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def counting(engine: Any, log: Path) -> None:
    """Have every call of the embedder append a line with the number of its texts, before it works."""
    passages = engine.passages

    def counted(self: Any, texts: Any) -> Any:
        with log.open("a") as file:
            file.write(f"{len(texts)}\n")
        return passages(self, texts)

    engine.passages = counted


if __name__ == "__main__":
    main()
