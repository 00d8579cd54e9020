"""A file of questions: one JSON object a line, each with who asks, of which day, and what the answer must and must not hold.

Untrusted as any file is: `read` looks at every line and names each that cannot be taken, with what to do about it. A question
that is misspelt would otherwise count as a miss, or as a success.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ingest.errors import UsageError
from ingest.model.access import Principal
from ingest.model.instant import parse_instant

MODES = ("hybrid", "vector", "bm25")
_KEYS = {"id", "category", "language", "query", "principal", "as_of", "mode", "expected"}
_EXPECTED = {"sources", "spans", "entities", "refusal", "version", "conflict", "never"}
_PRINCIPAL = {"user", "roles", "tenant", "level"}
_SHOWN = 10
"""Lines that an error names."""


@dataclass(frozen=True, slots=True)
class Need:
    """One passage that an answer must give: of the source `uri`, with all of `spans` in it; without spans any of the source."""

    uri: str
    spans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """`refusal` None: not looked at. `entities` None: not looked at; else the ids that the query's names mean. `version`: of the
    document that answers, beside others of its family. `conflict`: a kind that must be reported. `never`: sources, ids and texts
    that may appear nowhere."""

    needs: tuple[Need, ...] = ()
    entities: tuple[str, ...] | None = None
    refusal: bool | None = None
    version: str | None = None
    conflict: str | None = None
    never: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One line. `as_of` is a normalised instant, None: now."""

    id: str
    query: str
    category: str = "all"
    language: str = ""
    principal: Principal = Principal()
    as_of: str | None = None
    mode: Literal["hybrid", "vector", "bm25"] = "hybrid"
    expected: Expected = field(default_factory=Expected)


def read(file: Path) -> list[Question]:
    """Return the questions of a file. Raises UsageError naming each line that cannot be taken, and the remedy."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}; give a file of questions (docs/evaluation.md)") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from error
    questions: dict[str, Question] = {}
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            question = _question(_object(line), number)
            if question.id in questions:
                raise ValueError(f"the id {question.id!r} was used before; give every question its own")
            questions[question.id] = question
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise UsageError("\n  ".join([f"{file} cannot be taken:", *problems[:_SHOWN]]) + more)
    if not questions:
        raise UsageError(f"{file} has no question; write one JSON object a line (docs/evaluation.md has an example)")
    return list(questions.values())


def _object(line: str) -> Mapping[str, Any]:
    try:
        made = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}; write one object a line") from None
    if not isinstance(made, dict):
        raise ValueError("not an object; write {...} with a query and what is expected")
    return made


def _question(said: Mapping[str, Any], number: int) -> Question:
    _known(said, _KEYS, "a question")
    query = _text(said, "query")
    if not query:
        raise ValueError("query is missing; write what is asked")
    mode = said.get("mode", "hybrid")
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is none of {', '.join(MODES)}")
    as_of = _text(said, "as_of")
    return Question(
        _text(said, "id") or f"line-{number}", query, _text(said, "category") or "all", _text(said, "language") or "",
        _principal(said.get("principal", {})), parse_instant(as_of) if as_of else None, mode, _expected(said.get("expected", {})),
    )


def _principal(said: Any) -> Principal:
    if not isinstance(said, dict):
        raise ValueError('principal must be an object, as {"user": "alice", "roles": ["sales"], "tenant": "acme", "level": 1}')
    _known(said, _PRINCIPAL, "a principal")
    level = said.get("level", 0)
    if not isinstance(level, int) or isinstance(level, bool) or level < 0:
        raise ValueError(f"level {level!r} must be a number from 0")
    return Principal(_text(said, "user"), tuple(sorted(_texts(said, "roles") or ())), _text(said, "tenant"), level)


def _expected(said: Any) -> Expected:
    if not isinstance(said, dict):
        raise ValueError('expected must be an object, as {"sources": ["docs/manual.md"], "spans": ["20000"]}')
    _known(said, _EXPECTED, "what is expected")
    sources = _texts(said, "sources") or ()
    spans = said.get("spans", [])
    if not isinstance(spans, list) or (spans and len(spans) != len(sources)):
        raise ValueError(f"spans must be a list with one entry a source ({len(sources)}): a text, or several in one list")
    refusal = said.get("refusal", False if sources else None)
    if refusal is not None and not isinstance(refusal, bool):
        raise ValueError("refusal must be true or false")
    if refusal and sources:
        raise ValueError("a question with sources is answered; take out sources, or set refusal to false")
    needs = tuple(
        Need(uri, tuple(_span(span))) for uri, span in zip(sources, spans or [[]] * len(sources), strict=True)
    )
    return Expected(
        needs, _texts(said, "entities"), refusal, _text(said, "version"), _text(said, "conflict"), _texts(said, "never") or ()
    )


def _span(span: Any) -> list[str]:
    parts = [span] if isinstance(span, str) else span
    if not isinstance(parts, list) or not all(isinstance(part, str) and part.strip() for part in parts):
        raise ValueError(f"the span {span!r} must be a text, or a list of texts that stand in one passage")
    return parts


def _known(said: Mapping[str, Any], keys: set[str], what: str) -> None:
    unknown = sorted(set(said) - keys)
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no key of {what}; its keys are {', '.join(sorted(keys))}")


def _text(said: Mapping[str, Any], key: str) -> str | None:
    value = said.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key} must be a text, not {value!r}; put it in quotes")
    return value or None


def _texts(said: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    value = said.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError(f"{key} must be a list of texts")
    return tuple(value)
