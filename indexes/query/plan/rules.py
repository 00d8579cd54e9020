"""The rules by which a query is read: data that a user may edit.

    [error-number]                            the rule's id
    effect = "spell"                          what follows where it applies (see EFFECTS, and docs/planning.md)
    language = "zh"                           zh, en; left out: any
    pattern = '错误码?\\s*(?P<number>\\d{3,6})'   a regular expression, or `words = ["...", "..."]`
    unless = '...'                            it does not apply where this matches the query, too
    value, add, when, amount                  what the effect needs

Those that come with the product are in `rules.toml` beside this file. Files of `search.rules` are read after it, in order: an id
that is known replaces that rule as a whole, `enabled = false` alone switches it off.

Patterns and words meet the query in one form: lower case, half width, simplified characters.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from entities.folding import NAME
from entities.relations import Vocabulary, vocabulary
from indexes.query.plan.bounded import Bounded
from ingest.errors import SettingsInvalid
from ingest.model.entity import ENTITY_TYPES

SHIPPED = Path(__file__).with_name("rules.toml")

Effect = Literal[
    "phrase", "version", "compared", "date", "edge", "event", "holds", "relation", "exclude", "pronoun", "antecedent", "generic",
    "type", "spell", "weight", "expand", "add",
]
EFFECTS: Mapping[str, tuple[str, ...]] = {
    "phrase": ("phrase",), "version": ("version",), "exclude": ("excluded",), "pronoun": ("pronoun",),
}
"""Effect -> the named groups that its patterns must have."""
SIGNALS = ("phrases", "identifiers", "codes", "versions", "entities", "relations", "dates", "excluded", "zh", "en", "mixed")
"""What `when` of weight and expand may ask for."""
EDGES = ("within", "before", "after", "as_of", "between")
RELATIVE = re.compile(r"(year|quarter|month|day)([+-]\d{1,2})?")
DATE = "\ue000"
"""What stands for a date in the text that patterns of `edge` meet; they write DATE."""


class Rule(BaseModel):
    """One rule. What each effect does is told in docs/planning.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    effect: Effect
    language: Literal["zh", "en", "any"] = "any"
    pattern: str = ""
    words: tuple[str, ...] = ()
    unless: str = ""
    value: str = ""
    add: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    amount: float = Field(0.0, ge=-1, le=100)
    enabled: bool = True

    @field_validator("pattern", "unless")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:  # ten thousand brackets, or a{99999999999}
            raise ValueError(f"not a regular expression: {error}") from error
        return pattern


@dataclass(frozen=True)
class Compiled:
    """A rule that is on, ready to be matched."""

    id: str
    rule: Rule
    pattern: re.Pattern[str] | Bounded | None
    unless: re.Pattern[str] | Bounded | None

    @property
    def value(self) -> str:
        return self.rule.value


@dataclass(frozen=True)
class Rules:
    """Every rule that is on, by effect, in the order of the files."""

    by_effect: Mapping[str, tuple[Compiled, ...]] = field(default_factory=dict)

    def of(self, effect: Effect) -> tuple[Compiled, ...]:
        return self.by_effect.get(effect, ())


def rules_of(files: Iterable[Path], vocabularies: Iterable[Path] = ()) -> Rules:
    """Return the shipped rules with those of `files`, and a rule for each relation of the vocabulary (see `entities.relations`).
    A file that changes is read anew. Raises SettingsInvalid naming file and rule."""
    rules, relations = (SHIPPED, *files), tuple(vocabularies)
    return _read(rules, relations, tuple(_stamp(file) for file in (*rules, *relations)))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError as error:
        raise SettingsInvalid(f"cannot read the rules {file}: {error.strerror}; check search.rules") from error
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=16)
def _read(files: tuple[Path, ...], vocabularies: tuple[Path, ...], stamps: tuple[tuple[int, int], ...]) -> Rules:
    merged: dict[str, Rule] = {}
    own: set[str] = set()
    for file in files:
        for id, entry in _loaded(file).items():
            merged[id] = _rule(file, id, entry, merged)
            own |= {id} if file != SHIPPED else set()
    compiled = [_compiled(id, rule, id in own) for id, rule in merged.items() if rule.enabled]
    compiled += _relations(vocabulary(vocabularies))
    by_effect: dict[str, list[Compiled]] = {}
    for each in compiled:
        by_effect.setdefault(each.rule.effect, []).append(each)
    return Rules({effect: tuple(found) for effect, found in by_effect.items()})


def _loaded(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsInvalid(f"cannot read the rules {file}: {error.strerror}; check search.rules") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsInvalid(
            f"the rules {file} are not valid TOML: {error}; a backslash needs a pattern in single quotes"
        ) from error


def _rule(file: Path, id: str, entry: Any, known: Mapping[str, Rule]) -> Rule:
    where = f"the rules {file}, rule {id}"
    if not isinstance(entry, dict):
        raise SettingsInvalid(f"{where}: write it as a table, [{id}] with its keys below")
    if entry == {"enabled": False}:
        if id not in known:
            near = difflib.get_close_matches(id, list(known), 1, 0.5)
            raise SettingsInvalid(f"{where}: no such rule to switch off" + (f"; did you mean {near[0]}?" if near else ""))
        return known[id].model_copy(update={"enabled": False})
    try:
        rule = Rule.model_validate(entry)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        told = problems.replace("Value error, ", "")
        raise SettingsInvalid(f"{where}: {told}; its keys are {', '.join(Rule.model_fields)}") from error
    wrong = _wrong(rule) or (_unlike(rule) if file != SHIPPED else None)
    if wrong is not None:
        raise SettingsInvalid(f"{where}: {wrong}")
    return rule


def _wrong(rule: Rule) -> str | None:
    """What is wrong with a rule, with its remedy."""
    asks = not rule.when
    if asks == (not rule.pattern and not rule.words):
        return "it needs a pattern or words" if asks else "give either when, or a pattern or words, not both"
    if rule.pattern and rule.words:
        return "it has a pattern and words; write two rules"
    missing = [group for group in EFFECTS.get(rule.effect, ()) if f"(?P<{group}>" not in rule.pattern]
    if missing:
        return f"the pattern of effect {rule.effect} marks what it is about: (?P<{missing[0]}>...)"
    asked_for = re.findall(r"\{(\w+)\}", " ".join(rule.add)) if rule.effect == "spell" else []
    lacking = [group for group in asked_for if f"(?P<{group}>" not in rule.pattern]
    if lacking:
        return f"add asks for {{{lacking[0]}}}, which the pattern does not mark: (?P<{lacking[0]}>...)"
    if any(word.strip() == "" for word in rule.words) or (rule.pattern and re.compile(rule.pattern).match("")):
        return "it would match nothing at all, everywhere; write what it must find"
    return _wrong_value(rule)


def _unlike(rule: Rule) -> str | None:
    """What the engine that matches rules of users refuses, though Python's does not."""
    try:
        _compiled("", rule, own=True)
    except re.error as error:
        return f"not a regular expression that can be stopped: {error}"
    return None


def _wrong_value(rule: Rule) -> str | None:
    unknown = [signal for signal in rule.when if signal not in SIGNALS]
    if unknown:
        return f"when lists {unknown[0]!r}; it is one of {', '.join(SIGNALS)}"
    if rule.effect in ("weight", "expand") and not rule.when:
        return f"effect {rule.effect} applies when the plan has something: when = [one of {', '.join(SIGNALS)}]"
    if rule.effect == "edge" and (rule.value not in EDGES or "DATE" not in rule.pattern):
        return f"an edge has a pattern with DATE in it, and a value among {', '.join(EDGES)}"
    if rule.effect == "date" and not rule.value and "(?P<year>" not in rule.pattern:
        return "a date has (?P<year>...) in its pattern, or a value such as year-1, quarter+0, month-1, day-1"
    if rule.effect == "date" and rule.value and RELATIVE.fullmatch(rule.value) is None:
        return "the value of a date is year, quarter, month or day and how many from now: year-1"
    if rule.effect == "type" and rule.value not in ENTITY_TYPES:
        return f"the value of a type is one of {', '.join(ENTITY_TYPES)}"
    if rule.effect in ("spell", "add") and not rule.add:
        return f"effect {rule.effect} needs what it adds: add = [\"...\"]"
    if rule.effect == "relation" and not rule.value:
        return "effect relation needs the relation it stands for: value = \"developer\""
    return None


def _compiled(id: str, rule: Rule, own: bool = False) -> Compiled:
    """`own`: the user's. Words need no bound."""
    made = Bounded if own else re.compile
    source = rule.pattern.replace("DATE", f"{DATE}+") if rule.effect == "edge" else rule.pattern
    pattern = made(source) if source else _of_words(rule.words) if rule.words else None
    return Compiled(id, rule, pattern, made(rule.unless) if rule.unless else None)


def _of_words(words: Iterable[str]) -> re.Pattern[str]:
    """Any of some words, whole where they are set off by spaces, the longest first."""
    folded = sorted({" ".join(NAME(word).text.split()) for word in words}, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_word, folded)))


def _word(word: str) -> str:
    found = re.escape(word).replace(r"\ ", r"\s+")
    before = r"(?<![a-z0-9])" if word[0].isascii() and word[0].isalnum() else ""
    after = r"(?![a-z0-9])" if word[-1].isascii() and word[-1].isalnum() else ""
    return before + found + after


_SHORTEST = 4


def _relations(known: Vocabulary) -> list[Compiled]:
    """One rule for each relation: what the vocabulary calls it, and itself. Short English words say too many other things."""
    found = []
    for name, relation in known.items():
        listed = (relation.zh, relation.en, *relation.also)
        if relation.literal:
            continue  # a value leads nowhere
        words = tuple(word for word in listed if word and (not word.isascii() or len(word) >= _SHORTEST))
        if words:
            found.append(_compiled(f"vocabulary:{name}", Rule(effect="relation", words=words, value=name)))
    return found
