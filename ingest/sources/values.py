"""How each key of a document's metadata is written, and what is made of it.

One small reader a kind of key: a text, a list of texts, a day or moment, a status, a level, a list of people. Each raises
ValueError with the end of a sentence ("must be ...") and never guesses: for a key that says who may read, an empty value, a
number or a truth value is a mistake and not "everybody".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from ingest.model.instant import is_date_only, parse_instant
from ingest.model.source import STATUSES
from ingest.sources.notation import Text, Value

KEYS = {
    "title": "title", "document": "family", "version": "version", "valid_from": "valid_from", "valid_until": "valid_until",
    "supersedes": "supersedes", "status": "status", "language": "language", "scope": "scope",
    "allowed_users": "users", "allow_users": "users", "users": "users", "allowed_roles": "roles",
    "tenant": "tenant", "level": "level",
}
"""Key in its normal form -> the field that it fills."""

MOST_LEVEL = 1_000_000
"""Indexes keep levels as 32-bit integers."""


@dataclass(frozen=True, slots=True)
class Day:
    """A declared instant, and whether it was written as a day."""

    instant: str
    is_day: bool


def parsed(field: str, value: Value, levels: tuple[str, ...]) -> Any:
    """Return what `field` becomes, or None where a key that is not about readers was left empty. Raises ValueError."""
    if field == "level":
        return _level(value, levels)
    return _READERS[field](value)


def from_embedded(embedded: Mapping[str, Any]) -> dict[str, Any]:
    """Return title, language and dates of validity that the format's own metadata states; what cannot be read is left out.

    Dates of writing, printing or saving say nothing about validity and are not taken.
    """
    found: dict[str, Any] = {}
    lowered = {key.casefold(): value for key, value in embedded.items() if isinstance(value, str) and value.strip()}
    for field, names in _EMBEDDED.items():
        text = next((lowered[name] for name in names if name in lowered), None)
        if text is None:
            continue
        try:
            found[field] = _READERS[field](Text(text, plain=False))
        except ValueError:
            continue
    return {field: value for field, value in found.items() if value is not None}


def _text(value: Value) -> str | None:
    if not isinstance(value, Text):
        raise ValueError("must be one text, not a list or a mapping")
    if value.kind == "null":
        return None
    return unicodedata.normalize("NFC", value.value.strip()) or None


def _texts(value: Value) -> tuple[str, ...] | None:
    items = value if isinstance(value, list) else [value]
    return tuple(text for text in (_text(item) for item in items) if text) or None


def _day(value: Value) -> Day | None:
    text = _text(value)
    if text is None:
        return None
    text = re.sub(r"\s+(?=[+-]\d|[Zz]$)", "", unicodedata.normalize("NFKC", text))
    try:
        return Day(parse_instant(text), is_date_only(text) or _is_day(text))
    except (ValueError, OverflowError):
        raise ValueError(f"is not a date or time: {text!r} (write 2025-07-01 or 2025-07-01T08:00:00+08:00)") from None


def _is_day(text: str) -> bool:
    """Other ISO forms of a day: 20250701, 2025-W27-2."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _status(value: Value) -> str:
    text = _text(value)
    status = unicodedata.normalize("NFKC", text or "").casefold()
    if status not in STATUSES:
        raise ValueError(f"must be one of {', '.join(STATUSES)}, not {text!r}")
    return status


def _language(value: Value) -> str | None:
    text = _text(value)
    if text is None:
        return None
    primary, *rest = text.replace("_", "-").split("-")
    if not re.fullmatch(r"[A-Za-z]{2,3}", primary) or not all(re.fullmatch(r"[A-Za-z0-9]{1,8}", part) for part in rest):
        raise ValueError(f"must be a language tag such as en, zh or zh-Hant, not {text!r}")
    return "-".join([primary.lower(), *rest])


def _level(value: Value, levels: tuple[str, ...]) -> int:
    written = value.value.strip() if isinstance(value, Text) else ""
    text = unicodedata.normalize("NFKC", written).casefold()
    names = [unicodedata.normalize("NFKC", name).casefold() for name in levels]
    if text in names:
        return names.index(text)
    if re.fullmatch(r"[0-9]{1,7}", text) and int(text) <= MOST_LEVEL:
        return int(text)
    raise ValueError(f"must be a whole number from 0 or one of {', '.join(levels)}, not {written!r}")


def _people(value: Value) -> tuple[str, ...]:
    """Users or roles: a list of texts, or one text with commas. Names may have spaces; in a list also commas."""
    if isinstance(value, list):
        return tuple(sorted({_name(item) for item in value}))
    if not isinstance(value, Text):
        raise ValueError('must be a list of names, or names with commas between them; "*" is everybody')
    _refuse_not_text(value)
    return tuple(sorted({_name(Text(part, plain=False)) for part in re.split("[,，、]", value.value)}))


def _tenant(value: Value) -> str:
    name = _name(value)
    if name == "*":
        raise ValueError("must name one tenant; leave the key out for all of them")
    return name


def _name(value: Value) -> str:
    if not isinstance(value, Text):
        raise ValueError("must have a plain name here, not a list or a mapping")
    _refuse_not_text(value)
    name = unicodedata.normalize("NFC", value.value.strip())
    if not name:
        raise ValueError("has an empty name in it")
    if any(unicodedata.category(char) == "Cc" for char in name):
        raise ValueError(f"has a name with a line break or control character in it: {name!r}")
    return name


def _refuse_not_text(value: Text) -> None:
    if value.kind == "null":
        raise ValueError("is empty; write names, or [] for nobody")
    if value.kind != "text":
        raise ValueError(f"has {value.value!r} in it, which YAML reads as a {value.kind}; put quotes around it")


_READERS: dict[str, Callable[[Value], Any]] = {
    "title": _text, "family": _text, "version": _text, "scope": _text, "supersedes": _texts,
    "valid_from": _day, "valid_until": _day, "status": _status, "language": _language,
    "users": _people, "roles": _people, "tenant": _tenant,
}
_EMBEDDED = {
    "title": ("title", "dc:title", "dcterms.title", "dc.title", "og:title"),
    "language": ("language", "lang", "dc:language", "dc.language", "dcterms.language", "content-language"),
    "valid_from": ("valid_from", "valid-from", "validfrom"),
    "valid_until": ("valid_until", "valid-until", "validuntil", "validthrough"),
}
