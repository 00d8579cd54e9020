"""Terms are the same however many threads ask for them."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor

from indexes.bm25.terms import _stem

WORDS = ["".join(random.Random(number).choices("aeioubcdlmnrst", k=5)) + ending  # noqa: S311  # words, not secrets
         for number in range(150) for ending in ("ing", "ational", "fulness", "ies", "ement")]


def test_threads_that_stem_at_once_get_the_stems_of_one_that_is_alone() -> None:
    alone = [_stem(word) for word in WORDS]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            for stems in threads.map(lambda _: [_stem(word) for word in WORDS], range(16)):
                assert stems == alone
    finally:
        sys.setswitchinterval(before)
