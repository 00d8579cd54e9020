"""One way to turn values into bytes, and bytes into digests.

Everything that is compared across runs, machines or indexes goes through here, so that equal content has equal digests
whatever the order of keys, the platform or the way in which a float was computed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any

FLOAT_DIGITS = 6
"""Floats are rounded before hashing: two BLAS kernels may differ in the last bits of what a person calls one number."""


def plain(value: Any) -> Any:
    """Return `value` as JSON types: dataclasses become objects, tuples and sets become lists (sets sorted)."""
    return _json_types(value, None)


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of `value`: UTF-8, keys sorted, no spaces, floats rounded, NaN refused."""
    return _encoder.encode(_json_types(value, FLOAT_DIGITS)).encode("utf-8", "surrogatepass")


_encoder = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_AS_THEY_ARE = frozenset((str, int, bool, type(None)))


def _json_types(value: Any, digits: int | None) -> Any:
    """One pass over a value; this runs for every row of every build, so the frequent types come first."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is tuple or kind is list:
        return [item if type(item) in _AS_THEY_ARE else _json_types(item, digits) for item in value]
    if kind is dict:
        return {str(key): item if type(item) in _AS_THEY_ARE else _json_types(item, digits) for key, item in value.items()}
    if kind is float:
        return value if digits is None else round(value, digits) + 0.0  # + 0.0: minus zero is zero
    names = _field_names(kind)  # type: ignore[arg-type]  # types are hashable
    if names is not None:
        return {name: _json_types(getattr(value, name), digits) for name in names}
    if isinstance(value, set | frozenset):
        return sorted((_json_types(item, digits) for item in value), key=canonical)
    if isinstance(value, tuple | list):
        return [_json_types(item, digits) for item in value]
    return value


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def digest_of(value: Any) -> str:
    """Return 32 hex digits of blake2b-128 over the canonical JSON of `value`."""
    return hashlib.blake2b(canonical(value), digest_size=16).hexdigest()


def sha256_hex(data: bytes | str) -> str:
    """Return the sha256 of bytes, or of the UTF-8 of a text, as 64 hex digits."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).hexdigest()


def nfc_posix(path: str) -> str:
    """Return a relative path as it enters identities: NFC (macOS stores NFD) with forward slashes."""
    return unicodedata.normalize("NFC", path.replace("\\", "/")).removeprefix("./")


class SetDigest:
    """Order-free, incremental digest of a set of (id, checksum) pairs: a count and a sum modulo 2^128 of blake2b-128.

    A sum, so that removing a pair is subtraction and the digest of the next generation costs only its delta. Two sets with
    equal count and total are equal up to a collision of blake2b-128 sums; this guards against faults and tampering with
    single rows, not against somebody who can choose thousands of checksums at will.
    """

    __slots__ = ("count", "total")

    def __init__(self, count: int = 0, total: int = 0) -> None:
        self.count = count
        self.total = total

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> SetDigest:
        count = total = 0
        for identifier, checksum in pairs:  # every row of a base passes here, four times a run: reduced once, at the end
            total += _pair(identifier, checksum)
            count += 1
        return cls(count, total % _MODULUS)

    @classmethod
    def parse(cls, text: str) -> SetDigest:
        """Read back what `str()` wrote."""
        count, _, total = text.partition(":")
        return cls(int(count), int(total, 16))

    def add(self, identifier: str, checksum: str) -> None:
        self.count += 1
        self.total = (self.total + _pair(identifier, checksum)) % _MODULUS

    def remove(self, identifier: str, checksum: str) -> None:
        self.count -= 1
        self.total = (self.total - _pair(identifier, checksum)) % _MODULUS

    def __str__(self) -> str:
        return f"{self.count}:{self.total:032x}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SetDigest) and (self.count, self.total) == (other.count, other.total)

    __hash__ = None  # type: ignore[assignment]  # mutable


_MODULUS = 1 << 128
_blake2b, _number = hashlib.blake2b, int.from_bytes


def _pair(identifier: str, checksum: str) -> int:
    return _number(_blake2b(f"{identifier}\0{checksum}".encode(), digest_size=16).digest(), "big")
