"""An evidence pack as text on a terminal: what was found, by whom it is said, and what to be careful about."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.cli.output import safe, say, width
from ingest.model.evidence import Evidence, EvidencePack

_INDENT = "    "
_NARROW, _WIDE = 40, 120
"""Columns that text is broken into at least and at most: longer lines are hard to read, however wide the terminal."""


def show(pack: EvidencePack, explain: bool = False) -> None:
    """Print a pack. Long lines are broken, and marks set off, on a terminal only: what is piped stays as it was found."""
    for line in _head(pack):
        say(line)
    for item in pack.evidence:
        print(_bold(item.citation) + safe(_title(item)))
        for line in _item(item, explain):
            say(line)
        say()
    for conflict in pack.conflicts:
        where = f" [{', '.join(conflict.citations)}]" if conflict.citations else "".join(f" {each}" for each in conflict.sources)
        say(f"conflict: {conflict.message}{where}")
    if explain:
        confidence = "" if pack.confidence is None else f", confidence {pack.confidence:.2f}"
        say(f"generation {pack.generation}, snapshot {pack.snapshot}, as of {pack.as_of}{confidence}")
        for line in _trace(pack.trace):
            say(line)


def _head(pack: EvidencePack) -> Iterator[str]:
    asked = pack.clarification
    if asked is not None:
        yield f"to be asked first: {asked['question']}"
        for each in asked["candidates"]:
            yield f"  {each['name']}  ({each['type']}{', ' + each['told'] if each['told'] else ''})  {each['entity_id']}".rstrip()
        yield ""
    read = list(_read(pack))
    if read and pack.evidence:
        yield from read
        yield ""
    if pack.status != "ok" and pack.evidence:
        chance = "" if pack.confidence is None else f" (confidence {pack.confidence:.2f})"
        yield f"insufficient evidence{chance}: what was found does not seem to answer the question"
        yield ""
    elif pack.status != "ok" and asked is None:
        yield f"no evidence in generation {pack.generation} as of {pack.as_of} that this caller may see"


def _read(pack: EvidencePack) -> Iterator[str]:
    """What was read into the question that changes what is found: another time than now, and another code than the one written
    where that is not what is asked back."""
    plan = pack.trace.get("plan", {})
    if pack.clarification is None or pack.clarification["reason"] != "unknown_code":
        told = [each["text"].split(" -> ") for each in plan.get("fired", ()) if each["rule"] == "codes:slip"]
        yield from (f"no row has {written}; looked for {meant} too" for written, meant in told)
    held = [each["text"].split(" -> ")[0] for each in plan.get("fired", ()) if each["rule"] == "versions:held"]
    if plan.get("as_of"):
        yield f"as of {plan['as_of']}, " + (f"when version {held[0]} held" if held else "which the question names")
    elif plan.get("during"):
        yield f"what held at some time from {plan['during'][0]} to {plan['during'][1]}, which the question names"


def _trace(trace: Mapping[str, Any]) -> Iterator[str]:
    """How the answer came about: counts on one line, then each part on its own, what the plan says line by line."""
    counts = ", ".join(f"{name} {value}" for name, value in trace.items() if not isinstance(value, Mapping))
    yield from filter(None, (counts,))
    for name in ("milliseconds", "sufficiency"):
        if name in trace:
            yield f"{name}: {', '.join(f'{key} {value:g}' for key, value in trace[name].items() if value is not None)}"
    plan = trace.get("plan", {})
    for key, value in plan.items():
        if key != "fired":
            yield f"plan, {key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
    yield from (f"rule {each['rule']}: {each['text']}" for each in plan.get("fired", ()))


def _title(item: Evidence) -> str:
    window = f"  [{item.valid_from or '…'} to {item.valid_until or '…'}]" if item.valid_from or item.valid_until else ""
    version = f"  version {item.version}" if item.version else ""
    return f"  {item.title}  ({item.uri}){version}{window}"


def _item(item: Evidence, explain: bool) -> Iterator[str]:
    if item.heading_path:
        yield f"{_INDENT}{' > '.join(item.heading_path)}"
    for line in item.text.splitlines():
        for part in _broken(line):
            yield f"{_INDENT}{part}"
    if item.also_in:
        yield f"{_INDENT}also in {', '.join(copy.uri for copy in item.also_in)}"
    if item.flags:
        yield f"{_INDENT}careful: {', '.join(item.flags)}"
    if explain:
        scores = ", ".join(
            f"{name} {value:.4f}" for name in ("vector", "bm25", "graph", "sentence", "fused")
            if (value := getattr(item.scores, name)) is not None
        )
        yield f"{_INDENT}scores: {scores}"


def _broken(line: str) -> Iterator[str]:
    """A line in pieces that fit the terminal, broken at blanks where there are some, and between wide characters."""
    if not sys.stdout.isatty():
        yield line
        return
    most = min(_WIDE, max(_NARROW, shutil.get_terminal_size().columns)) - len(_INDENT)
    rest = line
    while width(rest) > most:
        taken, cut, columns = 0, 0, 0
        for taken, letter in enumerate(rest):
            columns += width(letter)
            if columns > most:
                break
            if letter == " " or width(letter) == 2:
                cut = taken + 1
        at = cut or taken
        yield rest[:at].rstrip()
        rest = rest[at:].lstrip()
    yield rest


def _bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text
