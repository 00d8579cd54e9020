"""The far side of `ingest.execute`: a process that takes items from a pipe, one at a time, and sends back what it made.

It is started by exec, so it inherits no thread, lock or module of the driver, and imports only what the work itself needs.
Messages are pickles over a private socket pair; nothing of them reaches a disk. The driver sends the factory once, then one
message an item; the worker answers each with a reply: a byte that says whether it takes more items, and a pickle of VALUE and
what was made, or of ERROR and an error taken apart. It ends when the pipe closes, and the kernel kills it when the driver's
thread that owns it is gone, however that ended. Here, too, is what drivers make and read such replies with.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ingest.errors import ConcordError, WorkFailed

_THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS")
SINGLE_THREADED = {**dict.fromkeys(_THREAD_LIMITS, "1"), "TOKENIZERS_PARALLELISM": "false"}
"""Environment of every worker: one thread each, because two pools of threads on the same cores wait for one another."""

START = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); import sys, json; sys.path[:] = json.loads(sys.argv[3]); " \
    "from ingest.worker import serve; serve(int(sys.argv[1]), sys.argv[2] == 'fresh', int(sys.argv[4]), int(sys.argv[5]))"
"""Program of a worker: the pipe's descriptor, `reused` or `fresh`, import path (JSON), the driver's pid, descriptor of notes."""

VALUE, ERROR, READY, BROKEN = "value", "error", "ready", "broken"

_PR_SET_PDEATHSIG = 1
_MORE, _LAST = b"+", b"."
_notes: Path | None = None
"""A file of this process that the driver holds open, too."""


def notes() -> Path | None:
    """Where work may note how far it has come, for whoever goes on when its process dies: WorkFailed has what was appended.

    Empty when an item begins; memory, not a file on a disk. None outside of a worker process, where nobody would read it."""
    return _notes


def serve(descriptor: int, fresh: bool, driver: int, notes: int) -> None:
    """Answer items until the pipe closes. `fresh`: each item in a process of its own, forked after the factory has run."""
    global _notes
    _die_with(driver)
    _notes = Path(f"/proc/self/fd/{notes}")
    pipe = Connection(descriptor)
    try:
        factory: Callable[[], Callable[[Any], Any]] = pickle.loads(pipe.recv_bytes())  # noqa: S301  # from our own driver
        work = factory()
    except EOFError:
        return
    except BaseException as error:
        pipe.send_bytes(_LAST + pickle.dumps((BROKEN, _described(error))))
        return
    pipe.send_bytes(ready())
    while True:
        try:
            message = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        if not fresh:
            pipe.send_bytes(_reply(work, message, True))
        elif _threads() == 1:
            _answer_in_fork(pipe, work, message)
        else:
            # Forking a threaded process may copy a held lock, so this process gives itself for the item and ends.
            pipe.send_bytes(_reply(work, message, False))
            return


def run(work: Callable[[Any], Any], item: Any) -> tuple[str, Any]:
    """Call `work` and return (VALUE, what it made) or (ERROR, a ConcordError)."""
    try:
        return VALUE, work(item)
    except Exception as error:
        return ERROR, translated(error)


def translated(error: BaseException) -> ConcordError:
    """Return `error` if it is one of ours, else a WorkFailed that says its type, its text and where it was raised."""
    if isinstance(error, ConcordError):
        return error
    where = traceback.extract_tb(error.__traceback__)
    place = f" (at {where[-1].filename.rpartition('/')[2]}:{where[-1].lineno})" if where else ""
    kind = "memory" if isinstance(error, MemoryError) else "exception"
    return WorkFailed(f"{type(error).__name__}: {error}{place}", kind=kind)


def ready() -> bytes:
    """Return the reply to a factory that has run."""
    return _MORE + pickle.dumps((READY, None))


def refusal(error: ConcordError, kind: str = ERROR) -> bytes:
    """Return the reply of a driver on behalf of a worker that cannot give one."""
    return _LAST + pickle.dumps((kind, _described(error)))


def goes_on(reply: bytes) -> bool:
    """Whether the worker that gave this reply takes more items."""
    return reply[:1] == _MORE


def loaded(reply: bytes) -> tuple[str, Any]:
    """Return the kind of a reply and what was made, or the error."""
    try:
        kind, made = pickle.loads(memoryview(reply)[1:])  # noqa: S301  # from our own worker
    except Exception as error:  # a value that pickles there and does not load here
        return ERROR, translated(error)
    return kind, _rebuilt(made) if kind in (ERROR, BROKEN) else made


def _rebuilt(described: tuple[type[ConcordError], tuple[Any, ...], dict[str, Any]]) -> ConcordError:
    """Return the error that `_described` took apart. Constructors are not called: theirs take other arguments."""
    cls, args, state = described
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error


def _described(error: BaseException) -> tuple[type[ConcordError], tuple[Any, ...], dict[str, Any]]:
    ours = translated(error)
    return type(ours), ours.args, dict(ours.__dict__)


def _reply(work: Callable[[Any], Any], message: bytes, more: bool) -> bytes:
    flag = _MORE if more else _LAST
    try:
        outcome, value = run(work, pickle.loads(message))  # noqa: S301  # from our own driver
        return flag + pickle.dumps((outcome, _described(value) if outcome == ERROR else value), protocol=5)
    except Exception as error:  # the item does not load here, or the value does not pickle
        return flag + pickle.dumps((ERROR, _described(error)), protocol=5)


def _answer_in_fork(pipe: Connection, work: Callable[[Any], Any], message: bytes) -> None:
    """Answer from a child that shares this process's memory until it writes. If it dies, so do we, in the same way."""
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _die_with(parent)
            pipe.send_bytes(_reply(work, message, True))
            sys.stderr.flush()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    if status:
        os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent is gone; leave at once if that has happened already."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)


def _threads() -> int:
    return Path("/proc/self/task").stat().st_nlink - 2  # one folder a thread
