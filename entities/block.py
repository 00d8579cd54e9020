"""Who could be meant: for a name, the few entities worth a closer look, out of any number.

Two kinds of key. *Exact* ones (identifier, dictionary, normal form) are hash tables and decide. *Grams* (characters and pairs of
Chinese, three letters of Latin, initials, pinyin) are inverted lists in numpy arrays and only propose: the rarest grams of a name
are added up until a budget of entries is read, so a frequent one costs nothing and a look-up takes the same time in any registry.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from entities.names import Form
from entities.score import acronyms, pinyin, written_out

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HAN_RUN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_BUDGET = 8_000
"""Entries of inverted lists read for one name."""
_AT_LEAST = 4
"""Grams that are read even beyond the budget."""
_MOST_FREQUENT = 400_000
"""A longer list is never read: what so many names have tells nothing."""


class Grams:
    """Names by what they are made of. `add` them all, then `near`."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._grams = array("i")
        self._owners = array("i")
        self._count = 0
        self._built = False

    def add(self, form: Form) -> int:
        """Add a name; returns its number, from 0."""
        number = self._count
        self._count += 1
        ids = self._ids
        for gram in grams_of(form):
            self._grams.append(ids.setdefault(gram, len(ids)))
            self._owners.append(number)
        self._built = False
        return number

    def _build(self) -> None:
        import numpy as np

        grams = np.frombuffer(self._grams, np.int32) if self._grams else np.zeros(0, np.int32)
        owners = np.frombuffer(self._owners, np.int32) if self._owners else np.zeros(0, np.int32)
        order = np.argsort(grams, kind="stable")
        self._postings: NDArray[np.int32] = owners[order]
        lengths = np.bincount(grams, minlength=len(self._ids))
        self._starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(lengths)])
        self._weights: NDArray[np.float32] = np.log1p(self._count / np.maximum(lengths, 1)).astype(np.float32)
        sizes = np.zeros(self._count, np.float32)
        np.add.at(sizes, owners, self._weights[grams])
        self._sizes: NDArray[np.float32] = sizes
        self._found: NDArray[np.float32] = np.zeros(self._count, np.float32)
        self._built = True

    def near(self, form: Form, limit: int) -> list[tuple[int, float]]:
        """Return (number, share of the name's grams, by weight) of the names that have most of them, best first; ties by
        number. Not for threads."""
        import numpy as np

        if not self._built:
            self._build()
        known = [self._ids[gram] for gram in grams_of(form) if gram in self._ids]
        if not known:
            return []
        ids = np.array(known, np.int64)
        lengths = self._starts[ids + 1] - self._starts[ids]
        order = np.lexsort((ids, lengths))
        total = float(self._weights[ids].sum())
        read, touched = 0, []
        for rank, at in enumerate(order.tolist()):
            length = int(lengths[at])
            if (rank >= _AT_LEAST and read + length > _BUDGET) or length > _MOST_FREQUENT:
                break
            part = self._postings[self._starts[ids[at]] : self._starts[ids[at]] + length]
            self._found[part] += self._weights[ids[at]]
            touched.append(part)
            read += length
        if not touched:
            return []
        among = np.concatenate(touched)
        values = self._found[among]
        score = 0.7 * values / total + 0.3 * 2 * values / (total + self._sizes[among])
        found = self._best(among, score, limit)
        self._found[among] = 0
        return found

    @staticmethod
    def _best(among: NDArray[np.int32], score: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        import numpy as np

        enough = limit * 24  # a name comes up once a gram, so the best few are among these
        if len(score) > enough:
            kept = np.argpartition(-score, enough)[:enough]
            among, score = among[kept], score[kept]
        numbers, first = np.unique(among, return_index=True)
        order = np.lexsort((numbers, -score[first].round(6)))[:limit]
        return [(int(numbers[at]), float(score[first][at])) for at in order]


def grams_of(form: Form) -> list[str]:
    """What a name is found by, each once."""
    found: dict[str, None] = {}
    core = form.core
    if form.han:
        for run in _HAN_RUN.findall(" ".join(written_out(core)) if len(core) <= 6 else core):
            found.update(dict.fromkeys(run))
            found.update(dict.fromkeys(run[at : at + 2] for at in range(len(run) - 1)))
        if len(core) <= 8:
            sound = pinyin(core)
            found.update(dict.fromkeys(f"~{sound[at : at + 3]}" for at in range(len(sound) - 2)))
    if form.latin or not form.han:
        for token in form.tokens:
            if token.isascii() or not form.han:
                word = f"^{token}$"
                found.update(dict.fromkeys(word[at : at + 3] for at in range(max(1, len(word) - 2))))
        if not form.han:
            letters = core[:40]
            found.update(dict.fromkeys(f"~{letters[at : at + 3]}" for at in range(len(letters) - 2)) if len(core) <= 24 else {})
            if len(form.tokens) == 1 and len(core) <= 8:
                found[f"={core}"] = None
            found.update(dict.fromkeys(f"={initials}" for initials in acronyms(form)))
    return list(found)


class Table:
    """Exact keys: text -> numbers of those that have it, in ascending order."""

    def __init__(self) -> None:
        self._held: dict[str, list[int]] = {}

    def add(self, key: str, number: int) -> None:
        if key:
            held = self._held.setdefault(key, [])
            if not held or held[-1] != number:
                held.append(number)

    def get(self, key: str) -> Sequence[int]:
        return self._held.get(key, ()) if key else ()
