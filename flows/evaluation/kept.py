"""The figures of the last evaluation, kept with the knowledge base that they speak of (`eval.json`, docs/formats.md).

Figures alone: no query, no text and no name of a document, so that it tells nobody anything that he may not see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from flows.evaluation.summary import Group
from ingest.errors import StorageFailed
from ingest.store.layout import Layout

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """What a later command can say of the last evaluation."""

    generation: int
    at: str
    questions: int
    leaks: int
    passed: bool
    figures: dict[str, float]


def keep(
    layout: Layout, *, generation: int, snapshot: str, at: str, file: Path, groups: Sequence[Group], passed: bool
) -> None:
    """Write the figures. Raises StorageFailed."""
    said = {
        "format": FORMAT, "generation": generation, "snapshot": snapshot, "at": at,
        "questions_sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "passed": passed, "groups": groups,
    }
    part = layout.evaluation.with_name("eval.json.part")
    try:
        part.write_bytes(orjson.dumps(said, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        part.replace(layout.evaluation)
    except OSError as error:
        raise StorageFailed(f"the figures cannot be kept in {layout.evaluation}: {error.strerror or error}") from error


def kept(layout: Layout) -> Kept | None:
    """Return what is kept, None where there is nothing that can be read."""
    try:
        said: dict[str, Any] = orjson.loads(layout.evaluation.read_bytes())
        if said["format"] != FORMAT:
            return None
        whole = said["groups"][0]
        return Kept(
            int(said["generation"]), str(said["at"]), int(whole["questions"]), int(whole["leaks"]), bool(said["passed"]),
            {str(name): float(figure["value"]) for name, figure in whole["figures"].items()},
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
