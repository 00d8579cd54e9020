"""`ingest run`: the whole flow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from ingest.model.report import PlanReport, RunReport

NAME = "run"


def command(
    paths: Annotated[list[Path] | None, typer.Argument(help="folders, files or URLs; default: every registered root")] = None,
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="print the plan and change nothing")] = False,
    name: Annotated[str | None, typer.Option("--name", help="name of a new root (default: the folder's name)")] = None,
    executor: Annotated[str | None, typer.Option("--executor", help="inline, processes or ray")] = None,
    workers: Annotated[int | None, typer.Option("--workers", help="workers (default: one a core)")] = None,
    rehash: Annotated[bool, typer.Option("--rehash", help="read every file, and try failed ones again")] = False,
    allow_mass_delete: Annotated[bool, typer.Option("--allow-mass-delete", help="let more than a tenth of a root go")] = False,
    re_engine: Annotated[bool, typer.Option("--re-engine", help="accept engines other than those recorded at publish")] = False,
    told: Annotated[Path | None, typer.Option("--report", metavar="FILE", help="a copy of the report: .html or .json")] = None,
) -> None:
    """Ingest folders: parse, chunk, index, prove and publish what changed since the last run.

    What it did is told in report.html and report.json in the knowledge base; --report of a dry run writes its plan.

    Exit codes: 0 ok, 4 some documents failed (the rest is published), 7 another run is writing or a hold is set.

    Example:  ingest run ./docs
    """
    from flows.pipeline import Options
    from flows.telling import run
    from ingest.cli.output import print_json, work_apart
    from ingest.cli.progress import shown

    settings = options.read_settings(kb, config, {"execute": {"executor": executor, "workers": workers}})
    wanted = Options(tuple(paths or ()), name, rehash, allow_mass_delete, re_engine, told)
    if dry_run:
        from flows.checking import planned

        with work_apart(), shown() as progress:
            plan = planned(settings, wanted, progress)
        if told is not None:
            from flows.reporting.others import plan_told

            plan_told(settings, plan, told)
        print_json(plan) if json else _say_plan(plan)
        return
    with work_apart(), shown() as progress:
        report = run(settings, wanted, progress)
    print_json(report) if json else _say_run(report)
    raise typer.Exit(report.exit_code)


def _say_run(report: RunReport) -> None:
    from ingest.cli.output import say

    sources = ", ".join(f"{count} {what}" for what, count in report.sources.items() if count) or "no sources"
    chunks = ", ".join(f"{count} {what}" for what, count in report.chunks.items() if count) or "none"
    if report.published:
        say(f"published generation {report.generation} (snapshot {report.snapshot[:12]})")
    else:
        say(f"nothing to do: generation {report.generation} still holds (snapshot {report.snapshot[:12]})")
    say(f"  sources: {sources}")
    say(f"  chunks:  {chunks}; {report.embedded} embedded")
    say("  seconds: " + ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in report.seconds.items()))
    for warning in report.warnings:
        say(f"  warning: {warning}")
    for failure in report.failures:
        served = "its last good text is still served" if failure.serving else "nothing of it is served"
        say(f"  failed:  {failure.uri}: {failure.message} ({failure.error}; {served})")
    if report.report:
        say(f"  report:  {report.report}")


def _say_plan(report: PlanReport) -> None:
    from ingest.cli.changes import lines, some
    from ingest.cli.output import say

    for line in (*lines(report.changes), *some(report.settings), *some(report.warnings, "warning: ")):
        say(line)
    say(f"{len(report.changes)} changes, {report.same} sources the same; nothing was written")
