"""A factory for embedding workers on which chosen texts are fatal. Workers import it by name, hence a module."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from ingest.embed.engine import Choice
from ingest.embed.hash import Hash
from ingest.settings import EmbedPart


def embedding(choice: Choice, settings: EmbedPart, models: Path) -> Callable[[list[str]], bytes]:
    """`poison` kills always; `once` kills the first time (a file in `models` remembers); `all` in `models` kills every call."""

    def call(texts: list[str]) -> bytes:
        first_time = "once" in texts and not (models / "met").exists()
        if first_time:
            (models / "met").touch()
        if first_time or "poison" in texts or (models / "all").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return Hash(choice.dimensions).passages(texts).tobytes()

    return call
