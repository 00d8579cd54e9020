"""How refusals are measured: made questions and their neighbours, the fit, and what a chance is worth."""

from __future__ import annotations

import json
import random

from benchmarks.sufficiency.diagram import diagram
from benchmarks.sufficiency.fitting import SETS, TERMS, error, fitted, held_out, refusals, reliability
from benchmarks.sufficiency.made import Holed, holds
from benchmarks.sufficiency.measured import Seen
from indexes.query.features import Features
from indexes.query.sufficiency import FITTED


def seen(count: int = 400) -> list[Seen]:
    """Questions whose answer depends on keys and share, with noise."""
    draw = random.Random(3)  # noqa: S311  # no secret
    found = []
    for number in range(count):
        features = Features(share=draw.random(), unheard=draw.random(), keys=float(draw.random() < 0.4))
        right = features.share - 0.9 * features.keys + draw.gauss(0, 0.1) > 0.3
        found.append(Seen("fact", "en", str(number % 20), right, features))
    return found


def test_the_fit_finds_what_speaks_to_which_side_and_is_calibrated() -> None:
    weights = fitted(seen(), TERMS)
    assert weights["share"] > 0 > weights["keys"]
    judged = held_out(seen(), TERMS)
    found = refusals(seen(), judged, 0.5)
    assert found.precision > 0.85 and found.recall > 0.85 and found.refused_wrongly < 0.15
    assert error(reliability(seen(), judged)) < 0.08


def test_the_weights_that_are_shipped_have_the_columns_that_are_fitted() -> None:
    shipped = json.loads(FITTED.read_text(encoding="utf-8"))
    fitted = {name: set(columns) for name, (columns, _) in SETS.items()}
    assert {name: set(weights) for name, weights in shipped["weights"].items()} == fitted
    assert "questions" in shipped["fitted_on"]


def test_made_questions_have_answers_or_neighbours() -> None:
    world = Holed("zh", 1)
    asked = list(world.questions())
    assert asked == list(Holed("zh", 1).questions()), "the same on every machine"
    kinds = {each.kind for each in asked}
    assert {"fact", "product left out", "no such product", "no such version", "no such person", "words"} <= kinds
    for each in asked:
        if each.kind == "fact":
            assert each.paper is not None
            assert holds(each, f"docs/{each.paper}.md", world.papers[each.paper])
        elif each.kind.startswith("no such"):
            assert each.paper is None


def test_the_diagram_draws_every_curve() -> None:
    picture = diagram({"one": [(0.1, 0.2, 5), (0.9, 0.8, 7)], "two": [(0.5, 0.5, 1)]})
    assert picture.startswith("<svg") and picture.count("<circle") == 3 and ">two</text>" in picture
