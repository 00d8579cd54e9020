"""Stable order of small non-negative integers, by 16-bit digits: what turns postings by row into postings by term and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Order = NDArray[np.intp]


def stable_order(values: NDArray[Any], bound: int) -> Order:
    """Return the indices that sort `values`, each below `bound`; equal values keep their order.

    numpy sorts 16-bit keys by radix, so one pass a digit takes a third of the time of a stable sort of wider keys.
    """
    order: Order = np.argsort(values.astype(np.uint16), kind="stable")
    shift = 16
    while bound > 1 << shift:
        digit = (values >> shift).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
        shift += 16
    return order
