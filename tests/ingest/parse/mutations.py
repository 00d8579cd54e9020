"""Small documents made wrong as files go wrong: cut, flipped, doubled, spliced, flooded. The same for every run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

HOSTILE = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b$B", b"<", b">", b"</", b"<!--", b"<![CDATA[", b"&#0;", b"&#x110000;", b"&amp",
    b'"', b"'", b"[", b"](", b"|", b"`", b"*", b"_", b"$$", b"\\", b"{", b"}", b"(((", b"\r", b"\n\n", b"\t", b"    ", b"> ",
    b"- ", b"1. ", b"!!! ", b":::", b"===", b"---\n", b"=?utf-8?B?", b"=?x?Q?=?=", b"--B--", b"--B", b"Content-Type: ",
    b"boundary=", b"1e999", b"NaN", b"\\ud800", b"9" * 400, b"colspan=99999999", b"rowspan=0", "\u2028".encode(),
    "\u202e".encode(), "\u0301".encode() * 50, b"A" * 500, b"<b>" * 300, b"[" * 300, b">" * 300, b"," * 300, b'"' * 301,
)  # fmt: skip


def mutated(seeds: Sequence[bytes], count: int, seed: int) -> Iterator[bytes]:
    """`count` wrong documents made of `seeds`."""
    rng = random.Random(seed)  # noqa: S311  # no secret
    for _ in range(count):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randint(1, 6)):
            _change(rng, data, seeds)
        yield bytes(data)


def _change(rng: random.Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    size = len(data)
    if not size:
        data += rng.choice(seeds)[:64]
        return
    start = rng.randrange(size)
    end = min(size, start + rng.choice((1, 2, 8, 64, 512)))
    match rng.randrange(9):
        case 0:
            data[start] ^= 1 << rng.randrange(8)
        case 1:
            del data[start:end]
        case 2:
            data[start:start] = data[start:end] * rng.randint(1, 20)
        case 3:
            data[start:start] = rng.choice(HOSTILE) * rng.choice((1, 1, 2, 30))
        case 4:
            del data[start:]
        case 5:
            other = rng.choice(seeds)
            data[start:end] = other[rng.randrange(len(other)) :][:200]
        case 6:
            data[start:end] = rng.randbytes(end - start)
        case 7:
            data[start:end] = bytes(reversed(data[start:end]))
        case _:
            data[start:start] = rng.choice(HOSTILE)
            data.reverse() if rng.random() < 0.02 else None
