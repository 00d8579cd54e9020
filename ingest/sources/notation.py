"""YAML and TOML of strangers become plain values whose original text survives.

In: the text of a front matter block or a sidecar. Out: a mapping of texts, lists and mappings. The decision worth knowing:
scalars are not turned into numbers, dates or booleans, because `1.10` is a version and `no` a language; each keeps what was
written and whether it was quoted, and whoever wants a number asks. YAML is read from its events, so nothing is ever
constructed, repeated keys are seen, and size, depth and what aliases expand to are bounded.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

MOST_CHARACTERS = 256 * 1024
MOST_VALUES = 20_000
"""Of a block, aliases expanded."""
MOST_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar as written. `plain`: without quotes, so that it may mean a number, a truth value or nothing."""

    value: str
    plain: bool

    @property
    def kind(self) -> Literal["text", "null", "bool", "number"]:
        if not self.plain:
            return "text"
        if self.value in ("", "~", "null", "Null", "NULL"):
            return "null"
        if self.value.casefold() in ("true", "false", "yes", "no", "on", "off"):
            return "bool"
        return "number" if _NUMBER.fullmatch(self.value) else "text"


Value: TypeAlias = "Text | list[Value] | dict[str, Value]"

_NUMBER = re.compile(
    r"[-+]?(?:0x[0-9a-fA-F_]+|0o?[0-7_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?"
    r"|\.(?:inf|Inf|INF|nan|NaN|NAN)|[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?|inf|nan)"
)


def read_yaml(text: str) -> dict[str, Value] | None:
    """Return the one mapping of a YAML text, or None when there is nothing in it but comments.

    Raises ValueError with a sentence for anything else: a syntax error, another kind of value, a repeated key, a tag, a merge
    key, a second document, or more than the bounds above.
    """
    _bounded(text)
    documents = [value for value in _documents(text) if not (isinstance(value, Text) and value.kind == "null")]
    if not documents:
        return None
    if len(documents) > 1:
        raise ValueError("there is more than one YAML document in it")
    if not isinstance(documents[0], dict):
        raise ValueError("it is not a mapping; write `key: value` lines")
    return documents[0]


def read_toml(text: str) -> dict[str, Value]:
    """Return a TOML text as the same kind of mapping. Raises ValueError with a sentence."""
    _bounded(text)
    try:
        loaded = tomllib.loads(text, parse_float=_Number)
        return {key: _from_toml(value, 1) for key, value in loaded.items()}
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def as_json(value: Value) -> Any:
    """Return a value as JSON types. A number is one only where nothing of its text is lost (`1.10` and `007` stay texts)."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if value.kind == "null":
        return None
    if value.kind == "bool" and value.value.casefold() in ("true", "false"):
        return value.value.casefold() == "true"
    if value.kind == "number" and len(value.value) <= 15:
        if re.fullmatch(r"0|-?[1-9][0-9]*", value.value):
            return int(value.value)
        if re.fullmatch(r"-?[0-9]+\.[0-9]+", value.value) and repr(float(value.value)) == value.value:
            return float(value.value)
    return value.value


def _bounded(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS} characters")


class _Number(str):
    """What stands for a TOML float, so that its digits survive."""

    __slots__ = ()


def _from_toml(value: Any, depth: int) -> Value:
    if depth > MOST_DEPTH:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict):
        return {key: _from_toml(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_toml(item, depth + 1) for item in value]
    if isinstance(value, bool):
        return Text(str(value).lower(), plain=True)
    if isinstance(value, (datetime.date, datetime.time)):
        return Text(value.isoformat(), plain=True)
    return Text(str(value), plain=not isinstance(value, str) or isinstance(value, _Number))


# --- YAML, from its events


def _documents(text: str) -> list[Value]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Composer(yaml.parse(text, Loader=loader)).documents()
    except yaml.YAMLError as error:
        raise ValueError(_one_line(error)) from error
    except UnicodeError as error:
        raise ValueError("it has characters that YAML does not allow") from error


def _one_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or "it is not valid YAML"
    mark = getattr(error, "problem_mark", None)
    return f"{problem} (line {mark.line + 1} of the block)" if mark else str(problem)


_TAGS = (None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map")


class _Composer:
    """Builds values from parser events without recursion."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, tuple[Value, int]] = {}
        self._count = 0

    def documents(self) -> list[Value]:
        import yaml

        found: list[Value] = []
        open_: list[_Open] = []
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
                continue
            if isinstance(event, yaml.CollectionStartEvent):
                self._begin(open_, event, {} if isinstance(event, yaml.MappingStartEvent) else [])
                continue
            if isinstance(event, yaml.CollectionEndEvent):
                done = open_.pop()
                value = self._named(done.value, done.anchor, self._count - done.since)
            elif isinstance(event, yaml.ScalarEvent):
                value = self._scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                value = self._alias(event.anchor or "")
            else:
                continue
            if open_:
                open_[-1].take(value)
            else:
                found.append(value)
        return found

    def _begin(self, open_: list[_Open], event: Any, empty: Value) -> None:
        self._checked(event)
        if len(open_) >= MOST_DEPTH:
            raise ValueError("it is nested too deeply")
        open_.append(_Open(empty, event.anchor, self._count))
        self._counted(1)

    def _scalar(self, event: Any) -> Value:
        self._checked(event)
        self._counted(1)
        return self._named(Text(event.value, plain=event.implicit[0] and event.tag is None), event.anchor, 1)

    def _named(self, value: Value, anchor: str | None, weight: int) -> Value:
        """Remember what an anchor stands for, and how many values an alias to it adds."""
        if anchor is not None:
            self._anchors[anchor] = (value, weight)
        return value

    def _alias(self, anchor: str) -> Value:
        if anchor not in self._anchors:
            raise ValueError(f"the alias *{anchor} refers to nothing (put quotes around a value that begins with *)")
        value, weight = self._anchors[anchor]
        self._counted(weight)
        return value

    def _counted(self, more: int) -> None:
        self._count += more
        if self._count > MOST_VALUES:
            raise ValueError(f"it has more than {MOST_VALUES} values, aliases expanded")

    def _checked(self, event: Any) -> None:
        if event.tag not in _TAGS:
            raise ValueError(f"the tag {event.tag!r} is not allowed")


class _Open:
    """A collection whose end has not been seen."""

    __slots__ = ("_key", "anchor", "since", "value")

    def __init__(self, value: Value, anchor: str | None, since: int) -> None:
        self.value = value
        self.anchor = anchor
        self.since = since
        self._key: str | None = None

    def take(self, value: Value) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
            return
        assert isinstance(self.value, dict)
        if self._key is not None:
            self.value[self._key] = value
            self._key = None
            return
        if not isinstance(value, Text):
            raise ValueError("a key is a list or a mapping; keys are texts")
        if value.value == "<<" and value.plain:
            raise ValueError("merge keys (<<) are not supported; write the keys out")
        if value.value in self.value:
            raise ValueError(f"the key {value.value!r} is there twice")
        self._key = value.value
