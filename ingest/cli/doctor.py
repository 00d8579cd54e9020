"""`ingest doctor`: what is installed and what is wrong, with a remedy for each problem."""

from __future__ import annotations

import typer

from ingest.cli import options

NAME = "doctor"


def command(kb: options.Kb = None, config: options.Config = None, json: options.Json = False) -> None:
    """Examine the installation and a knowledge base. Exit code 1 when something needs attention.

    Example:  ingest doctor
    """
    from flows.doctor import examine
    from ingest.cli.output import print_json, say, work_apart

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
