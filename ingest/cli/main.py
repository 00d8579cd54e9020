"""The `ingest` command: one file a subcommand, each of which imports what it needs inside its function.

Results go to stdout (text, or pure JSON with --json), progress and messages to stderr. The exit code is that of the error tree
in `ingest.errors`.
"""

from __future__ import annotations

import gc
import sys
from typing import Annotated, Literal

import typer

from ingest.cli import check, citations, deploy, doctor, eval, move, observing, parse, run, search, show, verify
from ingest.cli.encoding import insist_on_utf8
from ingest.cli.entities.app import app as entities
from ingest.cli.entities.app import registry
from ingest.cli.serve.app import app as serve
from ingest.cli.snapshots.app import app as snapshots
from ingest.errors import ConcordError

app = typer.Typer(
    name="ingest",
    help="Folders of documents become one knowledge base that agents can trust: a vector, a BM25 and a graph index, published "
    "together or not at all.\n\nStart with:  ingest run ./docs   then:  ingest search 'your question'",
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
)
for module in (run, check, verify, parse, search, citations, eval, show, doctor, move, deploy):
    app.command()(module.command)
    # The file is named like the command; the function cannot be (it would shadow builtins and the module).
    app.registered_commands[-1].name = module.NAME
app.add_typer(snapshots, name="snapshots")
app.add_typer(entities, name="entities")
app.add_typer(registry, name="registry")
app.add_typer(serve, name="serve")



@app.callback()
def every(
    log_format: Annotated[Literal["text", "json"] | None, typer.Option(
        "--log-format", help="what is written to stderr: text, or one JSON object a line (default: setting log.format)"
    )] = None,
) -> None:
    observing.choose_format(log_format)


_ALLOCATIONS = 50_000
"""Objects between two looks for garbage in cycles, of which we make little: Python's 700 cost a tenth of a short command."""


def main() -> None:
    """Run the command line: every error of ours becomes its message and its exit code."""
    insist_on_utf8()
    gc.set_threshold(_ALLOCATIONS)
    with observing.observed():
        _run()


def _run() -> None:
    try:
        app()
    except ConcordError as error:
        observing.failed(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left: nothing more to say, and no traceback about it
        sys.exit(1)
    except OSError as error:  # what the system refuses where no remedy is known: a path that is too long, a folder that is locked
        where = f"{error.filename}: " if error.filename else ""
        print(f"ingest: {where}{error.strerror or error}; check the path, its permissions and the disk", file=sys.stderr)
        sys.exit(1)
