"""The sets of questions, composed of the facts of the made world and of those given by hand; written as JSON Lines.

    python -m benchmarks.answers.questions        writes golden.jsonl, calibration.jsonl and harder.jsonl to fixtures/eval

The golden set asks of the fixtures and of two thirds of the world, both calibration sets of the other third alone: what is
fitted on these never saw a subject of that.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.answers.composing import AS_OF, Composer, Question, question
from benchmarks.answers.harder import HARDER, Harder
from benchmarks.answers.world.everything import FIXTURES, LANGUAGES

CATEGORIES = (
    "alias", "cross-document", "version conflict", "negation", "access isolation", "no answer", "table", "code", "cross-lingual"
)
EACH = 24
"""Questions of a category and language in the golden set."""
EVAL = FIXTURES / "eval"
_GIVEN = yaml.safe_load((Path(__file__).parent / "world" / "given.yaml").read_text(encoding="utf-8"))
_CALIBRATED = {  # questions of a category and language in the calibration set
    "alias": 12, "cross-document": 8, "negation": 12, "table": 12, "code": 12, "cross-lingual": 14, "plain": 24, "no answer": 70,
}


def golden() -> Iterator[Question]:
    for category, language in itertools.product(CATEGORIES, LANGUAGES):
        given = [_given(category, one) for one in _GIVEN[category] if one["language"] == language]
        made = Composer(language, "golden").of(category, EACH - len(given))
        yield from _numbered([*given, *made], category, language)


def calibration() -> Iterator[Question]:
    for (category, many), language in itertools.product(_CALIBRATED.items(), LANGUAGES):
        yield from _numbered(Composer(language, "calibration").of(category, many), category, language, "c-")


def harder() -> Iterator[Question]:
    for (category, many), language in itertools.product(HARDER.items(), LANGUAGES):
        yield from _numbered(Harder(language).of(category, many), category, language, "h-")


def _numbered(questions: Sequence[Question], category: str, language: str, prefix: str = "") -> Iterator[Question]:
    for number, one in enumerate(questions, 1):
        yield {"id": f"{prefix}{category.replace(',', '').replace(' ', '-')}-{language}-{number:02}", **one}


def _given(category: str, one: dict[str, Any]) -> Question:
    expected: dict[str, Any] = {"sources": [f"corpus/{path}" for path in one.get("in", ())], "spans": one.get("spans", [])}
    for key in ("version", "conflict"):
        if key in one:
            expected[key] = one[key]
    if "entities" in one:
        expected["entities"] = [f"urn:kb:entity:{name}" for name in one["entities"]]
    expected["refusal"] = one.get("none", False)
    if "never" in one:
        expected["never"] = [f"corpus/{name}" if (FIXTURES / "corpus" / name).is_file() else name for name in one["never"]]
    return question(category, one["language"], one["q"], expected, one.get("who"), str(one.get("as_of", AS_OF)))


def main() -> None:
    EVAL.mkdir(exist_ok=True)
    for name, questions in (("golden", golden()), ("calibration", calibration()), ("harder", harder())):
        lines = [json.dumps(one, ensure_ascii=False) for one in questions]
        (EVAL / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name}: {len(lines)} questions")


if __name__ == "__main__":
    main()
