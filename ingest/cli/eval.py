"""`ingest eval`: how well questions are answered, with intervals, by category; what came instead; what got better or worse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.evaluating import Evaluation

NAME = "eval"

_MISSES = 20
"""Missed questions that are printed; --json and --report have them all."""


def command(
    questions: Annotated[Path, typer.Argument(help="one question a line, as JSON; see docs/evaluation.md")],
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    format: Annotated[Literal["text", "json", "markdown"], typer.Option("--format", help="text, json or markdown")] = "text",
    generation: options.Generation = None,
    compare: Annotated[int | None, typer.Option("--compare", metavar="N", help="also ask generation N, and compare")] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="FILE", help="also ask under these settings, and compare")
    ] = None,
    threshold: Annotated[
        list[str] | None, typer.Option("--threshold", metavar="M>=X", help="what a metric must reach; may be repeated")
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="DIR", help="write eval.html and eval.json there")] = None,
) -> None:
    """Ask every question of a file and say how well it was answered: recall, ranks, entities, versions, refusals, leaks, time.

    Each figure comes with its 95 % interval, over all, by category and by language. Thresholds are those of the settings ([eval]
    thresholds) and of --threshold: nDCG@10>=0.9 for all, table:Recall@20>=0.97 for a category, each:leaks<=0 for every one.

    Exit codes: 0, 1 a threshold was missed or something leaked, 2 a line of the file or a threshold cannot be taken, 6 nothing is
    published or its engine is missing.

    Example:  ingest eval questions.jsonl --threshold 'nDCG@10>=0.9' --report out
    """
    from flows.evaluating import evaluate, keep_figures
    from flows.evaluation.question import read
    from ingest.cli.output import print_json, work_apart
    from ingest.cli.progress import shown
    from ingest.errors import UsageError

    if compare is not None and against is not None:
        raise UsageError("--compare and --against are two questions; give one of them")
    settings = options.read_settings(kb, config)
    asked = read(questions)
    with work_apart(), shown() as progress:
        made = evaluate(
            settings, asked, progress, generation=generation, thresholds=(*settings.eval.thresholds, *(threshold or ())),
            other_generation=compare, other_settings=None if against is None else options.read_settings(settings.kb, against),
        )
        keep_figures(settings, made, questions, progress)
        if report is not None:
            from flows.reporting.evaluation import write

            write(made, report)
    if json or format == "json":
        print_json(made)
    else:
        _say(made, as_markdown=format == "markdown")
    raise typer.Exit(0 if made.passed and not made.groups[0].leaks else 1)


def _say(made: Evaluation, *, as_markdown: bool) -> None:
    from flows.evaluation import told
    from ingest.cli.output import say, table

    def show(headings: list[str], rows: list[list[str]]) -> None:
        if as_markdown:
            say("\n".join(told.markdown(headings, iter(rows))))
        else:
            table(headings, rows)
        say()

    say(f"generation {made.generation}, {made.questions} questions\n")
    show(told.headings(made.groups), list(told.rows(made.groups)))
    if made.against:
        say(f"compared with {made.against} (* the interval leaves out 0)\n")
        show(list(told.CHANGE_HEADINGS), list(told.changes(made.compared)))
    missed = [one for one in made.outcomes if one.missed]
    for one in missed[:_MISSES]:
        say(f"{'- ' if as_markdown else ''}{one.id}: {one.query}: {'; '.join(one.missed)}")
        if one.came and not as_markdown:
            say(f"    came first: {one.came[0].uri}: {one.came[0].text}")
    if len(missed) > _MISSES:
        say(f"and {len(missed) - _MISSES} more that were missed; --report DIR and --json have them all")
    for verdict in made.verdicts:
        say(("- " if as_markdown else "") + told.verdict(verdict))
