"""`ingest snapshots diff`: what is different between two generations, document by document."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.between.generations import Counts, Difference, Tally
    from flows.between.nouns import AssertionChange, ChunkChange, DocumentChange, EntityChange, Fields, ShapeChange
    from ingest.store.catalog import Published

_LINES = 200
"""Shown unless all are asked for: what somebody reads, and a terminal keeps."""
_HEADING_WIDTH = 44
_VALUE_WIDTH = 48
_MARKS = {"added": "+", "removed": "-"}


def command(
    before: Annotated[int | None, typer.Argument(metavar="[A]", help="a generation; default: the kept one before B")] = None,
    after: Annotated[int | None, typer.Argument(metavar="[B]", help="another one; default: the newest")] = None,
    full: Annotated[bool, typer.Option("--full", help=f"every line, not only the first {_LINES}")] = False,
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Compare two generations: documents, chunks, entities and assertions that were added, removed or changed, and the settings
    and code that made them. An operator's view of the whole base: it shows texts, whoever may see them.

    Example:  ingest snapshots diff 3 4
    """
    from flows.between.generations import Tally, between
    from ingest.cli.output import say, table

    with between(options.read_settings(kb, config), before, after) as difference:
        tally = Tally(difference)
        if json:
            _print_json(difference, tally)
            return
        lines = _Lines(None if full else _LINES)
        _tell(difference, tally, lines)
        say(f"generation {_named(difference.before)} -> {_named(difference.after)}")
        table(*summed(tally.ended()))
        lines.show()


def _named(published: Published) -> str:
    return f"{published.generation} ({published.origin}, {published.published_at}, snapshot {published.manifest.snapshot[:12]})"


def summed(counts: Counts) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return headings and rows of a table of counts."""
    columns = ("added", "removed", "changed", "renamed", "rewritten", "moved", "same")
    return ("", *columns), [(what, *(held.get(column, "") for column in columns)) for what, held in counts.items()]


class _Lines:
    """Keeps the first lines and counts the others."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._kept: list[str] = []
        self._left = 0

    def add(self, lines: Iterator[str], count: int) -> None:
        """Take `count` lines, which are not even made where there is no room for any of them."""
        room = count if self._most is None else min(count, self._most - len(self._kept))
        self._kept.extend(itertools.islice(lines, room))
        self._left += count - room

    def show(self) -> None:
        from ingest.cli.output import say

        for line in self._kept:
            say(line)
        if self._left:
            say(f"and {self._left} more lines; all of them with: --full, or --json")


def _tell(difference: Difference, tally: Tally, lines: _Lines) -> None:
    shape = list(shape_lines(difference.shape()))
    lines.add(iter(shape), len(shape))
    for document in map(tally.document, difference.documents()):
        lines.add(_document(document), _height(document))
    for entity in map(tally.entity, difference.entities()):
        lines.add(_entity(entity), 1)
    for assertion in map(tally.assertion, difference.assertions()):
        lines.add(_assertion(assertion), 1)


def shape_lines(shape: ShapeChange) -> Iterator[str]:
    """Yield what besides documents differs, a line each."""
    for stage, fields in shape.settings.items():
        for name, (was, now) in fields.items():
            setting = f"{stage}.{name}: {_value(was)} -> {_value(now)}" if name else f"of {stage}"
            yield f"settings     {setting}"
    for kind in ("fingerprints", "engines", "scoring"):
        for name, (was, now) in getattr(shape, kind).items():
            yield f"{kind:<12} {name}: {_value(was)} -> {_value(now)}"
    if shape.registry:
        yield "registry     its seeds are others"


def _height(change: DocumentChange) -> int:
    """How many lines `_document` makes."""
    if change.what in ("added", "removed"):
        return 1
    rewritten = {one.fields for one in change.chunks if one.what == "rewritten"}
    return 1 + len(rewritten) + sum(one.what != "rewritten" for one in change.chunks)


def _document(change: DocumentChange) -> Iterator[str]:
    name = f"{change.was_uri} -> {change.uri}" if change.was_uri else change.uri
    if change.what in ("added", "removed"):
        yield f"{change.what:<12} {name}  ({_counted(len(change.chunks), 'chunk')})"
        return
    said = "; ".join(_fields(change.fields))
    yield f"{change.what:<12} {name}" + (f"  {said}" if said else "")
    yield from _chunks(change.chunks)


def _chunks(changes: Iterable[ChunkChange]) -> Iterator[str]:
    """Chunks that came and went, aligned below their document; those that were rewritten, summed up by what changed in them."""
    from ingest.cli.output import width

    own = [one for one in changes if one.what != "rewritten"]
    listed = [(_MARKS[one.what], _cut(" > ".join(one.heading_path), _HEADING_WIDTH), one) for one in own]
    wide = max((width(heading) for _, heading, _ in listed), default=0)
    for mark, heading, one in listed:
        yield f"  {mark} {heading}{' ' * (wide - width(heading))}  {_cut(one.excerpt, 80)}"
    rewritten: dict[tuple[str, ...], int] = {}
    for one in changes:
        if one.what == "rewritten":
            rewritten[one.fields] = rewritten.get(one.fields, 0) + 1
    for fields, count in rewritten.items():
        yield f"  ~ {_counted(count, 'chunk')} rewritten: {', '.join(fields)}"


def _fields(fields: Fields) -> Iterator[str]:
    for name, (was, now) in fields.items():
        if name in ("content", "sidecar"):
            yield name
        elif name.startswith("stages."):
            yield f"made by another {name.removeprefix('stages.')} stage"
        else:
            yield f"{name.removeprefix('declared.')}: {_value(was)} -> {_value(now)}"


def _entity(change: EntityChange) -> Iterator[str]:
    said = "; ".join(_fields(change.fields))
    yield f"{change.what:<12} entity {change.label} ({change.type}, {change.id})" + (f"  {said}" if said else "")


def _assertion(change: AssertionChange) -> Iterator[str]:
    said = "; ".join(_fields(change.fields))
    yield f"{change.what:<12} {change.subject} {change.relation} {change.object}" + (f"  {said}" if said else "")


def _value(value: Any) -> str:
    if value is None or value == []:
        return "none"
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):  # names and identifiers of entities
        value = ", ".join(item.get("text") or f"{item.get('scheme')}:{item.get('value')}" for item in value)
    if isinstance(value, str):
        return _cut(value, _VALUE_WIDTH)
    import orjson

    return _cut(orjson.dumps(value).decode(), _VALUE_WIDTH)


def _cut(text: str, most: int) -> str:
    """The first columns of a text, on one line; wide characters count as two."""
    from ingest.cli.output import width

    text = " ".join(text.split())
    if width(text) <= most:
        return text
    kept, left = [], most - 1
    for character in text:
        left -= width(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _print_json(difference: Difference, tally: Tally) -> None:
    """Print one JSON document piece by piece: a generation may differ from another in all of a large base."""
    import sys

    import orjson

    out = sys.stdout.buffer
    out.write(b"{")
    for side in ("before", "after"):
        one: Published = getattr(difference, side)
        told = {name: getattr(one, name) for name in ("generation", "published_at", "confirmed_at", "origin")}
        out.write(b'"%s": %s,\n' % (side.encode(), orjson.dumps({**told, "snapshot": one.manifest.snapshot})))
    out.write(b'"shape": %s' % orjson.dumps(difference.shape()))
    streams: tuple[tuple[str, Iterable[Any]], ...] = (
        ("documents", map(tally.document, difference.documents())), ("entities", map(tally.entity, difference.entities())),
        ("assertions", map(tally.assertion, difference.assertions())),
    )
    for name, changes in streams:
        out.write(b',\n"%s": [' % name.encode())
        for number, change in enumerate(changes):
            out.write((b",\n" if number else b"\n") + orjson.dumps(change))
        out.write(b"]")
    out.write(b',\n"counts": %s}\n' % orjson.dumps(tally.ended()))
    out.flush()
