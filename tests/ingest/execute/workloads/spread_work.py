"""Factories that the tests of `ingest.execute` hand to worker processes. Workers import them by name, hence a module."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ingest.errors import DocumentCorrupt, ExtraMissing, ModelUnavailable
from ingest.worker import notes


def doubling() -> Callable[[int], int]:
    return lambda number: number * 2


def identity() -> Callable[[object], object]:
    return lambda value: value


def process_ids() -> Callable[[int], tuple[int, int]]:
    """(process of the factory, process of the call)"""
    made_in = os.getpid()
    return lambda _: (made_in, os.getpid())


def counting_calls() -> Callable[[int], int]:
    calls: list[int] = []

    def call(item: int) -> int:
        calls.append(item)
        return len(calls)

    return call


def threaded() -> Callable[[int], int]:
    """A factory that leaves a thread behind, as native libraries do."""
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return lambda _: os.getpid()


def misbehaving() -> Callable[[str], str]:
    def call(what: str) -> str:
        match what:
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "segfault":
                ctypes.string_at(0)
            case "exit":
                os._exit(3)
            case "hang":
                time.sleep(600)
            case "memory":
                raise MemoryError
            case "foreign":
                raise ZeroDivisionError("by nought")
            case "corrupt":
                raise DocumentCorrupt("cut short", uri="handbook/a.pdf")
            case "extra":
                raise ExtraMissing("reading PDF files", "pymupdf")
            case "unpicklable":
                return (lambda: "")  # type: ignore[return-value]
            case "print":
                print("a library that talks")
                os.write(1, b"and one that writes to the descriptor\n")
        return what

    return call


def noting() -> Callable[[str], str]:
    """Notes how far it has come, then does what it is told."""
    do = misbehaving()

    def call(what: str) -> str:
        place = notes()
        assert place is not None and place.read_bytes() == b""
        with place.open("ab") as file:
            file.write("读到第 7 页".encode())
        return do(what)

    return call


def resting() -> Callable[[int], int]:
    def call(item: int) -> int:
        time.sleep(0.3)
        return item

    return call


def missing_model() -> Callable[[int], int]:
    raise ModelUnavailable("weights are missing; install them")


def dying_factory() -> Callable[[int], int]:
    os._exit(9)


def environment() -> Callable[[str], str]:
    return lambda name: os.environ.get(name, "")


def sleeping_and_telling(folder: str) -> Callable[[int], None]:
    """Writes its process id into `folder`, then sleeps."""

    def call(item: int) -> None:
        Path(folder, str(os.getpid())).touch()
        time.sleep(600)

    return call


def loaded_modules() -> Callable[[int], list[str]]:
    return lambda _: sorted(sys.modules)
