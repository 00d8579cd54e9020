"""A worker whose reader of pages does to a page what the page says: workers import it by name, hence a module."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from flows import work
from flows.work import Job, Worked
from ingest.parse import pdf
from ingest.parse.pdf import pages
from ingest.parse.pdf.page import Page
from ingest.parse.pdf.sheets import Sheets
from ingest.settings import Settings

_sift = pages.sift


def worker(settings: Settings, *, limited: bool, slow: bool = False) -> Callable[[Job], Worked]:
    """Stands in for `flows.work.worker`."""
    pages.sift = _hostile
    if later := os.environ.get("HOSTILE_VERSION"):
        pdf.version = lambda settings: later
    return work.worker(settings, limited=limited, slow=slow)


def _hostile(page: Page, sheets: Sheets) -> None:
    text = " ".join(item.text for side in page.sides.values() for item in side.items)
    if "ONCE" in text and not (mark := Path(os.environ["HOSTILE_MARK"])).exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if "SEGFAULT" in text:
        ctypes.string_at(0)
    if "EXIT" in text:
        os._exit(3)
    if "ENDLESS" in text:
        time.sleep(600)
    if "SPIN" in text:
        while True:
            pass
    if "BOMB" in text:
        bytearray(2**45)
    if "STUMBLE" in text:
        raise ZeroDivisionError("by nought")
    _sift(page, sheets)
