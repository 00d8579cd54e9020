"""Questions whose thing is told of in another language."""

from __future__ import annotations

import numpy as np
import pytest

from indexes.query.halfway import abroad, halfway
from ingest.protocols import Hit

LISTS = {"zh": [Hit("z1", 0.8), Hit("z2", 0.7)], "en": [Hit("e1", 0.6), Hit("e2", 0.5), Hit("e3", 0.4)], "": [Hit("x", 0.3)]}


def test_a_question_is_abroad_where_most_rows_with_the_name_are_in_another_language() -> None:
    assert abroad("一体机有多重", LISTS, {"e1", "e2"})
    assert abroad("一体机有多重", LISTS, {"e1", "e2", "z1"})
    assert not abroad("一体机有多重", LISTS, {"e1", "z1"})
    assert not abroad("How heavy is the appliance?", LISTS, {"e1", "e2"})
    assert abroad("How heavy is the appliance?", LISTS, {"z1"})


def test_a_question_is_not_abroad_where_no_row_has_the_name_or_its_language_is_unknown() -> None:
    assert not abroad("一体机有多重", LISTS, set())
    assert not abroad("", LISTS, {"e1"})
    assert not abroad("Сколько он весит?", LISTS, {"e1"})


def test_halfway_is_a_unit_vector_as_near_to_one_as_to_the_other() -> None:
    one, two = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    between = halfway(one, two)
    assert between @ between == pytest.approx(1) and between @ one == pytest.approx(between @ two)
