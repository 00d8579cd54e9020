"""`ingest doctor`: what is installed and what is wrong, with a remedy for each problem."""

from __future__ import annotations

from typing import Annotated

import typer

from ingest.cli import options

NAME = "doctor"


def command(
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
    steps: Annotated[bool, typer.Option("--steps", help="list the steps at which debug.stop_at can stop a writer")] = False,
) -> None:
    """Examine the installation and a knowledge base. Exit code 1 when something needs attention.

    Example:  ingest doctor
    """
    from flows.doctor import examine
    from ingest.cli.output import print_json, say, table, work_apart

    if steps:
        from ingest.steps import STEPS

        print_json(STEPS) if json else table(("step", "what is true at it"), STEPS.items())
        return
    with work_apart():
        findings = examine(options.read_settings(kb, config))
    if json:
        print_json(findings)
    else:
        for finding in findings:
            say(f"{'ok  ' if finding.ok else 'FIX '} {finding.subject}: {finding.detail}")
            if not finding.ok:
                say(f"     -> {finding.remedy}")
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)
