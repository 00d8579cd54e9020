"""How likely it is that an answer's evidence answers the question: a calibrated chance, and when it is too low to say so.

    features of the question and the rows (`features.py`)  ->  a sum weighted by sufficiency.json  ->  1 / (1 + e^-sum)

Sets of weights: one of terms and names alone, and for engines whose vectors carry meaning one with cosines and one for questions
that name a known thing, in which what is asked of it counts apart from its name; of the last another for answers of which
sentences were looked at. They are data, fitted by
`python -m benchmarks.sufficiency --fit`, and say on what. An answer in another language than the question is not judged by words,
which it cannot share, but by its numbers and names and by the vectors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from indexes.bm25.terms import query_terms
from indexes.query.features import NOTHING, Features, Held, Near, Subject, features
from indexes.query.signals import E5, Signals
from ingest.model.canonical import plain
from ingest.model.evidence import Evidence

FITTED = Path(__file__).with_name("sufficiency.json")
WORDS = ("known", "share", "unheard", "run", "match")
"""Features that mean something, or something else, where question and row are in one language."""
NAMES = ("first", "numbers", "keys", "codes", "contrast", "split", "strange")
VECTORS = ("cosine", "margin", "deviations")
NEAR = ("own", "above", "ahead")
"""Of the question without its names."""
SENTENCES = ("sentence",)
APART = ("known", "margin", "deviations", *NEAR, *SENTENCES)
"""What has another weight between languages: that things are known, and by how much the nearest row exceeds the others. How
near it is depends on which two languages they are."""


@dataclass(frozen=True, slots=True)
class Judged:
    """`chance`: that the evidence answers, 0 to 1, None where there is none. `features`: what it was made of."""

    chance: float | None
    features: Features


def judged(
    query: str, evidence: Sequence[Evidence], signals: Signals, engine: str, subjects: Sequence[Subject] = (),
    held: Held = NOTHING, near: Near | None = None,
) -> Judged:
    """Return the chance that `evidence` answers `query`. `engine`: whose vectors the signals tell of (`e5`, `hash` ...);
    `subjects`: what the question names of the things that are known; `held`: which of some terms the collection has for this
    caller; `near`: measures how near the question without its names comes."""
    found = features(query, evidence, signals, subjects, held, near)
    if not evidence:
        return Judged(None, found)
    if not query_terms(query):  # marks and words that only join ask nothing, however near a row comes to them
        return Judged(0.0, found)
    return Judged(chance(found, weights_for(engine, found)), found)


def weights_for(engine: str, found: Features) -> Mapping[str, float]:
    """The weights by column, see `set_for`."""
    return _fitted()[set_for(engine, found)]


def set_for(engine: str, found: Features) -> str:
    """The name of the weights that features are judged by: those with vectors where the engine's vectors are the ones that they
    were fitted on, of these the ones for known things where the question could be held against rows without their names, and of
    these others where sentences were looked at."""
    if engine not in E5 or found.cosine is None:
        return "terms"
    if not found.apart:
        return "meaning"
    return "named" if found.sentence is None else "named, sentences"


def chance(found: Features, weights: Mapping[str, float]) -> float:
    """The logistic function of the weighted columns."""
    sum = math.fsum(weights[name] * value for name, value in columns(found).items() if name in weights)
    return round(1 / (1 + math.exp(-max(-40.0, min(40.0, sum)))), 4)


def columns(found: Features) -> dict[str, float]:
    """Features as they are weighted: words where the languages are the same, and vectors for either case."""
    values = {name: 0.0 if value is None else float(value) for name, value in plain(found).items()}
    across = values.pop("across")
    made = {"one": 1.0, "across": across}
    made |= {name: values[name] for name in (*NAMES, "untold")}
    made |= {name: values[name] * (1 - across) for name in WORDS}
    made |= {name: values[name] * (1 - across) for name in (*VECTORS, *NEAR, *SENTENCES)}
    return made | {f"{name} across": values[name] * across for name in APART}


@cache
def _fitted() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(FITTED.read_text(encoding="utf-8"))["weights"]
    return found
