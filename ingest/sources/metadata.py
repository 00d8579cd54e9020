"""What a document declares about itself: from front matter, a sidecar and the format's own metadata.

In: the bytes of a document, those of its sidecar, and what the parser found embedded. Out: one `Declared`, validated and
normalised. The decision worth knowing: a `Declared` is returned only when everything that could say something about readers
was read and understood. Anything else is `MetadataInvalid`, and the document is withdrawn rather than opened.

Precedence is by key: sidecar, then front matter, then embedded. Embedded metadata is written by programs; it fills title,
language and dates of validity and never says who may read. How each key is written: docs/sources.md. A change of these rules
is a change of `fingerprint.VERSION`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ingest.errors import MetadataInvalid
from ingest.model.access import Access
from ingest.model.decoding import decode
from ingest.model.frontmatter import ACCESS_KEYS, FrontMatter, access_lines, normal_key, split
from ingest.model.instant import next_day
from ingest.model.source import Declared
from ingest.settings import SourcesPart
from ingest.sources.names import MOST_SIDECAR_BYTES
from ingest.sources.notation import Value, as_json, read_toml, read_yaml
from ingest.sources.values import KEYS, Day, from_embedded, parsed

_FORBIDDEN_STARTS = ("allow", "user", "role", "tenant", "level", "deny", "denied", "acl")

_BINARY_STARTS = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_HEAD_BYTES = 64 * 1024


def read(
    data: bytes, sidecar: bytes | None, *, name: str, settings: SourcesPart, embedded: Mapping[str, Any] | None = None
) -> Declared:
    """Return what the document `name` declares.

    `data` are its bytes (front matter is looked for in anything that reads as text), `sidecar` those of `NAME.meta.yaml`,
    `embedded` the parser's `Document.embedded`. Raises MetadataInvalid, naming document, place and key.
    """
    reader = _Reader(name, settings)
    # A page's `<meta>` tags come under a key of their own; what is said there counts like what other formats say on top.
    tags = (embedded or {}).get("meta")
    said = {**(tags if isinstance(tags, Mapping) else {}), **(embedded or {})}
    fields: dict[str, Any] = from_embedded(said)
    extra: dict[str, Any] = {"jsonld": embedded["jsonld"]} if embedded and "jsonld" in embedded else {}
    reader.refuse_embedded_access(said)
    for where, mapping in (("front matter", reader.front_matter(data)), ("sidecar", reader.sidecar(sidecar))):
        declared, others = reader.layer(where, mapping)
        fields.update(declared)
        replaced = {normal_key(key) for key in others}
        extra = {key: value for key, value in extra.items() if normal_key(key) not in replaced} | others
    return reader.declared(fields, extra)


class _Reader:
    """The steps of `read` for one document."""

    def __init__(self, name: str, settings: SourcesPart) -> None:
        self._name = name
        self._settings = settings

    def front_matter(self, data: bytes) -> dict[str, Value]:
        found = self._split(data)
        if found.problem:
            raise self._invalid("front matter", found.problem)
        if found.raw is None:
            return {}
        return self._mapping("front matter", found.raw, found.syntax) or {}

    def sidecar(self, data: bytes | None) -> dict[str, Value]:
        if data is None:
            return {}
        if len(data) > MOST_SIDECAR_BYTES:
            raise self._invalid("sidecar", f"it is larger than {MOST_SIDECAR_BYTES} bytes")
        try:
            text = decode(data).text
        except ValueError as error:
            raise self._invalid("sidecar", f"it cannot be decoded ({error}); save it as UTF-8") from error
        mapping = self._mapping("sidecar", text.removeprefix("\ufeff"), "yaml")
        # A sidecar without a key is most likely one that is being written or was cut: it must not open its document.
        if not mapping:
            raise self._invalid("sidecar", "it is empty; write its keys, or delete it")
        return mapping

    def refuse_embedded_access(self, embedded: Mapping[str, Any]) -> None:
        for key in embedded:
            if normal_key(key) in ("allowed_users", "allow_users", "allowed_roles"):
                raise self._invalid(
                    "embedded metadata", f"{key!r} has no effect there; say who may read in front matter or a sidecar"
                )

    def layer(self, where: str, mapping: dict[str, Value]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields that one place declares, and its other keys as JSON types."""
        fields: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for key, value in mapping.items():
            known = KEYS.get(normal_key(key))
            if known is None:
                self._refuse_lookalike(where, key)
                self._refuse_nested(where, key, value)
                others[key] = as_json(value)
                continue
            if known in fields:
                raise self._invalid(where, f"{key!r} says the same as another key that is there; keep one of them")
            try:
                fields[known] = parsed(known, value, self._settings.levels)
            except ValueError as error:
                raise self._invalid(where, f"the key {key!r} {error}") from error
        return {field: value for field, value in fields.items() if value is not None}, others

    def declared(self, fields: dict[str, Any], extra: dict[str, Any]) -> Declared:
        starts, ends = fields.pop("valid_from", None), fields.pop("valid_until", None)
        self._refuse_empty_window(starts, ends)
        access = Access(
            tenant=fields.pop("tenant", None), users=fields.pop("users", None), roles=fields.pop("roles", None),
            level=fields.pop("level", 0),
        )
        return Declared(
            **fields, access=access, extra=extra,
            valid_from=starts.instant if starts else None,
            valid_until=ends.instant if ends else None,
            until_day=bool(ends and ends.is_day),
        )

    def _split(self, data: bytes) -> FrontMatter:
        if data.startswith(_BINARY_STARTS):
            return FrontMatter(None, "", 0, None)
        try:
            return split(decode(data).text)
        except ValueError:
            pass
        # Not text, or text that nobody can decode. Where its head has front matter all the same, access closes.
        found = split(data[:_HEAD_BYTES].replace(b"\0", b"").decode("latin-1"))
        if found.raw is not None or found.problem:
            raise self._invalid("front matter", "it is there, but the document cannot be decoded; save it as UTF-8")
        return found

    def _mapping(self, where: str, text: str, syntax: str) -> dict[str, Value] | None:
        if "\ufffd" in text:
            raise self._invalid(where, "it has damaged characters; save it as UTF-8")
        try:
            mapping = read_toml(text) if syntax == "toml" else read_yaml(text)
        except ValueError as error:
            raise self._invalid(where, f"it cannot be read: {error}") from error
        understood = {normal_key(key) for key in mapping or {}}
        for index, key in access_lines(text.splitlines()):
            if key not in understood:
                raise self._invalid(
                    where, f"line {index + 1} of it looks like the access key {key!r}, but is part of another value; "
                    "put it at the top level, unindented, as `key: value`",
                )
        return mapping

    def _refuse_lookalike(self, where: str, key: str) -> None:
        normal = normal_key(key)
        if not normal:
            raise self._invalid(where, "a key in it is empty (a line that begins with &, or : without a name)")
        bare = re.sub("[\"'`]", "", normal)
        if normal.startswith(_FORBIDDEN_STARTS) or any(_is_misspelt(bare, known) for known in ACCESS_KEYS):
            raise self._invalid(
                where, f"{key!r} is not a key that says who may read, but looks like one; accepted are {', '.join(ACCESS_KEYS)}"
            )

    def _refuse_nested(self, where: str, key: str, value: Value) -> None:
        """An access key below another key has no effect, which whoever wrote it does not expect."""
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, list):
                waiting.extend(item)
            elif isinstance(item, dict):
                for inner, below in item.items():
                    if normal_key(inner) in ACCESS_KEYS:
                        raise self._invalid(where, f"{inner!r} below {key!r} has no effect; put it at the top level")
                    waiting.append(below)

    def _refuse_empty_window(self, starts: Day | None, ends: Day | None) -> None:
        if starts is None or ends is None:
            return
        try:
            last = next_day(ends.instant) if ends.is_day else ends.instant
        except OverflowError:
            return
        if last <= starts.instant:
            raise self._invalid("metadata", f"valid_until ({ends.instant}) is not after valid_from ({starts.instant})")

    def _invalid(self, where: str, what: str) -> MetadataInvalid:
        return MetadataInvalid(f"{self._name}: {where}: {what}")


def _is_misspelt(key: str, known: str) -> bool:
    """Whether `key` is `known` with one slip of the hand (two in a long name): a letter more, less, other or swapped."""
    slips = 2 if len(known) > 9 else 1
    if abs(len(key) - len(known)) > slips:
        return False
    before: list[int] = []
    row = list(range(len(known) + 1))
    for i, char in enumerate(key, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(known, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (char != other))
            if i > 1 and j > 1 and char == known[j - 2] and key[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1] <= slips
