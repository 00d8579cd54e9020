"""Questions whose thing is told of in another language."""

from __future__ import annotations

import numpy as np
import pytest

from indexes.query.halfway import goes_halfway, halfway
from ingest.protocols import Hit

LISTS = {"zh": [Hit("z1", 0.8), Hit("z2", 0.7)], "en": [Hit("e1", 0.6), Hit("e2", 0.5), Hit("e3", 0.4)], "": [Hit("x", 0.3)]}


def test_a_question_goes_halfway_where_most_rows_with_the_name_are_in_another_language() -> None:
    assert goes_halfway("一体机有多重", LISTS, [{"e1", "e2"}])
    assert goes_halfway("一体机有多重", LISTS, [{"e1", "e2", "z1"}])
    assert not goes_halfway("一体机有多重", LISTS, [{"e1", "z1"}])
    assert not goes_halfway("How heavy is the appliance?", LISTS, [{"e1", "e2"}])
    assert goes_halfway("How heavy is the appliance?", LISTS, [{"z1"}])


def test_a_question_about_several_things_goes_halfway_in_any_language() -> None:
    assert goes_halfway("一体机有多重", LISTS, [{"z1"}, {"z2"}])


def test_a_question_stays_where_no_row_has_the_name_or_its_language_is_unknown() -> None:
    assert not goes_halfway("一体机有多重", LISTS, [])
    assert not goes_halfway("一体机有多重", LISTS, [set()])
    assert not goes_halfway("", LISTS, [{"e1"}])
    assert not goes_halfway("Сколько он весит?", LISTS, [{"e1"}, {"z1"}])


def test_halfway_is_a_unit_vector_as_near_to_one_as_to_the_other() -> None:
    one, two = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    between = halfway(one, two)
    assert between @ between == pytest.approx(1) and between @ one == pytest.approx(between @ two)
