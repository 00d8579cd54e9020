"""Nouns back from JSON: `decode(ChunkRow, data)` undoes what serialising the dataclass to JSON did.

Only what the nouns use is understood: dataclasses, tuples, dicts, optionals, literals and scalars. Decoders are built once a
type, so decoding a row costs little more than constructing it.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def decode(kind: type[T], data: Any) -> T:
    """Return `data` (JSON types) as a `kind`. Keys that the type does not know raise TypeError: a format is not guessed."""
    made: T = _decoder(kind)(data)  # type: ignore[arg-type]  # types are hashable
    return made


@cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _of_dataclass(kind)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _of_optional(kind)
    if origin is tuple:
        return _of_tuple(get_args(kind))
    if origin is dict:
        return _of_dict(get_args(kind)[1])
    return _as_is


def _as_is(value: Any) -> Any:
    return value


def _of_dataclass(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    fields = [(field.name, _decoder(hints[field.name])) for field in dataclasses.fields(kind)]
    nested = [(name, decoder) for name, decoder in fields if decoder is not _as_is]

    def build(value: Any) -> Any:
        if not nested:
            return kind(**value)
        values = dict(value)
        for name, decoder in nested:
            if name in values:
                values[name] = decoder(values[name])
        return kind(**values)

    return build


def _of_optional(kind: Any) -> Callable[[Any], Any]:
    options = [option for option in get_args(kind) if option is not type(None)]
    if len(options) > 1:
        return _as_is
    inner = _decoder(options[0])
    return _as_is if inner is _as_is else lambda value: None if value is None else inner(value)


def _of_tuple(arguments: tuple[Any, ...]) -> Callable[[Any], Any]:
    inner = _decoder(arguments[0])
    if any(_decoder(argument) is not _as_is for argument in arguments[1:] if argument is not Ellipsis):
        raise TypeError(f"tuples of mixed nouns are not decoded: {arguments}")
    return tuple if inner is _as_is else lambda value: tuple(inner(item) for item in value)


def _of_dict(values: Any) -> Callable[[Any], Any]:
    inner = _decoder(values)
    return _as_is if inner is _as_is else lambda value: {key: inner(item) for key, item in value.items()}


