"""Ingest a folder, note in a file how many texts each call embedded before they are embedded, and tell when it has begun.

    python ingest_counting.py DOCS KB LOG [STEP]      STEP: die by SIGKILL at that step (see STEPS)
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows.pipeline import Options, run
from ingest.embed.hash import Hash
from ingest.progress import Silent
from ingest.settings import load

STEPS: dict[str, tuple[str, str, int, str]] = {
    # step -> (module, function or Class.method, at which call, before or after it)
    "while the catalog is made": ("ingest.store.catalog", "Catalog.set_meta", 1, "before"),
    "after the lease": ("flows.pipeline", "refuse_if_held", 1, "before"),
    "before planning": ("flows.pipeline", "survey", 1, "before"),
    "after planning": ("flows.pipeline", "survey", 1, "after"),
    "while parsing": ("flows.work", "_chunked", 2, "before"),
    "before the cache keeps chunks": ("flows.gather", "Gathering._store", 1, "before"),
    "before staging": ("ingest.store.catalog", "Catalog.staging", 1, "before"),
    "while staging": ("ingest.store.catalog", "Stage.replace", 5, "before"),
    "before staging commits": ("ingest.store.catalog", "Stage.flush", 1, "after"),
    "before embedding": ("flows.commit", "embed_missing", 1, "before"),
    "while a batch is embedded": ("ingest.embed.hash", "Hash.passages", 2, "after"),
    "after embedding": ("flows.commit", "embed_missing", 1, "after"),
    "while the vector index is written": ("indexes.generation.apply", "write_stamp", 1, "before"),
    "after the first index": ("indexes.generation.apply", "_write", 1, "after"),
    "after the second index": ("indexes.generation.apply", "_write", 2, "after"),
    "before proving": ("flows.commit", "prove", 1, "before"),
    "after proving": ("flows.commit", "prove", 1, "after"),
    "one build in place": ("indexes.generation.publish", "move", 1, "after"),
    "all builds in place": ("indexes.generation.publish", "move", 3, "after"),
    "generation in place, head not moved": ("indexes.generation.publish", "move", 4, "after"),
    "before the head moves": ("ingest.store.catalog", "Catalog.publish", 1, "before"),
    "after the head has moved": ("ingest.store.catalog", "Catalog.publish", 1, "after"),
    "before signatures are remembered": ("flows.pipeline", "remember", 1, "before"),
    "before pruning": ("indexes.generation.prune", "prune", 1, "before"),
    "after one generation is forgotten": ("ingest.store.catalog", "Catalog.forget", 1, "after"),
}
PUBLISHED = frozenset({
    "after the head has moved", "before signatures are remembered", "before pruning", "after one generation is forgotten",
})
"""Steps after the commit point: what was staged is the head."""


def main() -> None:
    docs, kb, log = sys.argv[1:4]
    counting(Path(log))
    if len(sys.argv) > 4:
        deadly(*STEPS[sys.argv[4]])
    print("begun", flush=True)
    run(load(None, {"kb": kb}), Options((Path(docs),)), Silent())


def counting(log: Path) -> None:
    """Have every call of the embedder append a line with the number of its texts, before it works."""
    passages = Hash.passages

    def counted(self: Hash, texts: Any) -> Any:
        with log.open("a") as file:
            file.write(f"{len(texts)}\n")
        return passages(self, texts)

    Hash.passages = counted  # type: ignore[method-assign]


def deadly(module: str, name: str, call: int, when: str) -> None:
    """Have this process killed at the `call`-th call of a function."""
    owner: Any = importlib.import_module(module)
    *outer, attribute = name.split(".")
    for part in outer:
        owner = getattr(owner, part)
    original: Callable[..., Any] = getattr(owner, attribute)
    calls = 0

    def wrapped(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        made = original(*arguments, **options)
        if calls == call:
            os.kill(os.getpid(), signal.SIGKILL)
        return made

    setattr(owner, attribute, wrapped)


if __name__ == "__main__":
    main()
