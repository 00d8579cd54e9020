"""`ingest entities review`: the questions that wait for a person, side by side, one key an answer; or as a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.reviewing import Question
    from ingest.settings import Settings

_KEYS = "y yes   n no   p never merge   s skip   q quit   ? keys"
_COLUMN = 46


def command(
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="write the questions as a table")] = None,
    answers: Annotated[Path | None, typer.Option("--answers", metavar="FILE", help="take the answers of such a table")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="questions at most")] = None,
    reason: Annotated[str, typer.Option("--reason", help="why, noted with each answer")] = "reviewed side by side",
    actor: options.Actor = None,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    whole: Annotated[bool, typer.Option("--whole", help="every question, whoever may see its evidence")] = False,
) -> None:
    """Answer what resolution and the wording of documents leave to people. With --json, only list it; with --csv and --answers,
    the way through a spreadsheet: fill in the columns `decision` (yes, no, pin; 是, 否) and `reason`.

    Every answer is kept at once and shows with the next run; `ingest entities revoke` takes one back.

    Example:  ingest entities review --csv questions.csv
    """
    from flows.reviewing import questions
    from ingest.cli.output import print_json, say, work_apart

    settings = options.read_settings(kb, config)
    if answers is not None:
        _take(settings, answers, options.actor(actor), json)
        return
    who = None if whole else options.principal(settings, user, role, tenant, level)
    with work_apart():
        found = questions(settings, who, limit)
    if csv is not None:
        _write(csv, found)
        print_json({"file": str(csv), "questions": len(found)}) if json else say(
            f"{len(found)} questions in {csv}; when they are answered: ingest entities review --answers {csv}")
    elif json:
        print_json(found)
    else:
        with _keys() as read_key:
            told = ask(settings, found, read_key, options.actor(actor), options.text(reason))
        say(f"{told} answered; what was decided shows with the next: ingest run" if told else "nothing was decided")


def ask(settings: Settings, found: list[Question], read_key: Callable[[], str], actor: str, reason: str) -> int:
    """Show questions one by one and keep each answer at once. Returns how many were answered. `read_key` gives one character, or
    an empty text at the end."""
    from flows.reviewing import Answer, answer
    from ingest.cli.output import say
    from ingest.errors import UsageError

    meaning: dict[str, Answer] = {"y": "yes", "n": "no", "p": "pin"}
    count = 0
    for number, question in enumerate(found, 1):
        for line in side_by_side(question):
            say(line)
        while True:
            print(f"[{number}/{len(found)}] {_KEYS} > ", end="", flush=True)
            key = read_key().lower()
            print(key if key.isprintable() else "", flush=True)
            if key in ("q", "", "\x03", "\x04"):
                return count
            if key == "s":
                break
            if key not in meaning:
                say("y: they are one, or it is true.  n: they are not.  p: never merge them, whatever identifiers say.")
                continue
            try:
                decided = answer(settings, question, meaning[key], actor=actor, reason=reason)
            except UsageError as error:
                say(str(error))
                continue
            say(f"  kept as {decided.judgement_id}")
            count += 1
            break
    return count


def side_by_side(question: Question) -> Iterator[str]:
    """A question in lines: both sides in columns, what speaks for it, and where it can be read."""
    left, right = question.left, question.right
    yield ""
    yield f"{question.type}  {left.label}  {question.relation}  {right.label} ?"
    rows = [(left.id, right.id), *_paired(left.names, right.names), *_paired(left.identifiers, right.identifiers)]
    for one, other in rows:
        yield f"  {_fitted(one)} | {other}"
    yield f"  why       {question.why}"
    for reason in question.reasons:
        yield f"            {reason}"
    for excerpt in question.evidence:
        yield f"  evidence  {excerpt.uri}: {excerpt.text}"


def _paired(ours: Iterable[str], theirs: Iterable[str]) -> Iterator[tuple[str, str]]:
    from itertools import zip_longest

    return zip_longest(ours, theirs, fillvalue="")


def _fitted(text: str) -> str:
    """A text in a column; wide characters count as two."""
    from ingest.cli.output import width

    while width(text) > _COLUMN:
        text = text[:-2] + "…"
    return text + " " * (_COLUMN - width(text))


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Yield what reads one key: without Enter from a terminal, the first character of a line from anything else."""
    if not sys.stdin.isatty():
        yield lambda: (line.strip() or "s")[0] if (line := sys.stdin.readline()) else ""
        return
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield lambda: sys.stdin.read(1)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _write(file: Path, found: list[Question]) -> None:
    from flows.review_sheet import sheet
    from ingest.errors import StorageFailed

    try:
        with file.open("w", encoding="utf-8", newline="") as out:
            out.writelines(sheet(found))
    except OSError as error:
        raise StorageFailed(f"{file} cannot be written ({error.strerror}); check the folder") from error


def _take(settings: Settings, file: Path, actor: str, json: bool) -> None:
    from flows.review_sheet import take_answers
    from ingest.cli.output import print_json, say, work_apart
    from ingest.errors import UsageError
    from ingest.model.decoding import decode

    try:
        text = decode(file.read_bytes()).text
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {error}; check the path, and save it as CSV") from error
    with work_apart():
        taken = take_answers(settings, text, file.name, actor=actor)
    if json:
        print_json({"decided": [each.judgement_id for each in taken.decided], "blank": taken.blank, "gone": taken.gone,
                    "problems": taken.problems})
    else:
        for problem in taken.problems:
            say(f"{problem.place}: {problem.message}; {problem.remedy}")
        say(f"{len(taken.decided)} answers kept, {taken.blank} rows without one, {taken.gone} that wait no more")
    if taken.problems:
        raise typer.Exit(1)
