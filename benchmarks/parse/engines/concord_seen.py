"""Concord's parsed documents as JSON: the texts of all layers, what was left out and where, and the rows of each table."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.parse.engines.turn import turn_each
from ingest.parse.isolate import parse_guarded
from ingest.settings import load

SETTINGS = load().parse


def convert(file: Path) -> str:
    document = parse_guarded(file.read_bytes(), file.name, SETTINGS)
    seen = {
        "text": document.text, "beside": [block.text for block in document.blocks if block.layer != "body"],
        "omissions": [asdict(one) for one in document.omissions],
        "tables": [[list(row) for row in block.table.rows] for block in document.blocks if block.table is not None],
    }
    return json.dumps(seen, ensure_ascii=False)


if __name__ == "__main__":
    turn_each(convert)
