"""The review queue as a table for people who review in a spreadsheet, and their answers back.

The columns `decision` and `reason` are theirs; everything else says what is asked. Ids are compared when the table comes back,
so that an answer is never taken for a question that has changed. A cell that a spreadsheet would run as a formula begins with an
apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from entities.seeds.entry import SeedProblem
from flows.judging import Decided
from flows.reviewing import Answer, Question, answer_all, asked
from ingest.settings import Settings

COLUMNS = ("question", "kind", "type", "left", "left_id", "left_names", "relation", "right", "right_id", "right_names", "score",
           "why", "evidence", "decision", "reason")

_WORDS: dict[Answer, tuple[str, ...]] = {
    "yes": ("yes", "y", "same", "accept", "true", "merge", "是", "同一", "相同", "合并", "接受", "对"),
    "no": ("no", "n", "different", "reject", "false", "否", "不同", "不是", "拒绝", "错"),
    "pin": ("pin", "never", "永不合并", "永远分开"),
}
_SAID: dict[str, Answer] = {word: said for said, words in _WORDS.items() for word in words}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARK = "\ufeff"
"""By which spreadsheets know UTF-8."""


def sheet(questions: Iterable[Question]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield _MARK + _line(COLUMNS)
    for each in questions:
        evidence = " ‖ ".join(f"{excerpt.uri}: {excerpt.text}" for excerpt in each.evidence)
        why = "; ".join([each.why, *each.reasons])
        yield _line((
            each.id, each.kind, each.type, each.left.label, each.left.id, " | ".join(each.left.names), each.relation,
            each.right.label, each.right.id, " | ".join(each.right.names), f"{each.score:.3f}", why, evidence, "", "",
        ))


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(["'" + cell if cell.startswith(_FORMULA) else cell for cell in cells])
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a table. `blank`: rows without a decision; `gone`: questions that wait no more."""

    decided: tuple[Decided, ...]
    blank: int
    gone: int
    problems: tuple[SeedProblem, ...]


def take_answers(settings: Settings, text: str, name: str, *, actor: str) -> Answered:
    """Take the answers of a table, none where a row is wrong: it is told with its row and a remedy."""
    rows = list(_rows(text))
    problems: list[SeedProblem] = []
    wanted: list[tuple[str, str, Answer, str]] = []
    blank = 0
    if not rows or not {"question", "decision"} <= rows[0][1].keys():
        remedy = "export it again: ingest entities review --csv FILE"
        return Answered((), 0, 0, (SeedProblem(f"{name} row 1", "it lacks the columns question and decision", remedy),))
    for number, row in rows:
        said = row["decision"].strip().casefold()
        if not said:
            blank += 1
        elif said not in _SAID:
            known = ", ".join(word for words in _WORDS.values() for word in words)
            problems.append(SeedProblem(f"{name} row {number}", f"{row['decision']!r} is no decision", f"write one of {known}"))
        else:
            wanted.append((f"{name} row {number}", row["question"], _SAID[said], row.get("reason", "").strip()))
    waiting = asked(settings, (id for _, id, _, _ in wanted))
    by_id = dict(_by_id(rows))
    for place, id, said_, _ in wanted:
        question = waiting.get(id)
        if question is not None and (question.left.id, question.right.id) != by_id[id]:
            problems.append(SeedProblem(place, "its ids are not those that were asked about", "export the table again"))
        if question is not None and question.kind == "assertion" and said_ == "pin":
            problems.append(SeedProblem(place, "only two entities can be pinned apart", "answer yes or no"))
    if problems:
        return Answered((), blank, 0, tuple(problems))
    places = {id: place for place, id, _, _ in wanted}
    answers = [(waiting[id], said_, reason or f"reviewed in {name}") for _, id, said_, reason in wanted if id in waiting]
    decided, refused = answer_all(settings, answers, actor=actor)
    for question, error in refused:
        problems.append(SeedProblem(places[question.id], str(error), "correct the row and import the table again"))
    return Answered(tuple(decided), blank, sum(id not in waiting for _, id, _, _ in wanted), tuple(problems))


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text.removeprefix(_MARK), newline=""), delimiter=max(",;\t", key=first.count))
    for number, row in enumerate(reader, 2):
        yield number, {str(key).strip().casefold(): _cell(value) for key, value in row.items() if key is not None}


def _cell(value: str | None) -> str:
    text = value or ""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text


def _by_id(rows: Iterable[tuple[int, dict[str, str]]]) -> Iterator[tuple[str, tuple[str, str]]]:
    return ((row["question"], (row.get("left_id", ""), row.get("right_id", ""))) for _, row in rows)
