"""`ingest parse`: what the parser saw, and the chunks it would make."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.work import Looked

NAME = "parse"


def command(
    files: Annotated[list[Path], typer.Argument(help="files to parse; nothing is written")],
    format: Annotated[Literal["markdown", "json"], typer.Option("--format", help="how to print")] = "markdown",
    chunks: Annotated[bool, typer.Option("--chunks", help="also the parents and children it would make")] = False,
    config: options.Config = None,
    json: options.Json = False,
) -> None:
    """Show what the parser makes of files. Exit code 4 when one of them cannot be parsed (the others are printed).

    Example:  ingest parse manual.pdf --chunks --format json
    """
    from flows.work import look
    from ingest.cli.output import print_json, work_apart
    from ingest.errors import ConcordError

    settings = options.read_settings(None, config)
    looked: list[Looked] = []
    code = 0
    for file in files:
        try:
            with work_apart():
                looked.append(look(file, settings))
        except ConcordError as error:
            print(f"ingest: {file}: {type(error).__name__}: {error}", file=sys.stderr)
            code = error.exit_code
    if json or format == "json":
        print_json([_as_json(item, chunks) for item in looked])
    else:
        for item in looked:
            _say(item, chunks)
    raise typer.Exit(code)


def _as_json(item: Looked, chunks: bool) -> dict[str, Any]:
    document = item.document
    seen: dict[str, Any] = {
        "source_id": item.source_id, "uri": item.uri, "media_type": document.media_type, "parser": document.parser,
        "title": item.title, "pages": document.pages, "blocks": document.blocks, "links": document.links,
        "omissions": document.omissions, "embedded": document.embedded,
    }
    if chunks:
        version = item.declared.version
        seen["parents"] = item.chunked.parents
        seen["children"] = [
            {
                "chunk_id": child.chunk_id, "parent_id": child.parent_id, "kind": child.kind, "heading_path": child.heading_path,
                "prefix": child.prefix, "text": child.text, "overlap": child.overlap, "subject": child.subject,
                "version": version, "units": child.units, "provenance": child.provenance,
            }
            for child in item.chunked.children
        ]
    return seen


def _say(item: Looked, chunks: bool) -> None:
    from ingest.cli.markdown import pieces
    from ingest.cli.output import say

    for piece in pieces(item.document):
        say(piece)
        say()
    if chunks:
        for child in item.chunked.children:
            say(f"--- {child.kind}, {child.units} units, {' > '.join(child.heading_path)}")
            say(child.text)
