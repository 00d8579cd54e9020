"""Which kind of file reviewed material comes in, and its entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from entities.relations import Vocabulary
from entities.seeds.entry import SeedEntry, SeedProblem
from ingest.errors import UsageError
from ingest.model.decoding import decode

FORMATS = {".yaml": "yaml", ".yml": "yaml", ".csv": "csv", ".tsv": "csv", ".json": "jsonld", ".jsonld": "jsonld"}
_MOST_BYTES = 2 * 2**30


def entries(file: Path, vocabulary: Vocabulary) -> Iterator[SeedEntry | SeedProblem]:
    """Yield what a file says, whatever is wrong with it included. Raises UsageError for a file that cannot be opened or has no
    known ending."""
    kind = FORMATS.get(file.suffix.lower())
    if kind is None:
        raise UsageError(f"{file} is none of {', '.join(sorted(FORMATS))}; save it as one of these")
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{file} is larger than 2 GiB; split it")
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}; check the path and its permissions") from error
    yield from _of(kind, data, file.name, vocabulary)


def _of(kind: str, data: bytes, name: str, vocabulary: Vocabulary) -> Iterator[SeedEntry | SeedProblem]:
    if kind == "jsonld":
        yield from _jsonld(data, name, vocabulary)
        return
    from entities.seeds import csv_file, yaml_file

    try:
        text = decode(data).text
    except ValueError as error:
        yield SeedProblem(name, f"it is no text that can be decoded ({error})", "save it as UTF-8")
        return
    if kind == "csv":
        yield from csv_file.entries(text, name)
    else:
        yield from yaml_file.entries(text, name)


def _jsonld(data: bytes, name: str, vocabulary: Vocabulary) -> Iterator[SeedEntry | SeedProblem]:
    from entities.jsonld import read

    try:
        document = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        yield SeedProblem(f"{name} line {error.lineno}", f"it is not valid JSON: {error.msg}", "check the file at that line")
        return
    yield from read.entries(document, name, vocabulary)
