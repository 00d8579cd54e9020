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


def test_a_question_goes_on_to_what_sets_the_nearest_rows_of_its_language_apart(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    texts = ["整机重量", "整机质保", "整机功耗", "电池寿命"]
    rows = [make_row(number, text=text, language="zh") for number, text in enumerate(texts)]
    hidden = make_row(len(rows), text="整机", language="zh", access=Access(level=2))
    with make_snapshot([*rows, hidden]) as snapshot:
        held = snapshot.vector.vectors([row.chunk_id for row in rows])
        seen = np.stack([np.frombuffer(held[row.chunk_id], np.float32) for row in rows])
        rest = query = np.frombuffer(snapshot.vector.vectors([hidden.chunk_id])[hidden.chunk_id], np.float32)
        went = onward(snapshot, query, rest, "zh", Predicate())
        nearest = seen[np.argsort(-(seen @ rest), kind="stable")]
        apart = nearest[:3].mean(axis=0) - nearest.mean(axis=0)
        expected = query + ONWARD * apart / np.linalg.norm(apart)
        assert went == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5), "nothing of what is hidden"


def test_a_question_stays_where_its_language_has_no_more_rows_than_it_would_go_to(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [make_row(number, text=text, language="zh") for number, text in enumerate(["整机重量", "整机质保", "整机功耗"])]
    with make_snapshot(rows) as snapshot:
        query = np.frombuffer(snapshot.vector.vectors([rows[0].chunk_id])[rows[0].chunk_id], np.float32)
        assert onward(snapshot, query, query, "zh", Predicate()) is query


def test_halfway_is_a_unit_vector_as_near_to_one_as_to_the_other() -> None:
    one, two = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    between = halfway(one, two)
    assert between @ between == pytest.approx(1) and between @ one == pytest.approx(between @ two)
