"""What a fact's checksum must be, derived anew from its payload: the stored one proves nothing about what is stored beside it."""

from __future__ import annotations

from typing import Any

from ingest.model.canonical import digest_of, sha256_hex

_OF_CHUNK = ("text_checksum", "row_checksum")


def checksum_of(table: str, payload: dict[str, Any]) -> str:
    """Return the checksum of the fact of `table` that says `payload` (JSON types).

    Works on the JSON itself, without making nouns of it: a base has hundreds of thousands. Raises ValueError, KeyError,
    TypeError or AttributeError for what is no such fact."""
    if table == "chunks":
        return _of_row(payload)
    if table == "mentions":
        return digest_of(payload["mentions"])
    if table == "sources" and payload["failure"] is not None:
        # As `SourceRecord.digest`: the words of a failure may tell of the machine.
        return digest_of({**payload, "failure": {**payload["failure"], "message": ""}})
    return digest_of(payload)


def _of_row(payload: dict[str, Any]) -> str:
    values = {name: value for name, value in payload.items() if name not in _OF_CHUNK}
    text = sha256_hex(payload["text"])
    if payload["text_checksum"] != text:
        raise ValueError("its text is not what its checksum says")
    values["text"] = text
    row = digest_of(values)
    if payload["row_checksum"] != row:
        raise ValueError("its row checksum is not that of its values")
    return row
