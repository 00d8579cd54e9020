"""How well a query is met, in numbers."""

from __future__ import annotations

import pytest

from indexes.query.signals import Signals, signals
from ingest.protocols import Hit, Ranked


def test_nothing_found_says_nothing() -> None:
    assert signals([], Ranked([]), 40) == Signals()


def test_margin_match_and_agreement_are_those_of_the_lists() -> None:
    vector = [Hit("a", 0.9), Hit("b", 0.8), Hit("c", 0.7)]
    found = signals(vector, Ranked([Hit("c", 3.0), Hit("z", 1.0)], 6.0, weights={"gateway": 6.0}), 40)
    assert (found.cosine, found.match, found.weights) == (0.9, 0.5, {"gateway": 6.0})
    assert found.margin == pytest.approx(0.1)
    assert found.deviations == pytest.approx(0.1 / (0.02 / 3) ** 0.5)
    assert found.agreement == 0.5


def test_a_longer_list_says_the_same() -> None:
    vector = [Hit(f"v{number}", 0.9 - number * 0.01) for number in range(80)]
    assert signals(vector, Ranked([]), 40) == signals(vector[:40], Ranked([]), 40)
