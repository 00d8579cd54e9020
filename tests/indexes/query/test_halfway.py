"""Questions whose thing is told of in another language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from indexes.query.halfway import ONWARD, abroad, halfway, onward
from ingest.model.access import Access
from ingest.model.predicate import Predicate
from ingest.protocols import Hit

LISTS = {"zh": [Hit("z1", 0.8), Hit("z2", 0.7)], "en": [Hit("e1", 0.6), Hit("e2", 0.5), Hit("e3", 0.4)], "": [Hit("x", 0.3)]}


def test_a_question_is_abroad_where_most_rows_with_the_name_are_in_another_language() -> None:
    assert abroad("一体机有多重", LISTS, [{"e1", "e2"}]) == "zh"
    assert abroad("一体机有多重", LISTS, [{"e1", "z1"}, {"e2"}]) == "zh"
    assert abroad("How heavy is the appliance?", LISTS, [{"z1"}]) == "en"
    assert abroad("How heavy is the appliance?", LISTS, [{"e1", "e2"}]) is None
    assert abroad("一体机有多重", LISTS, [{"e1", "z1"}]) is None


def test_a_question_is_at_home_where_no_row_has_the_name_or_its_language_is_unknown() -> None:
    for rest, having in (("一体机有多重", []), ("一体机有多重", [set()]), ("", [{"e1"}]), ("Сколько он весит?", [{"e1"}])):
        assert abroad(rest, LISTS, having) is None, rest


def test_a_question_goes_on_to_the_rows_of_its_language_that_show(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [make_row(0, text="整机重量", language="zh"), make_row(1, text="整机质保", language="zh", access=Access(level=2))]
    with make_snapshot(rows) as snapshot:
        held = snapshot.vector.vectors([rows[0].chunk_id])
        seen = np.frombuffer(held[rows[0].chunk_id], np.float32)
        rest = query = np.eye(1, len(seen), dtype=np.float32)[0]
        went = onward(snapshot, query, rest, "zh", Predicate())
        assert went @ went == pytest.approx(1) and went @ seen > query @ seen
        expected = query + ONWARD * seen
        assert went == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5), "nothing of what is hidden"
        assert onward(snapshot, query, rest, "en", Predicate()) is query


def test_halfway_is_a_unit_vector_as_near_to_one_as_to_the_other() -> None:
    one, two = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    between = halfway(one, two)
    assert between @ between == pytest.approx(1) and between @ one == pytest.approx(between @ two)
