"""Prints the tables of docs/quality.md; see the package's docstring for how to call it."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

from benchmarks.ingest_peers import build_peers
from benchmarks.measure import table
from benchmarks.tampering import haiku, peers
from benchmarks.tampering.concord import Tampering, tamperings
from benchmarks.tampering.looking import ENVIRONMENT, Seen, look_at_all, make
from benchmarks.tampering.verdict import detected, meanwhile, repaired, whole

LEVELS = ("default", "deep")
NO_NOTION = "-"

Column = dict[str, str]
"""Subject of a tampering -> what somebody saw of it."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="concord,haiku,cocoindex,llamaindex")
    parser.add_argument("--name", default="", help="only tamperings whose names contain this")
    parser.add_argument("--json", type=Path, help="write all that was seen to this file")
    options = parser.parse_args()
    wanted = options.only.split(",")
    columns = {name: column() for key, (name, column) in PEERS.items() if key in wanted}
    listed, seen = ours(options.name) if "concord" in wanted else ([], [])
    print(summary(listed, seen, columns))
    if seen:
        print(f"\n{details(listed, seen)}")
    if options.json:
        told = {"concord": [asdict(one) for one in seen], "peers": columns}
        options.json.write_text(json.dumps(told, ensure_ascii=False, indent=1))


def ours(name: str) -> tuple[list[Tampering], list[Seen]]:
    """Make the base, tamper with copies of it and look."""
    import os

    os.environ.update(ENVIRONMENT)
    with tempfile.TemporaryDirectory(prefix="concord-bench-") as folder:
        home = Path(folder)
        make(home)
        listed = tamperings(home / "backups")
        numbers = [number for number, one in enumerate(listed) if name in one.name]
        return [listed[number] for number in numbers], look_at_all(home, numbers, LEVELS)


def _haiku() -> Column:
    return haiku.tamper_with() if haiku.build() else {}


def _peer(name: str) -> Callable[[], Column]:
    def column() -> Column:
        build_peers()
        return peers.tamper_with(name)

    return column


PEERS: dict[str, tuple[str, Callable[[], Column]]] = {
    "haiku": (haiku.NAME, _haiku),
    "cocoindex": (peers.COCOINDEX, _peer(peers.COCOINDEX)),
    "llamaindex": (peers.LLAMAINDEX, _peer(peers.LLAMAINDEX)),
}


def summary(listed: Sequence[Tampering], seen: Sequence[Seen], columns: dict[str, Column]) -> str:
    """One row a subject: how many ways, at which level they were detected, how many were repaired, and what others see of it."""
    groups: dict[str, list[Seen]] = {}
    for one, found in zip(listed, seen, strict=True):
        groups.setdefault(one.subject, []).append(found)
    others = (subject.partition(": ")[0] for column in columns.values() for subject in column)
    rows = []
    for subject in dict.fromkeys([*groups, *others]):
        rows.append([subject, *_ours(groups.get(subject, [])), *(_theirs(column, subject) for column in columns.values())])
    return table(["tampering", "ways", "detected by", "repaired", *columns], rows)


def _ours(group: list[Seen]) -> list[str]:
    if not group:
        return [NO_NOTION] * 3
    levels = [detected(one, LEVELS) or "not seen" for one in group]
    counted = ", ".join(f"{level} {len(list(same))}" for level, same in groupby(sorted(levels, key=[*LEVELS, "not seen"].index)))
    return [str(len(group)), counted, f"{sum(whole(one) for one in group)} of {len(group)}"]


def _theirs(column: Column, subject: str) -> str:
    if not column:
        return "not run here"
    said = [(name.partition(": ")[2], what) for name, what in column.items() if name.partition(": ")[0] == subject]
    return "; ".join(f"{what} ({way})" if way else what for way, what in said) or NO_NOTION


def details(listed: Sequence[Tampering], seen: Sequence[Seen]) -> str:
    """One row a tampering of ours, done plainly and carefully."""
    pairs: dict[tuple[str, str], dict[bool, Seen]] = {}
    for one, found in zip(listed, seen, strict=True):
        pairs.setdefault((one.subject, one.where), {})[one.careful] = found
    rows = [
        [subject, where, _found(ways.get(False)), _found(ways.get(True)), _both(ways, meanwhile), _both(ways, repaired)]
        for (subject, where), ways in pairs.items()
    ]
    return table(["tampering", "where", "found by, as", "careful: found by, as", "answers meanwhile", "after repair"], rows)


def _found(seen: Seen | None) -> str:
    if seen is None:
        return ""
    level = detected(seen, LEVELS)
    if not level:
        return f"not seen; `check` says {seen.check}" if seen.check != "fresh" else "**not seen**"
    return f"{level}: {', '.join(seen.kinds(level)) or seen.errors[level]}"


def _both(ways: dict[bool, Seen], said: Callable[[Seen], str]) -> str:
    """What holds of both ways, or of the plain and the careful one."""
    return "; ".join(dict.fromkeys(said(ways[careful]) for careful in sorted(ways)))


if __name__ == "__main__":
    main()
