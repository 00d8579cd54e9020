"""JSON Lines and JSON documents as a reader would lay them out: tables of flat records, a block for each other record.

Records that follow one another and are flat and short share a table, a hundred rows a block. Any other record is one block of
`key.path: value` lines, or a question with its answer where its keys say so. The keys of a JSON object become headings over what
they hold. Numbers stay as they are written, nulls and empty values say nothing, and base64 is taken out and told. A line that is
no JSON is an omission with its number; a JSON document that is none is read as plain text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.model.document import Block, Document, Omission, Provenance, Table, table_text
from ingest.parse.draft import Draft
from ingest.parse.encoded import without_encoded
from ingest.parse.fingerprint import stamp
from ingest.parse.reading import read
from ingest.settings import ParsePart

BLOCK_ROWS = 100
MOST_COLUMNS = 40
LEAST_FILLED = 0.5
"""Of a table of records; records that share fewer keys are no table."""
LONGEST_CELL = 300
"""A record with a longer text reads better alone."""
MOST_DEPTH = 60
"""What lies deeper is left as it is written."""
MOST_HEADING = 80
TOLD_LINES = 50
"""Broken lines that are told one by one; the others are counted."""

_QUESTION = frozenset({"question", "q", "query", "问题", "問題", "问", "問", "提问"})
_ANSWER = frozenset({"answer", "a", "response", "答案", "回答", "答", "解答"})

def version(settings: ParsePart) -> str:
    return stamp("json", 1)


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Parse JSON or JSON Lines; raises DocumentUnsupported for bytes that are no text."""
    reading = read(data, name)
    text, encoded = without_encoded(reading.text.lstrip("\ufeff"))
    layout = _Layout(name)
    if media_type.endswith("json"):
        try:
            values = list(_values(text))
        except (ValueError, RecursionError):
            from ingest.parse import text as plain

            return plain.parse(data, name, settings, media_type)
        if len(values) == 1:
            layout.document(values[0])
        else:
            layout.records((value, Provenance(locator=f"record {number}")) for number, value in enumerate(values, start=1))
    else:
        layout.records(_lines(text, layout))
    layout.end()
    blocks, links = layout.draft.finish()
    omissions = (*reading.omissions, *encoded, *layout.omissions())
    return Document(media_type, "", layout.title, blocks, links, omissions)


def loads(text: str) -> Any:
    """JSON with its numbers as they are written. Raises ValueError, and RecursionError for what nests by the thousand."""
    return json.loads(text, strict=False, parse_float=str, parse_int=str, parse_constant=str)


def _values(text: str) -> Iterator[Any]:
    """The value of a document, or the values of one that has several in a row."""
    decoder = json.JSONDecoder(strict=False, parse_float=str, parse_int=str, parse_constant=str)
    at, end = 0, len(text)
    while True:
        while at < end and text[at].isspace():
            at += 1
        if at >= end:
            return
        value, at = decoder.raw_decode(text, at)
        yield value


def _lines(text: str, layout: _Layout) -> Iterator[tuple[Any, Provenance]]:
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip().lstrip("\x1e")
        if not stripped:
            continue
        try:
            yield loads(stripped), Provenance(lines=(number, number), locator=f"line {number}")
        except (ValueError, RecursionError):
            layout.broken(number, stripped)


@dataclass(slots=True)
class _Layout:
    """Values on their way into blocks."""

    name: str
    draft: Draft = field(default_factory=Draft)
    title: str | None = None
    _held: list[tuple[dict[str, str], Provenance]] = field(default_factory=list)
    """Flat records that may share a table."""
    _keys: dict[str, None] = field(default_factory=dict)
    _filled: int = 0
    _broken: list[Omission] = field(default_factory=list)
    _more_broken: int = 0

    def broken(self, number: int, line: str) -> None:
        if len(self._broken) < TOLD_LINES:
            self._broken.append(Omission("invalid_line", 1, f"line {number}", line[:120]))
        else:
            self._more_broken += 1

    def omissions(self) -> list[Omission]:
        more = [Omission("invalid_line", self._more_broken, "further lines")] if self._more_broken else []
        return [*self._broken, *more]

    # -- records --------------------------------------------------------------------------------------------------------

    def records(self, records: Iterator[tuple[Any, Provenance]]) -> None:
        """Lay out values that follow one another."""
        for value, where in records:
            flat = _flat(value)
            if flat is None:
                self.end()
                self._record(value, where)
            else:
                self._hold(flat, where)

    def _hold(self, flat: dict[str, str], where: Provenance) -> None:
        keys = {**self._keys, **dict.fromkeys(flat)}
        filled = self._filled + len(flat)
        if self._held and (len(keys) > MOST_COLUMNS or filled < LEAST_FILLED * len(keys) * (len(self._held) + 1)):
            self.end()
            keys, filled = dict.fromkeys(flat), len(flat)
        self._held.append((flat, where))
        self._keys, self._filled = keys, filled
        if len(self._held) >= BLOCK_ROWS:
            self.end()

    def end(self) -> None:
        """Write the records that were held, as a table where they are several."""
        held, keys = self._held, list(self._keys)
        self._held, self._keys, self._filled = [], {}, 0
        if len(held) < 2 or len(keys) < 2:
            for flat, where in held:
                self._record(flat, where)
            return
        rows = [tuple(flat.get(key, "") for key in keys) for flat, _ in held]
        table = Table((tuple(keys), *rows), 1)
        self.draft.add(Block("table", table_text(table), provenance=_spanning(held[0][1], held[-1][1]), table=table))

    def _record(self, value: Any, where: Provenance) -> None:
        """One value as one block."""
        pairs = list(_pairs(value))
        asked = next((text for path, text in pairs if path.casefold() in _QUESTION), None)
        replied = next((text for path, text in pairs if path.casefold() in _ANSWER), None)
        if asked and replied:
            others = [f"{path}: {text}" for path, text in pairs if path.casefold() not in _QUESTION | _ANSWER]
            text = "\n".join([" ".join(asked.split()), replied.strip(), *others])
            self.draft.add(Block("faq", text, provenance=where))
            return
        text = "\n".join(f"{path}: {text}" if path else text for path, text in pairs)
        self.draft.add(Block("paragraph", text, provenance=where))

    # -- documents ------------------------------------------------------------------------------------------------------

    def document(self, value: Any) -> None:
        """Lay out the one value of a JSON document."""
        if isinstance(value, list):
            self._array(value, "")
        elif isinstance(value, dict):
            told = value.get("title") or value.get("name")
            self.title = " ".join(_scalar(told).split())[:200] if isinstance(told, str) else None
            self._object(value, "", 1)
        else:
            self._record(value, Provenance(locator="$"))

    def _object(self, value: dict[str, Any], path: str, level: int) -> None:
        """The scalars of an object in one block, then a heading for each key that holds more."""
        plain = {key: item for key, item in value.items() if not _is_nested(item) or level >= 6}
        self._record(plain, Provenance(locator=path or "$"))
        for key, item in value.items():
            if key in plain:
                continue
            below = f"{path}.{_scalar(key)}" if path else _scalar(key)
            since = len(self.draft.blocks)
            named = " ".join(_scalar(key).split())[:MOST_HEADING]
            self.draft.add(Block("heading", named, level, provenance=Provenance(locator=below), evidence="key"))
            held = len(self.draft.blocks)
            if isinstance(item, list):
                self._array(item, below)
            elif (records := _keyed(item)) is not None:
                self.records((record, Provenance(locator=f"{below}.{_scalar(one)}")) for one, record in records)
                self.end()
            else:
                self._object(item, below, level + 1)
            if len(self.draft.blocks) == held:
                del self.draft.blocks[since:]

    def _array(self, items: list[Any], path: str) -> None:
        if any(isinstance(item, dict | list) for item in items):
            self.records((item, Provenance(locator=f"{path}[{at}]")) for at, item in enumerate(items))
            self.end()
        else:
            words = [" ".join(_scalar(item).split()) for item in items]
            lines = "\n".join(f"- {word}" for word in words if word)
            self.draft.add(Block("list", lines, provenance=Provenance(locator=path or "$")))


def _spanning(first: Provenance, last: Provenance) -> Provenance:
    lines = (first.lines[0], last.lines[1]) if first.lines and last.lines else None
    return Provenance(lines=lines, locator=f"{first.locator} to {last.locator}")


def _keyed(value: dict[str, Any]) -> list[tuple[str, dict[str, Any]]] | None:
    """The flat records of an object that is a map of them, each with its key in front; None for any other object."""
    if len(value) < 3 or any(not isinstance(item, dict) or "key" in item or _flat(item) is None for item in value.values()):
        return None
    return [(key, {"key": key, **item}) for key, item in value.items()]


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _flat(value: Any) -> dict[str, str] | None:
    """A record as cells, or None where it holds more than short texts."""
    if not isinstance(value, dict) or len(value) > MOST_COLUMNS:
        return None
    cells: dict[str, str] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            return None
        if isinstance(item, list):
            if len(item) > 20 or any(isinstance(one, dict | list) for one in item):
                return None
            text = "; ".join(filter(None, map(_scalar, item)))
        else:
            text = _scalar(item)
        if len(text) > LONGEST_CELL or "\n" in text.strip():
            return None
        cells[_scalar(key)] = text.strip()
    names = {key.casefold() for key in cells}
    return None if names & _QUESTION and names & _ANSWER else cells


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    """(key path, text) of everything a value says, in order; by a stack of its own, since values may nest deeper than Python."""
    stack: list[tuple[str, Any, int]] = [("", value, 0)]
    while stack:
        path, item, depth = stack.pop()
        if isinstance(item, dict | list) and depth >= MOST_DEPTH:
            yield path, _scalar(json.dumps(item, ensure_ascii=False))
        elif isinstance(item, dict):
            named = [(_scalar(key), one) for key, one in item.items()]
            stack += [(f"{path}.{key}" if path else key, one, depth + 1) for key, one in reversed(named)]
        elif isinstance(item, list):
            if item and not any(isinstance(one, dict | list) for one in item):
                text = "; ".join(filter(None, (_scalar(one).strip() for one in item)))
                if text:
                    yield path, text
                continue
            stack += [(f"{path}[{at}]", item[at], depth + 1) for at in range(len(item) - 1, -1, -1)]
        elif text := _scalar(item).strip():
            yield path, text


def _scalar(value: Any) -> str:
    """A value as it is written. Lone halves of surrogate pairs, which JSON can spell, are no text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")

