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
    root: Annotated[
        Path | None, typer.Option("--root", help="the folder that ingest run is given: rules for paths are relative to it")
    ] = None,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="above each block: where it stands, what told its kind, how sure (JSON has them)")
    ] = False,
    overlay: Annotated[
        Path | None, typer.Option("--overlay", help="write a page of a PDF with its blocks drawn over, in their order, as PNG")
    ] = None,
    page: Annotated[int, typer.Option("--page", help="the page of --overlay", min=1)] = 1,
    config: options.Config = None,
    json: options.Json = False,
) -> None:
    """Show what the parser makes of files; what it left out, and where, on stderr. Exit code 4 when one of them cannot be parsed,
    or only in part (the others are printed).

    Example:  ingest parse manual.pdf --chunks --format json
    """
    from flows.opening import models_of
    from flows.work import look
    from ingest.cli.chunks import as_json, lines
    from ingest.cli.output import print_json, say, work_apart
    from ingest.embed.engine import tokenizer
    from ingest.errors import ConcordError, UsageError

    if overlay is not None and len(files) != 1:
        raise UsageError("--overlay draws a page of one file; name one")
    settings = options.read_settings(None, config)
    looked: list[Looked] = []
    code = 0
    for file in files:
        try:
            with work_apart():
                looked.append(look(file, settings, root))
                if overlay is not None:
                    _draw(file, looked[-1], page, overlay)
            code = _told(file, looked[-1]) or code
        except ConcordError as error:
            print(f"ingest: {file}: {type(error).__name__}: {error}", file=sys.stderr)
            code = error.exit_code
    count = tokenizer(settings.embed, models_of(settings)) if chunks and looked else None
    if json or format == "json":
        print_json([{**_as_json(item), **(as_json(item, settings, count) if chunks else {})} for item in looked])
    else:
        for item in looked:
            _say(item, provenance=provenance)
            for line in lines(item, settings, count) if chunks else ():
                say(line)
    raise typer.Exit(code)


def _as_json(item: Looked) -> dict[str, Any]:
    document = item.document
    seen: dict[str, Any] = {
        "source_id": item.source_id, "uri": item.uri, "media_type": document.media_type, "parser": document.parser,
        "title": item.title, "pages": document.pages, "blocks": document.blocks, "links": document.links,
        "omissions": document.omissions, "gaps": document.gaps, "embedded": document.embedded,
    }
    return seen


def _told(file: Path, item: Looked) -> int:
    """Tell on stderr what is not in the text. Returns the exit code."""
    from ingest.errors import DocumentPartial

    for omission in item.document.omissions:
        where = f" ({omission.where})" if omission.where else ""
        sample = f": {omission.sample}" if omission.sample else ""
        print(f"ingest: {file}: left out: {omission.count} {omission.kind.replace('_', ' ')}{where}{sample}", file=sys.stderr)
    for gap in item.document.gaps:
        pages = f"page {gap.first}" if gap.first == gap.last else f"pages {gap.first} to {gap.last}"
        print(f"ingest: {file}: DocumentPartial: {pages} cannot be read: {gap.reason}", file=sys.stderr)
    return DocumentPartial.exit_code if item.document.gaps else 0


def _draw(file: Path, item: Looked, page: int, target: Path) -> None:
    from ingest.errors import StorageFailed
    from ingest.parse.overlay import overlay

    picture = overlay(file.read_bytes(), item.document, page)
    try:
        target.write_bytes(picture)
    except OSError as error:
        raise StorageFailed(f"cannot write {target} ({error.strerror}); choose another file for --overlay") from error


def _say(item: Looked, *, provenance: bool) -> None:
    from ingest.cli.markdown import pieces, placed_pieces
    from ingest.cli.output import say

    for piece in placed_pieces(item.document) if provenance else pieces(item.document):
        say(piece)
        say()
