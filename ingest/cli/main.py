"""The `ingest` command. Each subcommand lives in a file of its own and imports what it needs inside the function."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    raise SystemExit("ingest: no command yet")
