"""`ingest snapshots show`: what a generation consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.showing import Shown


def command(
    generation: Annotated[int | None, typer.Argument(metavar="[N]", help="a generation; default: the newest")] = None,
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Show what a generation consists of: documents and facts, the three indexes, the settings and code that made them, and how
    much the generation before had otherwise (`diff` tells what).

    Example:  ingest snapshots show 3
    """
    from flows.showing import shown
    from ingest.cli.output import print_json

    found = shown(options.read_settings(kb, config), generation)
    print_json(found) if json else _say(found)


def _say(one: Shown) -> None:
    from ingest.cli.output import say, table
    from ingest.cli.snapshots.diff import shape_lines, summed

    say(f"generation {one.generation}" + (", the newest" if one.head else "") + f" ({one.origin})")
    say(f"  snapshot   {one.snapshot}")
    say(f"  published  {one.published_at}, last confirmed {one.confirmed_at}")
    if one.hold is not None:
        say("  on hold    runs are refused until: ingest snapshots release")
    say(f"  facts      {_counted(one.facts)}")
    say()
    sources = one.sources
    say(f"documents: {sources.total}")
    for name, counts in (("states", sources.states), ("roots", sources.roots), ("formats", sources.media_types)):
        say(f"  {name:<10} {_counted(counts)}")
    for status, counts in sources.windows.items():
        say(f"  {status:<10} {_counted(counts)}")
    if sources.families["families"]:
        say(f"  families   {sources.families['families']} with {sources.families['versions']} versions")
    say()
    table(("index", "rows", "edges", "files", "MB", "MB on disk", "id"), [
        (build.kind, build.rows, "" if build.edges is None else build.edges, build.files, _mb(build.bytes), _mb(build.disk_bytes),
         build.id) for build in one.builds
    ])
    say()
    for stage, values in one.settings.items():
        say(f"settings {stage:<10} " + ", ".join(f"{name}={value}" for name, value in values.items()))
    for stage, fingerprint in one.fingerprints.items():
        say(f"made by  {stage:<10} {fingerprint}")
    say()
    if one.before is None or one.changes is None or one.shape is None:
        say("no generation before it is kept")
        return
    say(f"what generation {one.before} had otherwise (more: ingest snapshots diff {one.before} {one.generation})")
    table(*summed(one.changes))
    for line in shape_lines(one.shape):
        say(line)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f}"
