"""A YAML seed as entries that know their lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from entities.seeds.entry import ASSERTION, ENTITY, EXCLUSIVE, REDIRECTED, EntryKind, SeedEntry, SeedProblem

_LISTS: dict[str, EntryKind] = {"entities": ENTITY, "assertions": ASSERTION, "exclusive": EXCLUSIVE, "redirects": REDIRECTED}
_MOST_DEPTH = 40


def entries(text: str, name: str) -> Iterator[SeedEntry | SeedProblem]:
    """Yield the entries of a seed. Never raises: what cannot be read is a problem with its line."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        root = loader.get_single_node()
        yield from _listed(loader, root, name) if root is not None else [
            SeedProblem(name, "it is empty", "list entities and assertions (docs/registry.md has an example)")
        ]
    except yaml.YAMLError as error:
        yield SeedProblem(_line(name, getattr(error, "problem_mark", None)), f"it is not valid YAML: {_reason(error)}",
                          "put quotes around texts with a colon or a # in them, and check the indentation")
    except RecursionError:
        yield SeedProblem(name, "it is nested too deep", "a seed has lists of entries, no deeper")
    finally:
        loader.dispose()


def _listed(loader: Any, root: Any, name: str) -> Iterator[SeedEntry | SeedProblem]:
    import yaml

    if not isinstance(root, yaml.MappingNode):
        yield SeedProblem(_line(name, root.start_mark), "a seed is a mapping", f"begin with one of {', '.join(_LISTS)}")
        return
    for key_node, list_node in root.value:
        key = key_node.value
        if key not in _LISTS:
            yield SeedProblem(_line(name, key_node.start_mark), f"unknown key {key!r}", f"its keys are {', '.join(_LISTS)}")
        elif isinstance(list_node, yaml.SequenceNode):
            for number, node in enumerate(list_node.value):
                yield from _entry(loader, node, _LISTS[key], f"{_line(name, node.start_mark)}, {key}[{number}]")
        elif list_node.tag != "tag:yaml.org,2002:null":
            yield SeedProblem(_line(name, list_node.start_mark), f"{key} must be a list", "begin each entry with a dash")


def _entry(loader: Any, node: Any, kind: EntryKind, place: str) -> Iterator[SeedEntry | SeedProblem]:
    import yaml

    try:
        made = loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        remedy = "write plain texts, in quotes where they look like dates"
        yield SeedProblem(place, f"it cannot be read: {_reason(error)}", remedy)
        return
    if kind == EXCLUSIVE and isinstance(made, str):
        made = {"relation": made}
    if not isinstance(made, dict):
        yield SeedProblem(place, f"{made!r} is no entry", "an entry has keys and values")
        return
    yield SeedEntry(place, kind, made)


def _line(name: str, mark: Any) -> str:
    return name if mark is None else f"{name} line {mark.line + 1}"


def _reason(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).partition("\n")[0]
