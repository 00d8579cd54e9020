"""The labelled sets, as they are read: pairs of names or records with what is true of them."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

DATA = Path(os.environ.get("CONCORD_DATA") or Path(__file__).parents[3] / "shared" / "data") / "er"

TYPES = {"org": "organization", "software": "product", "error_code": "other", "identifier": "document"}
"""Types of hard_pairs.csv that are called otherwise here."""

_SIBLINGS = re.compile(r"vintage|series|SPV|Roman")
"""Notes of name_bench at pairs that differ in a number only and are labelled a match: other funds, relabelled as different."""


class Pair(NamedTuple):
    """`truth`: whether the two are one; of hard pairs the expected outcome."""

    left: str
    right: str
    truth: bool


class Hard(NamedTuple):
    left: str
    right: str
    type: str
    other_type: str
    expected: str


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def hard_pairs() -> list[Hard]:
    found = []
    for row in rows("hard_pairs.csv"):
        type, _, other = row["type"].partition("|")
        found.append(Hard(row["left"], row["right"], TYPES.get(type, type), TYPES.get(other, other or TYPES.get(type, type)),
                          row["expected"]))
    return found


def name_bench() -> list[Pair]:
    """Pairs of organisations; siblings that differ in a number are different."""
    return [
        Pair(row["name1"], row["name2"], row["is_match"] == "true" and not _SIBLINGS.search(row["notes"]))
        for row in rows("nomenklatura_name_bench_cases.csv") if row["schema"] in ("Organization", "Company", "LegalEntity")
    ]


def short_and_full(name: str) -> list[tuple[str, str]]:
    """(short, full) of Chinese firms."""
    if name == "zh_short_full_pairs.csv":
        return [(row["short"], row["full"]) for row in rows(name) if row["same"] == "1"]
    return [(row["short_zh"], row["full_zh"]) for row in rows(name)]


def renames() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(changes of brackets only, real changes) of firms' names."""
    changes = [(row["full_a"], row["full_b"]) for row in rows("zh_org_renames.csv")]
    brackets = [pair for pair in changes if _bare(pair[0]) == _bare(pair[1])]
    return brackets, [pair for pair in changes if pair not in brackets]


def _bare(name: str) -> str:
    return re.sub(r"[()（）]", "", name)


def records(name: str) -> Iterator[Pair]:
    """Titles of product records."""
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        left, right, label = line.split("\t")
        yield Pair(_title(left), _title(right), label.strip() == "1")


def _title(record: str) -> str:
    fields = (part.partition(" VAL ") for part in record.split("COL ")[1:])
    return next(value.strip() for name, _, value in fields if name.strip() == "title")
