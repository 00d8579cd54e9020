"""docs/cli.md is what the commands say of themselves with `--help`.

After a wanted change: `CONCORD_REWRITE_GOLDEN=1 pytest tests/project/test_cli_page.py`, then read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

from typer.testing import CliRunner

from ingest.cli.entities import app as entities
from ingest.cli.main import app
from ingest.cli.serve import app as serve
from ingest.cli.snapshots import app as snapshots

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
REWRITE = os.environ.get("CONCORD_REWRITE_GOLDEN") == "1"
GROUPS = {"snapshots": snapshots.app, "entities": entities.app, "registry": entities.registry, "serve": serve.app}
NAMED = [
    (group, command.name or getattr(command.callback, "__name__", ""))
    for group, commands in GROUPS.items() for command in commands.registered_commands
]
COMMANDS = (*((command.name or "",) for command in app.registered_commands), *NAMED)
INTRODUCTION = "Every command as it explains itself with `--help`. Results go to stdout, progress and messages to stderr."


def generated() -> str:
    """The page: one heading a command, its help below."""
    page = f"# Commands\n\n{INTRODUCTION}\n"
    for command in COMMANDS:
        shown = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "110"}, prog_name="ingest")
        assert shown.exit_code == 0, shown.output
        text = "\n".join(line.rstrip() for line in shown.stdout.strip().splitlines())
        page += f"\n## ingest {' '.join(command)}\n\n```text\n{text}\n```\n"
    return page


def test_the_page_is_what_the_commands_say() -> None:
    if REWRITE:
        PAGE.write_text(generated(), encoding="utf-8")
    else:
        assert PAGE.read_text(encoding="utf-8") == generated()


def test_nothing_is_being_rewritten() -> None:
    assert not REWRITE
